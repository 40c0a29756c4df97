"""Every hostile input, at every door it comes to, gets its own answer and changes nothing."""

import json
from collections import Counter

import pytest

from arbiter.nostr.event import event_to_json
from tests.hostile.case import Case, a_wish, a_word, bring
from tests.hostile.corpus import CASES
from tests.hostile.stage import CANARY, Stage
from tests.nostr.hostile.case import GAME, PLAYER


@pytest.mark.parametrize("number", sorted({case.name[:3] for case in CASES}))
def test_a_hostile_input_is_answered_with_its_own_word(number: str) -> None:
    cases = [case for case in CASES if case.name.startswith(number)]

    assert {case.id: _answered(case) for case in cases} == {case.id: case.answer for case in cases}


def _answered(case: Case) -> str:
    """The answer, and whether anything changed. On the way it is asserted that no door raises, has
    a record delivered again, or logs more than ids and words of ours.
    """
    try:
        with case.stage() as stage:
            before = stage.standing
            answer = case.knock(stage)
            # The author of a tag that cannot be read is sent the beginning of its value.
            published = [
                event_to_json(event)
                for event in stage.world.publisher.taken_events
                if not event.content.startswith("error:bad-terms: ")
            ]
            assert CANARY not in json.dumps(published)
            return answer if stage.standing == before else f"{answer}, heeded"
    except Exception as failure:
        failure.add_note(case.id)
        raise


@pytest.mark.parametrize("door", ["relay", "socket", "queue"])
def test_an_honest_move_and_an_honest_wish_are_taken_at_the_same_doors(door: str) -> None:
    with Stage() as stage:
        assert bring(door, a_word(PLAYER, "e2e4"), is_event=True)(stage) == "played"
        assert stage.world.game(GAME).ply == 1
    with Stage() as stage:
        stage.world.games.standing.clear()
        assert bring(door, a_wish(PLAYER), is_event=True)(stage) == "queued"
        assert stage.standing.waiting


@pytest.mark.parametrize("line", [{"status": f"no: {CANARY}"}, {"why": "It said: Nf3"}])
def test_a_line_of_a_log_that_says_more_than_it_may_is_noticed(line: dict[str, str]) -> None:
    with Stage() as stage:
        stage.lines.texts.append(json.dumps(line))
        with pytest.raises(AssertionError):
            stage.lines.taken()


def test_every_number_of_the_catalogue_has_a_case_and_no_name_comes_twice() -> None:
    seen = Counter(case.id for case in CASES)
    catalogue = {*range(1, 16), *range(20, 34), *range(40, 59), *range(60, 71)}

    assert {int(case.name[1:3]) for case in CASES} == catalogue
    assert [id_ for id_, count in seen.items() if count > 1] == []
