"""A seed is the same run anywhere, a few seeds find nothing, and a bug is found."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.memory.connections import MemoryConnections
from arbiter.application.connections import Connection
from arbiter.core.game import Outcome, Termination
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, NOW_MS, a_game
from tests.simulation import bugs, faults
from tests.simulation.__main__ import missing_from
from tests.simulation.checker import changes
from tests.simulation.checker.items import read_game
from tests.simulation.checker.parsed_history import Version
from tests.simulation.checker.steady_state import left_in_memory
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


def test_what_a_socket_leaves_behind_is_seen() -> None:
    connections = MemoryConnections()
    connections.add(Connection(id="one", address="10.0.0.1", challenge="c", opened_at_ms=0), 0)
    names = ("transactions", "processing", "timekeeper", "gateway", "sockets", "to_relays")
    parts = SimpleNamespace(
        **dict.fromkeys(names), arbiter=SimpleNamespace(connections=connections)
    )
    assert [*left_in_memory(parts)] == ["1 in MemoryConnections._sockets, such as one"]
    connections.remove("one")
    assert not [*left_in_memory(parts)]


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


@pytest.mark.parametrize(
    ("word", "by", "away_ms", "winner", "is_lawful"),
    [
        ("claim-left", BOB, 60_000, chess.BLACK, True),
        ("claim-left", BOB, 60_000, None, True),
        ("claim-left", BOB, 59_999, chess.BLACK, False),
        ("claim-left", BOB, None, chess.BLACK, False),
        ("claim-left", BOB, 60_000, chess.WHITE, False),
        ("claim-left", ALICE, 60_000, chess.BLACK, False),
        ("flag", BOB, 60_000, chess.BLACK, False),
    ],
)
def test_a_game_that_ends_because_white_left_is_judged_anew(
    word: str, by: SecretKey, away_ms: int | None, winner: chess.Color | None, *, is_lawful: bool
) -> None:
    game = a_game()
    left_ms = None if away_ms is None else NOW_MS - away_ms
    game = replace(game, white=replace(game.white, left_ms=left_ms))
    over = replace(game, outcome=Outcome(Termination.LEFT, winner), item_version=2)
    before, after = (read_game(item_of_game(it)) for it in (game, over))
    said = SimpleNamespace(content=word, pubkey=by.pubkey, kind=20303, all=lambda _: [(game.id,)])
    parsed: Any = SimpleNamespace(by_event_key={"key": (0, said)})
    version = Version(1, NOW_MS, "worker", before, after, {})
    found = changes._unlawful_event(parsed, version, "key", chess.Board())
    assert (found is None) is is_lawful, found
