"""The items of a server's SQLite file, to be exported and imported. The server must not run."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.sqlite.items import find, item_of_text, put
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.core.game import Game
from server.export_file import TransferFailed
from server.transfer import Change

_PAGE = 200
_WAITING = "SELECT (SELECT count(*) FROM inbox), (SELECT count(*) FROM outbox)"


class FileItems:
    """The items of one open file, and its timers. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def everything(self) -> Iterator[Item]:
        """All items. Raises TransferFailed if a record is unanswered, or waits for the bridge."""
        waiting, sent = self._store.read(lambda cursor: cursor.execute(_WAITING).fetchone())
        if sent:
            raise TransferFailed(
                f"{self._store.path} has {sent} messages to Scuttlebutt: start the server and the "
                "bridge, which publishes them"
            )
        if waiting:
            raise TransferFailed(
                f"{self._store.path} has {waiting} events without an answer: start the server and "
                "stop it by SIGTERM, which answers them"
            )
        last = ""
        while page := self._page(last):
            last = page[-1][0]
            for _, text in page:
                yield item_of_text(text)

    def stored(self, items: Sequence[Item]) -> Mapping[str, Item]:
        def read(cursor: sqlite3.Cursor) -> Mapping[str, Item]:
            found = {item["pk"]["S"]: find(cursor, item) for item in items}
            return {pk: item for pk, item in found.items() if item}

        return self._store.read(read)

    def write(self, changes: Sequence[Change], games: Sequence[Game]) -> None:

        def write(cursor: sqlite3.Cursor) -> None:
            for _, item in changes:
                put(cursor, item)
            for game in games:
                keep_timer(cursor, game)

        self._store.write(write)

    def _page(self, last: str) -> list[tuple[str, str]]:
        return self._store.read(
            lambda cursor: cursor.execute(
                "SELECT pk, item FROM items WHERE pk > ? ORDER BY pk LIMIT ?", (last, _PAGE)
            ).fetchall()
        )
