"""What the timekeeper deletes: expired items, at the start and every hour, in portions."""

import asyncio
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from arbiter.adapters.sqlite import items
from arbiter.adapters.sqlite.store import Store
from arbiter.nostr.keys import SecretKey
from server.settings import read_settings
from server.timekeeper import DELETE_EVERY_MS, DELETED_AT_ONCE, Timekeeper
from server.wiring import make_parts
from tests.builders import NOW_MS
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


def test_what_expired_is_deleted_at_the_start_and_an_hour_later(hours: Hours) -> None:
    async def play() -> None:
        hours.expiring(3)
        hours.clock.advance(2)
        hours.begin()
        assert hours.after(0) == 0
        hours.expiring(2)
        assert hours.after(DELETE_EVERY_MS - 1) == 2
        assert hours.after(1) == 0

    asyncio.run(play())


def test_many_expired_items_are_deleted_in_portions_and_what_has_not_expired_stays(
    hours: Hours,
) -> None:
    async def play() -> None:
        hours.expiring(2 * DELETED_AT_ONCE + 1)
        hours.clock.advance(2)
        hours.expiring(1, "later")
        hours.begin()
        left = [hours.after(100) for _ in range(4)]
        assert left == [DELETED_AT_ONCE + 2, 2, 1, 1]

    asyncio.run(play())
