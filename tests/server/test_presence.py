"""Sockets of the one process that open and close in a live game."""

from dataclasses import replace
from pathlib import Path

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.application.ports import LobbyChange
from arbiter.core.clocks import TimeControl, start_clocks
from arbiter.core.pairing import Player
from server.settings import read_settings
from server.wiring import make_parts
from tests.builders import ALICE, BOB, NOW_MS, SERVER, a_game, after
from tests.contract.test_connections import a_connection
from tests.fakes.clock import FakeClock


async def test_each_is_looked_at_but_for_those_that_the_end_of_the_server_closes(
    tmp_path: Path,
) -> None:
    clock, clocks = FakeClock(NOW_MS), start_clocks(TimeControl(base_ms=300_000), NOW_MS)
    game = replace(after(a_game(), "e4 e5"), clocks=clocks)
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        timers, lobby = SqliteTimers(store), StoredLobby(SqliteTable(store), clock)

        def looks() -> list[str]:
            store.write(lambda _: None)  # what was to be written soon is written now
            due = timers.due(NOW_MS + 60_000)
            timers.done(due)
            return [it.player for it in due if it.player]

        keys = (ALICE.pubkey, BOB.pubkey)
        seated = tuple((Player(key), Player(key, game_id=game.id)) for key in keys)
        assert lobby.commit(LobbyChange(players=seated, game=game))
        parts = make_parts(read_settings({}, {}), SERVER, store, clock)
        connections = parts.arbiter.connections
        assert connections is not None
        for key in (*keys, *keys):
            connections.add(a_connection(key), NOW_MS)
            connections.meet(key, key)
            assert looks() == [key]
        connections.remove(keys[0])
        assert looks() == [keys[0]]
        parts.transactions.stop_accepting()
        connections.remove(keys[1])
        assert looks() == []
