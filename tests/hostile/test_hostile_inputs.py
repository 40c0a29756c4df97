"""Every hostile input, at each entry point it comes to, gets its own answer and changes nothing."""

import json
from collections import Counter

import pytest

from arbiter.nostr.event import event_to_json
from tests.hostile.case import Case, a_wish, a_word, bring
from tests.hostile.corpus import CASES
from tests.hostile.scenario import MARK, Scenario
from tests.nostr.hostile.case import GAME, PLAYER


@pytest.mark.parametrize("number", sorted({case.name[:3] for case in CASES}))
def test_a_hostile_input_is_answered_with_its_own_word(number: str) -> None:
    cases = [case for case in CASES if case.name.startswith(number)]

    assert {case.id: _answered(case) for case in cases} == {case.id: case.answer for case in cases}


def _answered(case: Case) -> str:
    """The answer, and whether anything changed. On the way it is asserted that no entry point
    raises, has a record delivered again, or logs more than ids and words of ours.
    """
    try:
        with case.scenario() as scenario:
            before = scenario.snapshot
            answer = case.send(scenario)
            # The author of a tag that cannot be read is sent the beginning of its value.
            published = [
                event_to_json(event)
                for event in scenario.world.publisher.taken_events
                if not event.content.startswith("error:bad-terms: ")
            ]
            assert MARK not in json.dumps(published)
            return answer if scenario.snapshot == before else f"{answer}, heeded"
    except Exception as failure:
        failure.add_note(case.id)
        raise


@pytest.mark.parametrize("entry_point", ["relay", "socket", "queue"])
def test_an_honest_move_and_an_honest_wish_are_taken_at_the_same_entry_points(
    entry_point: str,
) -> None:
    with Scenario() as scenario:
        assert bring(entry_point, a_word(PLAYER, "e2e4"), is_event=True)(scenario) == "played"
        assert scenario.world.game(GAME).ply == 1
    with Scenario() as scenario:
        scenario.world.games.by_id.clear()
        assert bring(entry_point, a_wish(PLAYER), is_event=True)(scenario) == "queued"
        assert scenario.snapshot.waiting


@pytest.mark.parametrize("line", [{"status": f"no: {MARK}"}, {"why": "It said: Nf3"}])
def test_a_line_of_a_log_that_says_more_than_it_may_is_noticed(line: dict[str, str]) -> None:
    with Scenario() as scenario:
        scenario.lines.texts.append(json.dumps(line))
        with pytest.raises(AssertionError):
            scenario.lines.taken()


def test_every_number_of_the_catalogue_has_a_case_and_no_name_comes_twice() -> None:
    seen = Counter(case.id for case in CASES)
    catalogue = {*range(1, 16), *range(20, 34), *range(40, 59), *range(60, 71)}

    assert {int(case.name[1:3]) for case in CASES} == catalogue
    assert [id_ for id_, count in seen.items() if count > 1] == []
