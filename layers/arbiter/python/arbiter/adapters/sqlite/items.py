"""The table of items, which is DynamoDB's table in SQLite: one text of DynamoDB JSON an item.

Invariant: unknown attributes survive: a change writes those that differ between its two items.
"""

import sqlite3
from threading import Lock
from typing import Any

import orjson

from arbiter.adapters.items.attributes import Item, octets_text, with_octets
from arbiter.nostr.strict_json import write_ascii

_COLUMNS = ("item", "white", "black", "began", "live", "ladder", "rating", "expires_at")

_INDEXED = ("w", "b", "c", "l", "ladder", "rating", "expires_at")
"""The attributes that `_columns` copies."""

_PUT = (
    f"INSERT INTO items (pk, {', '.join(_COLUMNS)}) VALUES (?{', ?' * len(_COLUMNS)})"  # noqa: S608 - our own names
    f" ON CONFLICT (pk) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)}"
)

_Columns = tuple[Any, ...]


def text_of_item(item: Item) -> str:
    return write_ascii(item, octets_text)


def item_of_text(text: str) -> Item:
    """The inverse of ``text_of_item``. The item is shared: it is not to be changed."""
    item = _read_lately.get(text)
    if item is None:
        item = with_octets(orjson.loads(text))
        _read_lately.keep(text, item)
    return item


def find(cursor: sqlite3.Cursor, key: Item) -> Item | None:
    row = cursor.execute("SELECT item FROM items WHERE pk = ?", (_pk(key),)).fetchone()
    return item_of_text(row[0]) if row else None


def exists(cursor: sqlite3.Cursor, key: Item) -> bool:
    return bool(cursor.execute("SELECT 1 FROM items WHERE pk = ?", (_pk(key),)).fetchone())


def put(cursor: sqlite3.Cursor, item: Item) -> None:
    cursor.execute(_PUT, (_pk(item), _written(item), *_columns(item)))


def delete(cursor: sqlite3.Cursor, key: Item) -> None:
    cursor.execute("DELETE FROM items WHERE pk = ?", (_pk(key),))


def has_version(stored: Item | None, version: int) -> bool:
    """Whether the stored item has this version; 0 means that there is none."""
    if stored is None:
        return version == 0
    return stored.get("v") == {"N": str(version)}


def change(cursor: sqlite3.Cursor, stored: Item | None, before: Item, after: Item) -> Item:
    """Write what differs between the two items to the stored one; the item that is stored now."""
    if stored is None:
        put(cursor, after)
        return after
    item = after
    if stored != before:
        item = {name: it for name, it in stored.items() if name in after or name not in before}
        item |= {name: it for name, it in after.items() if before.get(name) != it}
    if all(item.get(name) == stored.get(name) for name in _INDEXED):
        cursor.execute("UPDATE items SET item = ? WHERE pk = ?", (_written(item), _pk(item)))
    else:
        put(cursor, item)
    return item


def delete_expired(cursor: sqlite3.Cursor, now_ms: int, most: int) -> int:
    """Delete what has expired, the oldest first; how many items, at most ``most``."""
    cursor.execute(
        "DELETE FROM items WHERE rowid IN "
        "(SELECT rowid FROM items WHERE expires_at < ? ORDER BY expires_at LIMIT ?)",
        (now_ms // 1000, most),
    )
    return cursor.rowcount


def _written(item: Item) -> str:
    """The item's text, which is most likely read next."""
    text = text_of_item(item)
    _read_lately.keep(text, item)
    return text


def _pk(item: Item) -> str:
    # A name from a stranger may hold lone surrogates, which SQLite does not take. As a JSON string
    # it begins with a quotation mark, so such names are encoded too.
    pk: str = item["pk"]["S"]
    return pk if pk.isascii() and not pk.startswith('"') else write_ascii(pk)


def _columns(item: Item) -> _Columns:
    return (
        item.get("w", {}).get("B"),
        item.get("b", {}).get("B"),
        _number(item, "c"),
        _number(item, "l", of="S"),
        item.get("ladder", {}).get("S"),
        _number(item, "rating", as_=float),
        _number(item, "expires_at"),
    )


def _number(item: Item, name: str, of: str = "N", as_: Any = int) -> Any:  # noqa: ANN401 - int or float
    text = item.get(name, {}).get(of)
    return None if text is None else as_(text)


class Decoded:
    """The items of the texts that were written or read last. Thread-safe."""

    def __init__(self, most_chars: int) -> None:
        """Keeps the latest texts that have at most so many characters together."""
        self._most_chars = most_chars
        self._chars = 0
        self._items: dict[str, Item] = {}
        self._lock = Lock()

    def get(self, text: str) -> Item | None:
        return self._items.get(text)

    def keep(self, text: str, item: Item) -> None:
        with self._lock:
            if self._items.pop(text, None) is None:
                self._chars += len(text)
            self._items[text] = item
            while self._chars > self._most_chars:
                oldest = next(iter(self._items))
                del self._items[oldest]
                self._chars -= len(oldest)


_read_lately = Decoded(most_chars=4_000_000)
"""Those of some 2,000 games; an item takes about as much again as its text."""
