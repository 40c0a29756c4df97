"""A machine of rules drives the simulated world, finds nothing, and would find what is there."""

import os

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.simulation.machine import WorldMachine

EXAMPLES = int(os.environ.get("MACHINE_EXAMPLES", "0"))
"""How many to try, each time others; without it a few, always the same."""


def test_whatever_is_said_and_fails_no_promise_breaks() -> None:
    few = settings(max_examples=12, stateful_step_count=20, derandomize=True)
    many = settings(max_examples=EXAMPLES or 1, stateful_step_count=50)
    run_state_machine_as_test(WorldMachine, settings=many if EXAMPLES else few)
