"""The simulation tells the same story for the same seed, and a short run of it finds nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.__main__ import Totals, missing_from
from tests.simulation.run import outcome_of_seed, run_seed
from tests.simulation.story import digest_of, lines_of
from tests.simulation.world import World

ROOT = Path(__file__).resolve().parents[2]

DIGEST = """
import sys
from tests.simulation.run import run_seed
from tests.simulation.story import digest_of
print(digest_of(run_seed(int(sys.argv[1]))))
"""


@pytest.fixture(scope="module")
def told() -> World:
    return run_seed(2)


def test_a_seed_tells_the_same_story_again(told: World) -> None:
    first, second = told, run_seed(2)
    assert list(lines_of(first)) == list(lines_of(second))
    assert digest_of(first) == digest_of(second)
    assert digest_of(first) != digest_of(run_seed(5))


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_other_hashes_tells_the_same_story(
    hash_seed: str, told: World
) -> None:
    path = f"{ROOT}:{ROOT}/layers/arbiter/python"
    elsewhere = subprocess.run(
        [sys.executable, "-c", DIGEST, "2"],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert elsewhere.stdout.strip() == digest_of(told)


def test_a_few_seeds_break_no_promise() -> None:
    outcomes = [outcome_of_seed(seed) for seed in range(1, 7)]
    assert [(one.seed, one.violations) for one in outcomes if one.violations] == []
    assert sum(one.moves for one in outcomes) > 50
    assert sum(one.fired.total() for one in outcomes) > 100


def test_a_fault_that_never_fired_is_missed() -> None:
    totals = Totals()
    totals.fired["F01"] = 3
    totals.reached["after sqs.send_message"] = 900
    totals.reached["after ssm.get_parameter"] = 9
    missing = missing_from(totals)
    assert "F01" not in missing
    assert "F02" in missing
    assert "crash after sqs.send_message" in missing
    assert "crash after ssm.get_parameter" not in missing
