"""The timekeeper's timers and their times, and its deletion of expired items, in portions."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite import items
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import LobbyChange
from arbiter.application.records import QueueEntry
from arbiter.core.clocks import DAY_MS, read_time, start_clocks
from arbiter.core.timers import with_timer
from arbiter.nostr.keys import SecretKey
from server import timekeeper
from server.job_groups import Job
from server.processing import Processing
from server.settings import read_settings
from server.timekeeper import DELETE_EVERY_MS, DELETED_AT_ONCE, Timekeeper
from server.wiring import make_parts
from tests.builders import NOW_MS, a_game
from tests.fakes.clock import FakeClock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        yield store


class Hours:
    """A timekeeper, the file, and a clock to turn."""

    def __init__(self, store: Store) -> None:
        self.clock = FakeClock(NOW_MS)
        self._store = store

    def begin(self) -> None:
        """Start the server's parts anew, as a start of the process does."""
        settings = read_settings({}, {})
        parts = make_parts(settings, SecretKey.generate(bytes([1] * 32)), self._store, self.clock)
        self.timekeeper: Timekeeper = parts.timekeeper

    def expiring(self, count: int, name: str = "x") -> None:
        """Add so many items that expire a second from now."""
        at = str(self.clock.now_ms() // 1000 + 1)
        for number in range(count):
            item = {"pk": {"S": f"{name}{number}"}, "expires_at": {"N": at}}
            self._store.write_soon(partial(items.put, item=item))

    def after(self, ms: int) -> int:
        """The number of items after a look, so much later."""
        self.clock.advance(ms / 1000)
        self.timekeeper.look()
        self._store.write(lambda _: None)  # what was to be written soon is written now
        count: int = self._store.read(
            lambda cursor: cursor.execute("SELECT count(*) FROM items").fetchone()[0]
        )
        return count


@pytest.fixture
def hours(store: Store) -> Hours:
    return Hours(store)


async def test_what_expired_is_deleted_at_the_start_and_an_hour_later(hours: Hours) -> None:
    hours.expiring(3)
    hours.clock.advance(2)
    hours.begin()
    assert hours.after(0) == 0
    hours.expiring(2)
    assert hours.after(DELETE_EVERY_MS - 1) == 2
    assert hours.after(1) == 0


async def test_many_expired_items_are_deleted_in_portions_and_what_has_not_expired_stays(
    hours: Hours,
) -> None:
    hours.expiring(2 * DELETED_AT_ONCE + 1)
    hours.clock.advance(2)
    hours.expiring(1, "later")
    hours.begin()
    left = [hours.after(100) for _ in range(4)]
    assert left == [DELETED_AT_ONCE + 2, 2, 1, 1]


class Flag:
    """A game by days whose flag is down when the server's parts start."""

    def __init__(self, store: Store) -> None:
        self.clock = FakeClock(NOW_MS)
        control = read_time("1d")
        assert control is not None
        game = with_timer(replace(a_game(), clocks=start_clocks(control, NOW_MS)))
        StoredLobby(SqliteTable(store), self.clock).commit(LobbyChange(game=game))
        self._game_id = game.id
        self.clock.advance(2 * DAY_MS / 1000)
        settings = read_settings({}, {})
        self.parts = make_parts(settings, SecretKey.generate(bytes([1] * 32)), store, self.clock)

    def has_fallen(self) -> bool:
        game = self.parts.arbiter.games.load(self._game_id)
        return bool(game and game.outcome)


async def test_a_flag_that_fell_while_no_server_ran_is_called_without_a_second_look(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeper, "LOOK_SECONDS", 1e6)
    flag = Flag(store)
    parts = flag.parts
    tasks = [asyncio.create_task(it.serve()) for it in (parts.transactions, parts.timekeeper)]
    # The game's timer sets another, behind the events of the side to move.
    async with asyncio.timeout(10):
        while not flag.has_fallen():  # noqa: ASYNC110 - the file has no event
            await asyncio.sleep(0.001)
    for task in tasks:
        task.cancel()
    assert flag.has_fallen()


async def test_a_timer_fires_once_while_its_transaction_is_not_on_the_disk(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    take = Processing.take

    def noted(self: Processing, entry: QueueEntry, **rest: Any) -> Job:
        taken.append(entry.dedup_id)
        return take(self, entry, **rest)

    monkeypatch.setattr(Processing, "take", noted)
    flag = Flag(store)
    transactions = flag.parts.transactions
    flag.parts.timekeeper.look()
    assert len(transactions) == 1
    serving = asyncio.create_task(transactions.serve())
    while len(transactions):  # noqa: ASYNC110 - a transaction has no event for its middle
        await asyncio.sleep(0)
    flag.parts.timekeeper.look()  # it was handled, and the transaction may be open
    assert len(set(taken)) == len(taken)
    await transactions.wait_idle()
    serving.cancel()
