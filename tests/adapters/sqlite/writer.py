"""A process that plays games on a file until it is killed, and says what it was answered.

Four games have a thread each, and four more are played in groups. Each line of output is a game's
number and the version that is on the disk.
"""

import os
import sys
import threading
from dataclasses import replace

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.games import SqliteGames
from arbiter.adapters.sqlite.queues import SqliteInbox
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import Committed, LobbyChange
from arbiter.application.records import QueueEntry
from arbiter.core.game import Game
from tests.builders import NOW_MS, a_game
from tests.fakes.clock import FakeClock

GAMES = 8
THREADS = 4


def game_id(number: int) -> str:
    return f"{number:032x}"


def entry(number: int, version: int) -> QueueEntry:
    """The event that makes this version of this game."""
    return QueueEntry(
        queue="moves", body="{}", group_id=game_id(number), dedup_id=f"{number}-{version}"
    )


class Writer:
    def __init__(self, store: Store) -> None:
        clock = FakeClock(NOW_MS)
        self.store = store
        self.games = SqliteGames(store)
        self.inbox = SqliteInbox(store, clock)
        lobby = StoredLobby(SqliteTable(store), clock)
        for number in range(GAMES):
            lobby.commit(LobbyChange(game=replace(a_game(), id=game_id(number))))

    def move(self, number: int) -> Game:
        before = self.games.load(game_id(number))
        assert before
        version = before.item_version + 1
        after = replace(before, item_version=version, timer_at_ms=NOW_MS + version)
        self.inbox.accept([entry(number, version)])
        assert self.games.commit(before, after) == Committed()
        return after

    def answer(self, *moves: tuple[int, Game]) -> None:
        for number, game in moves:
            os.write(1, f"{number} {game.item_version}\n".encode())
        self.inbox.finish([entry(number, game.item_version) for number, game in moves])

    def play_alone(self, number: int) -> None:
        while True:
            self.answer((number, self.move(number)))

    def play_in_groups(self) -> None:
        while True:
            with self.store.group() as durable:
                moves = [(number, self.move(number)) for number in range(THREADS, GAMES)]
            durable.result()
            self.answer(*moves)


def main() -> None:
    writer = Writer(Store.open(sys.argv[1]))
    for number in range(THREADS):
        threading.Thread(target=writer.play_alone, args=(number,), daemon=True).start()
    writer.play_in_groups()


if __name__ == "__main__":
    main()
