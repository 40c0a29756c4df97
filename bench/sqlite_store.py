"""What a commit to the SQLite file costs, with 1, 20 and 100 games at once, beside plain inserts of
the same size that are committed one by one on the same disk.

``threads``: each game has a thread that waits for its own commits. ``groups``: one thread decides a
move of every game and waits once. Both write what a move writes: an entry into the inbox, the game
on the condition of its version, and the entry's removal.
"""

import argparse
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.sqlite.games import SqliteGames, SqliteLobby
from arbiter.adapters.sqlite.items import text_of_item
from arbiter.adapters.sqlite.queues import SqliteInbox
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.timers import SystemClock
from arbiter.application.ports import Committed, LobbyChange
from arbiter.application.records import QueueEntry
from arbiter.core.game import EVENT_KEY_BYTES, Game
from bench.measure import measured
from tests.contract.full_game import a_full_game

CONCURRENT = (1, 20, 100)
ROUNDS = 3
PLIES = 40
BODY = "x" * 700
"""As long as the record of a move."""


class File:
    """A new file with games in it, and a move's writes to it."""

    def __init__(self, folder: str, games: int) -> None:
        self.store = Store.open(Path(folder) / "arbiter.db")
        clock = SystemClock()
        self.games = SqliteGames(self.store)
        self.inbox = SqliteInbox(self.store, clock)
        lobby, game = SqliteLobby(self.store, clock), a_full_game(PLIES)
        self.ids = [f"{number:032x}" for number in range(games)]
        for id_ in self.ids:
            lobby.commit(LobbyChange(game=replace(game, id=id_, item_version=1, outcome=None)))

    def move(self, game_id: str) -> None:
        """One more version of a game."""
        before = self.games.load(game_id)
        assert before is not None  # noqa: S101 - it was put there
        after = changed(before)
        name = f"{game_id}{after.item_version}"
        entry = QueueEntry(queue="moves", body=BODY, group_id=game_id, dedup_id=name)
        self.inbox.accept([entry])
        assert self.games.commit(before, after) == Committed()  # noqa: S101 - the only writer
        self.inbox.finish([entry])


def changed(game: Game) -> Game:
    """The next version, of the same length."""
    key = game.item_version.to_bytes(EVENT_KEY_BYTES, "big")
    return replace(
        game, applied_ids=(*game.applied_ids[1:], key), item_version=game.item_version + 1
    )


def in_threads(file: File, commits: int) -> None:
    """Each game in a thread of its own."""
    turns = commits // len(file.ids)

    def play(game_id: str) -> None:
        for _ in range(turns):
            file.move(game_id)

    with ThreadPoolExecutor(len(file.ids)) as threads:
        for done in [threads.submit(play, id_) for id_ in file.ids]:
            done.result()


def in_groups(file: File, commits: int) -> None:
    """All games in one thread, a move of each in one group."""
    for _ in range(commits // len(file.ids)):
        with file.store.group() as durable:
            for game_id in file.ids:
                file.move(game_id)
        durable.result()


def plain(folder: str, commits: int) -> None:
    """So many inserts of one item, each in a transaction of its own."""
    db = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE plain (text TEXT)")
    text = text_of_item(item_of_game(a_full_game(PLIES)))
    for _ in range(commits):
        db.execute("INSERT INTO plain VALUES (?)", (text,))
    db.close()


def timed(act: Callable[[], None], commits: int) -> tuple[float, float]:
    """Commits a second, and milliseconds of processor time for each."""
    began, used = time.perf_counter(), time.process_time()
    act()
    spent, used = time.perf_counter() - began, time.process_time() - used
    return commits / spent, used / commits * 1000


def once(kind: str, games: int, commits: int, parent: str | None) -> tuple[float, float]:
    """One measurement on a new file."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        if kind == "plain":
            return timed(lambda: plain(folder, commits), commits)
        file = File(folder, games)
        try:
            play = in_threads if kind == "threads" else in_groups
            return timed(lambda: play(file, commits), commits)
        finally:
            file.store.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="a folder on the disk to measure (default: the system's)")
    parser.add_argument("--commits", type=int, default=2000, help="of each measurement (2000)")
    asked = parser.parse_args()
    print(f"{'':8} {'games':>5} {'commits/s':>10} {'x plain':>8} {'ms of CPU':>10}")
    for games in CONCURRENT:
        commits = min(asked.commits, 300 * games)
        rates: dict[str, list[float]] = {"plain": [], "threads": [], "groups": []}
        used: dict[str, list[float]] = {name: [] for name in rates}
        for _ in range(ROUNDS):
            for kind, found in rates.items():
                count = min(commits, 300) if kind == "plain" else commits
                rate, cpu = once(kind, games, count, asked.folder)
                found.append(rate)
                used[kind].append(cpu)
        for kind, found in rates.items():
            times = measured([a / b for a, b in zip(found, rates["plain"], strict=True)]).median
            rate, cpu = measured(found).median, measured(used[kind]).median
            print(f"{kind:8} {games:5} {rate:10.0f} {times:8.1f} {cpu:10.2f}", flush=True)


if __name__ == "__main__":
    main()
