"""A process that writes is killed at any moment: what it was answered is in the file.

``KILLS=200`` in the environment kills it so many times.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter.adapters.sqlite.games import SqliteGames
from arbiter.adapters.sqlite.queues import SqliteInbox
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.records import Timer
from tests.adapters.sqlite import writer
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

KILLS = int(os.environ.get("KILLS", "5"))
ROOT = Path(__file__).parents[3]


def answered_before_a_kill(path: Path, after: int) -> dict[int, int]:
    """The last version of each game that a process was answered, which is killed after so many
    answers.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.adapters.sqlite.writer", path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/layers/arbiter/python"},
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    lines: list[bytes] = []
    with process:
        for line in process.stdout:
            lines.append(line)
            if len(lines) == after:
                process.send_signal(signal.SIGKILL)  # what was answered since is read all the same
    assert process.returncode == -signal.SIGKILL
    whole = [line.split() for line in lines if line.endswith(b"\n")]
    return {int(number): int(version) for number, version in whole}


def moments() -> Iterator[int]:
    dice = random.Random(1)
    while True:
        yield dice.choice([1, 2, 3, dice.randrange(1, 100), dice.randrange(1, 1500)])


@pytest.mark.slow
def test_what_was_answered_before_a_kill_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "arbiter.db"
    for _, after in zip(range(KILLS), moments(), strict=False):
        answered = answered_before_a_kill(path, after)

        with Store.open(path) as store:
            games, timers = SqliteGames(store), set(SqliteTimers(store).due(2 * NOW_MS, 10**9))
            inbox = SqliteInbox(store, FakeClock(NOW_MS))
            waiting = {one.entry.dedup_id for one in inbox.unfinished()}
            versions = {}
            for number in range(writer.GAMES):
                game = games.load(writer.game_id(number))
                assert game
                version = versions[number] = game.item_version
                assert version >= answered.get(number, 1)
                if version > answered.get(number, version):
                    # Committed, but perhaps not answered: it will be processed again.
                    assert writer.entry(number, version).dedup_id in waiting
                if version > 1:
                    assert Timer(game.id, game.ply, NOW_MS + version) in timers
            in_group = {versions[number] for number in range(writer.THREADS, writer.GAMES)}
            assert len(in_group) == 1
            for one in inbox.unfinished():
                number, version = map(int, one.entry.dedup_id.split("-"))
                assert version <= versions[number] + 1
            inbox.finish([one.entry for one in inbox.unfinished()])
