"""Every hostile input, at every door it comes to, is answered with its own word and changes
nothing.
"""

import json
from collections import Counter

import pytest

from arbiter.nostr.event import event_to_json
from tests.hostile.case import Case, Door, a_wish, a_word, by_relay, by_socket, once
from tests.hostile.corpus import CASES
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER

CATALOGUE = {*range(1, 16), *range(20, 34), *range(40, 59), *range(60, 71)}


@pytest.mark.parametrize("number", sorted({case.name[:3] for case in CASES}))
def test_a_hostile_input_is_answered_with_its_own_word(number: str) -> None:
    cases = [case for case in CASES if case.name.startswith(number)]

    answers = {case.id: _answered(case) for case in cases}

    assert answers == {case.id: (case.answer, case.heeded) for case in cases}


def _answered(case: Case) -> tuple[str, bool]:
    """The word it was answered with, and whether anything changed.

    That no door raises, has a record delivered again, or logs more than ids and words of ours is
    asserted on the way.
    """
    try:
        with case.stage() as stage:
            before = stage.standing
            answer = case.knock(stage)
            # Of a tag that it cannot read, a request's author is told the beginning of the value.
            published = [
                event_to_json(event)
                for event in stage.world.publisher.taken_events
                if not event.content.startswith("error:bad-terms: ")
            ]
            assert CANARY not in json.dumps(published)
            return answer, stage.standing != before
    except Exception as failure:
        failure.add_note(case.id)
        raise


@pytest.mark.parametrize("knock", [by_relay, by_socket])
def test_an_honest_move_and_an_honest_wish_are_taken_at_the_same_doors(knock: object) -> None:
    assert callable(knock)
    with Stage() as stage:
        assert knock(once(a_word(PLAYER, "e2e4")))(stage) == "played"
        assert stage.world.game(GAME).ply == 1
    with Stage() as stage:
        stage.world.games.standing.clear()
        assert knock(once(a_wish(PLAYER)))(stage) == "queued"
        assert stage.standing.waiting


def test_a_line_of_a_log_that_says_more_than_it_may_is_noticed() -> None:
    with Stage() as stage:
        stage.lines.texts.append(json.dumps({"status": f"dropped: {CANARY}"}))
        with pytest.raises(AssertionError):
            stage.lines.taken()
        stage.lines.texts.append(json.dumps({"status": "dropped", "why": "He said: Nf3"}))
        with pytest.raises(AssertionError):
            stage.lines.taken()


def test_every_number_of_the_catalogue_has_a_case() -> None:
    assert {int(case.name[1:3]) for case in CASES} == CATALOGUE


def test_a_case_is_known_by_its_name_and_its_door() -> None:
    seen = Counter(case.id for case in CASES)

    assert [id_ for id_, count in seen.items() if count > 1] == []
    assert {case.door for case in CASES} == set(Door)
