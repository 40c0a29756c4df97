"""The items of a server's SQLite file, and the messages that wait there for the bridge, to be
exported and imported. The server must not run.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.sqlite.items import find, item_of_text, put
from arbiter.adapters.sqlite.queues import keep
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.core.game import Game
from server.export_file import TransferFailed, message_item, waiting_message
from server.transfer import Change

_PAGE = 200


class FileItems:
    """The items of one open file, its timers and its outbox. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def everything(self) -> Iterator[Item]:
        """All items, and messages in their order. Raises TransferFailed if something that was
        received is unanswered.
        """
        (waiting,) = self._store.read(
            lambda cursor: cursor.execute("SELECT count(*) FROM inbox").fetchone()
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
        number = 0
        while messages := self._messages(number):
            number = messages[-1][0]
            for _, message_id, body in messages:
                yield message_item(message_id, body)

    def stored(self, items: Sequence[Item]) -> Mapping[str, Item]:
        def read(cursor: sqlite3.Cursor) -> Mapping[str, Item]:
            found = {item["pk"]["S"]: _found(cursor, item) for item in items}
            return {pk: item for pk, item in found.items() if item}

        return self._store.read(read)

    def write(self, changes: Sequence[Change], games: Sequence[Game]) -> None:
        """Write these items, messages among them, and the timers of these games, in one
        transaction.
        """

        def write(cursor: sqlite3.Cursor) -> None:
            for _, item in changes:
                if message := waiting_message(item):
                    keep(cursor, [message])
                else:
                    put(cursor, item)
            for game in games:
                keep_timer(cursor, game)

        self._store.write(write)

    def _messages(self, number: int) -> list[tuple[int, str, str]]:
        return self._store.read(
            lambda cursor: cursor.execute(
                "SELECT number, id, body FROM outbox WHERE number > ? ORDER BY number LIMIT ?",
                (number, _PAGE),
            ).fetchall()
        )

    def _page(self, last: str) -> list[tuple[str, str]]:
        return self._store.read(
            lambda cursor: cursor.execute(
                "SELECT pk, item FROM items WHERE pk > ? ORDER BY pk LIMIT ?", (last, _PAGE)
            ).fetchall()
        )


def _found(cursor: sqlite3.Cursor, item: Item) -> Item | None:
    message = waiting_message(item)
    if message is None:
        return find(cursor, item)
    row = cursor.execute("SELECT id, body FROM outbox WHERE id = ?", (message.id,)).fetchone()
    return message_item(*row) if row else None
