"""Relay outages in SQLite, as the same one item as in DynamoDB."""

import sqlite3

from arbiter.adapters.dynamodb.outage_items import KEY, item_of_uptime, uptime_of_item
from arbiter.adapters.sqlite.items import change, find
from arbiter.adapters.sqlite.store import Store
from arbiter.core.clocks import RelayUptime


class SqliteOutages:
    """The outages of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def uptime(self) -> RelayUptime | None:
        """The uptime; None before the first heartbeat."""
        item = self._store.read(lambda cursor: find(cursor, KEY))
        return uptime_of_item(item) if item else None

    def note(self, now_ms: int) -> None:
        """A relay is connected now."""
        self._store.write(lambda cursor: _note(cursor, now_ms))


def _note(cursor: sqlite3.Cursor, now_ms: int) -> None:
    stored = find(cursor, KEY)
    before = uptime_of_item(stored) if stored else None
    after = before.noted(now_ms) if before else RelayUptime(now_ms)
    if before != after:
        old = item_of_uptime(before) if before else {}
        change(cursor, stored, old, item_of_uptime(after))
