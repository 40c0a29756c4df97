from pathlib import Path
from typing import Any, Self

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.sqlite import items
from arbiter.adapters.sqlite.archive import SqliteArchive
from arbiter.adapters.sqlite.queues import SqliteInbox, SqliteOutbox, SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from tests.builders import NOW_MS
from tests.contract import candidates
from tests.fakes.clock import FakeClock


class SqliteFile:
    """One open file."""

    def __init__(self, path: Path) -> None:
        self.opened = Store.open(path)
        self.clock = FakeClock(NOW_MS)
        self._games = StoredGames(SqliteTable(self.opened))
        self._lobby = StoredLobby(SqliteTable(self.opened), self.clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    def store(self) -> candidates.Store:
        return candidates.Store(self._games, self._lobby, Items(self.opened), "items")

    def ladder(self) -> candidates.Ladder:
        return candidates.Ladder(
            StoredRatings(SqliteTable(self.opened)), Items(self.opened), "items"
        )

    def shelf(self) -> candidates.Shelf:
        return candidates.Shelf(SqliteArchive(self.opened), self._games, self._lobby)

    def queues(self) -> candidates.Queues:
        inbox = SqliteInbox(self.opened, self.clock)
        republish = SqliteRepublishQueue(self.opened, self.clock)
        outbox = SqliteOutbox(self.opened, self.clock)
        return candidates.Queues(
            events=inbox,
            republish=republish,
            outbox=outbox,
            arrived=lambda name: [one.body for one in inbox.unfinished() if one.queue == name],
            repeated=lambda: [one.body for one in republish.due(NOW_MS)],
            uttered=lambda: [one.body for one in outbox.first(100)],
        )


class Items:
    """The table of items, asked for as the tests ask DynamoDB's client."""

    def __init__(self, opened: Store) -> None:
        self._opened = opened

    def get_item(self, Key: Any, **_: Any) -> Any:  # noqa: N803 - botocore's names
        item = self._opened.read(lambda cursor: items.find(cursor, Key))
        return {"Item": item} if item else {}

    def put_item(self, Item: Any, **_: Any) -> None:  # noqa: N803 - as above
        self._opened.write(lambda cursor: items.put(cursor, Item))

    def scan(self, **_: Any) -> Any:
        rows = self._opened.read(lambda cursor: cursor.execute("SELECT item FROM items").fetchall())
        return {"Items": [items.item_of_text(text) for (text,) in rows]}

    def query(self, ExpressionAttributeValues: Any, **_: Any) -> Any:  # noqa: N803 - as above
        """The size of the index ``ladder`` at one speed."""
        speed = ExpressionAttributeValues[":speed"]["S"]
        self._opened.write(lambda _: None)  # an item leaves the index with the next group of writes
        (count,) = self._opened.read(
            lambda cursor: cursor.execute(
                "SELECT count(*) FROM items WHERE ladder = ?", (speed,)
            ).fetchone()
        )
        return {"Count": count}
