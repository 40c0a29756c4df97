"""A seed is the same run anywhere, a few seeds find nothing, and a bug is found."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.simulation import bugs, faults
from tests.simulation.__main__ import missing_from
from tests.simulation.history import History
from tests.simulation.run import outcome_of_seed, run_seed
from tests.simulation.story import lines_of
from tests.simulation.virtual_time import Process, Scheduler, VirtualLock, VirtualThread

ROOT = Path(__file__).resolve().parents[2]
A_SHORT_RUN = 42
"""A seed of which a run has sockets and commits, and takes a second."""

STORY = """
import sys
from tests.simulation.run import run_seed
from tests.simulation.story import lines_of
print("\\n".join(lines_of(run_seed(int(sys.argv[1]))[1])))
"""


def digest_of(story: str) -> str:
    return hashlib.sha256(story.strip().encode()).hexdigest()


def test_another_process_with_other_hashes_tells_the_same_story() -> None:
    path = f"{ROOT}:{ROOT}/layers/arbiter/python"
    elsewhere = subprocess.run(
        [sys.executable, "-c", STORY, str(A_SHORT_RUN)],
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    history: History
    _, history = run_seed(A_SHORT_RUN)
    assert digest_of(elsewhere.stdout) == digest_of("\n".join(lines_of(history)))


def test_a_few_seeds_break_no_promise() -> None:
    outcomes = [outcome_of_seed(seed) for seed in (2, 7, 45)]
    assert [(one.seed, one.violations) for one in outcomes if one.violations] == []
    assert not [one.failure for one in outcomes if one.failure]
    assert sum(one.moves for one in outcomes) > 50
    assert sum(one.fired.total() for one in outcomes) > 50


@pytest.mark.parametrize(
    "name", ["sockets are never forgotten", "OK is said before the disk has it"]
)
def test_a_planted_bug_is_found(name: str) -> None:
    assert bugs.hunt(name, A_SHORT_RUN - 1)


def test_a_fault_that_never_fired_is_missed() -> None:
    fired = Counter(dict.fromkeys(faults.KINDS, 1)) - Counter({"F01": 1})
    assert missing_from(fired) == ["F01"]


def test_threads_and_the_event_loop_share_one_time_and_a_killed_process_does_nothing_more() -> None:
    scheduler = Scheduler()
    said: list[tuple[int, str]] = []

    def work() -> None:
        for _ in range(3):
            scheduler.sleep(10.0)
            said.append((round(scheduler.now), "work"))

    scheduler.main = process = Process("one")
    scheduler.after(0.0, VirtualThread(scheduler, work).start)
    scheduler.after(15.0, lambda: said.append((round(scheduler.now), "loop")))
    scheduler.after(25.0, lambda: scheduler.kill(process))
    scheduler.run(100.0)
    assert said == [(10, "work"), (15, "loop"), (20, "work")]


def test_the_event_loop_waits_for_a_lock_that_a_thread_holds() -> None:
    scheduler, said = Scheduler(), list[str]()
    lock = VirtualLock(scheduler)

    def work() -> None:
        with lock:
            scheduler.sleep(10.0)
            said.append("thread")

    def hurry() -> None:
        with lock:
            said.append("loop")

    scheduler.after(0.0, VirtualThread(scheduler, work).start)
    scheduler.after(1.0, hurry)
    scheduler.run(5.0)
    assert said == ["thread", "loop"]
