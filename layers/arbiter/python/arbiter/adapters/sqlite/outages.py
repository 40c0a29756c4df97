"""Relay outages in SQLite, as the item of DynamoDB."""

import sqlite3

from arbiter.adapters.items.outages import KEY, item_of_uptime, uptime_of_item
from arbiter.adapters.sqlite.items import change, find
from arbiter.adapters.sqlite.store import Store
from arbiter.core.outages import FOR_GOOD_MS, RelayUptime


class SqliteOutages:
    """The outages of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def uptime(self) -> RelayUptime | None:
        item = self._store.read(lambda cursor: find(cursor, KEY))
        return uptime_of_item(item) if item else None

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        self._store.write(lambda cursor: _report_connected(cursor, now_ms, active_until_ms))


def _report_connected(cursor: sqlite3.Cursor, now_ms: int, active_until_ms: int) -> None:
    stored = find(cursor, KEY)
    before = uptime_of_item(stored) if stored else None
    after = RelayUptime(now_ms, active_until_ms=active_until_ms)
    if before:
        after = before.after_report(now_ms, active_until_ms)
    if before != after:
        old = item_of_uptime(before) if before else {}
        change(cursor, stored, old, item_of_uptime(after))
