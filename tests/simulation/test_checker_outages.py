"""For how long a clock stood still, in the eyes of whoever wrote a version: judged again."""

from dataclasses import replace

from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.outages import RETURN_MS, SILENCE_MS, still_ms
from tests.simulation.history import Wrote
from tests.simulation.made_history import Story

HEARD_MS = 1_800_000_000_000
SINCE_MS = HEARD_MS - 20_000
SKEW_MS = 20_000


def _stood_still(until_ms: int, written_ms: int, skew_ms: int) -> set[int]:
    """Of the time until then, for a version written then; a relay was last heard at HEARD_MS."""
    story = Story().plays("e2e4")
    evidence = Evidence(story.history)
    (versions,) = evidence.games.values()
    last = versions[-1]
    item = {"pk": {"S": "heard"}, "at": {"N": str(HEARD_MS)}}
    noted = Wrote(at_ms=HEARD_MS, who="listener 1", items=(("heard", None, item),))
    happenings = (noted, *story.history.happenings)
    history = replace(story.history, happenings=happenings, skew_ms=skew_ms)
    one: Version = replace(last, at=last.at + 1, at_ms=written_ms)
    return still_ms(Evidence(history), one, SINCE_MS, until_ms)


def test_a_silence_that_is_no_outage_by_anybody_s_clock_is_thinking_time() -> None:
    assert _stood_still(HEARD_MS + 6_000, HEARD_MS + 6_000, skew_ms=200) == {0}


def test_a_silence_that_is_an_outage_by_everybody_s_clock_is_none() -> None:
    until_ms = HEARD_MS + SILENCE_MS + 1
    assert _stood_still(until_ms, until_ms, skew_ms=SKEW_MS) == {SILENCE_MS + 1}


def test_a_silence_that_was_an_outage_by_a_wrong_clock_may_be_either() -> None:
    assert _stood_still(HEARD_MS + 6_000, HEARD_MS + 6_000, skew_ms=SKEW_MS) == {0, 6_000}


def test_a_silence_that_was_one_when_the_move_had_its_turn_may_be_either() -> None:
    written_ms = HEARD_MS + SILENCE_MS + RETURN_MS
    assert _stood_still(HEARD_MS + 6_000, written_ms, skew_ms=0) == {0, 6_000}
