"""A machine of rules drives the simulated world and finds nothing; it finds what is planted."""

import os

import pytest
from hypothesis import Phase, settings
from hypothesis.internal.conjecture import engine
from hypothesis.stateful import run_state_machine_as_test

from tests.simulation.bugs import BUGS
from tests.simulation.machine import WorldMachine
from tests.simulation.scene import Ambushes

EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "0"))
"""How many to try, each time others (`make sim-rules`); without it a few, always the same."""

FEW = settings(max_examples=12, stateful_step_count=20, derandomize=True, database=None)
FOUND_EARLY = settings(
    FEW,
    max_examples=300,
    stateful_step_count=8,
    phases=(Phase.generate, Phase.shrink),
    report_multiple_bugs=False,
)
MANY = settings(max_examples=EXAMPLES or 1, stateful_step_count=50)
BY_NAME = {bug.name: bug for bug in BUGS}


NoPromiseBreaksWhateverIsSaidAndFails = pytest.mark.slow(WorldMachine.TestCase)
NoPromiseBreaksWhateverIsSaidAndFails.settings = MANY if EXAMPLES else FEW


@pytest.mark.slow
@pytest.mark.skipif(not EXAMPLES, reason="shrinking takes half a minute: make sim-rules")
def test_a_planted_bug_is_found_and_told_in_a_step_or_two(monkeypatch: pytest.MonkeyPatch) -> None:
    # So many times the example becomes shorter; with the usual 500 the last word takes a minute.
    monkeypatch.setattr(engine, "MAX_SHRINKS", 40)
    with (
        BY_NAME["spectators-move"].planted(),
        pytest.raises(AssertionError, match="own hand") as broken,
    ):
        run_state_machine_as_test(WorldMachine, settings=FOUND_EARLY)
    assert "a stranger plays along" in WorldMachine.steps
    assert len(WorldMachine.steps) <= 3
    story = "\n".join(broken.value.__notes__)
    assert "state.a_stranger_plays_along(" in story
    assert "FAULT H02 stranger" in story


def test_an_ambush_strikes_once_after_what_it_lets_pass() -> None:
    ambushes = Ambushes()
    ambushes.lay("F26", "process", 1)
    places = ("listener 1", "process 3", "process 3", "process 3")
    assert [ambushes.decide("F26", place) for place in places] == [False, False, True, False]
    assert not ambushes.decide("F30", "process 3")
