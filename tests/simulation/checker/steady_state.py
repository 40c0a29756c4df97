"""The steady state: a game under way has its timer. When nobody plays any more and nothing waits,
what a server filled is empty again. Every collection of every part is looked at, also those that
nobody thought of.
"""

from collections import deque
from collections.abc import Iterator
from typing import Any

from arbiter.adapters.sqlite.items import item_of_text
from arbiter.adapters.sqlite.store import Store

_TABLES = ("inbox", "timers", "republish", "outbox", "dead_letters")

LATE_MS = 2 * 3_600_000
"""Expired items are deleted every hour."""

BOUNDED = {
    "AddressFrames",
    "ArbiterDeps.last_shown",
    "Backlog._holds",
    "Decoded._items",
    "FollowedGames",
    "GameCache",
    "Ingester",
    "KnownMates",
    "Listener",
    "Counters",
    "MemoryRateLimits._windows",
    "Meter._used_by",
    "Metrics",
    "PlayerCache",
    "PlayerLookup",
    "Processing._known",
    "Readers._idle",
    "RelayLink._tasks",
    "Spending.budget",
    "TakenEvents",
}
"""Caches, counters and memories with a bound of their own, by class or attribute."""


def left_in_file(store: Store, now_ms: int) -> Iterator[str]:
    for table in _TABLES:
        if rows := _rows(store, f"SELECT * FROM {table}"):  # noqa: S608 - our own names
            yield f"{len(rows)} rows in {table}, such as {str(rows[0])[:300]}"
    since = (now_ms - LATE_MS) // 1000
    expired = _rows(store, f"SELECT pk FROM items WHERE expires_at < {since}")  # noqa: S608
    if expired:
        yield f"{len(expired)} items that expired hours ago, such as {expired[0][0]}"


def games_without_timer(store: Store) -> set[str]:
    """The games whose clocks run, and that no timer and no record looks at."""
    rows = _rows(store, """SELECT item FROM items WHERE pk LIKE 'g#%' AND item LIKE '%"tn"%'""")
    games = [item for (text,) in rows if "tn" in (item := item_of_text(text)) and "o" not in item]
    kept = _rows(store, "SELECT game_id FROM timers UNION SELECT group_id FROM inbox")
    return {item["pk"]["S"].removeprefix("g#") for item in games} - {id_ for (id_,) in kept}


def _rows(store: Store, query: str) -> list[Any]:
    return store.read(lambda cursor: cursor.execute(query).fetchall())


def left_in_memory(parts: Any) -> Iterator[str]:
    """Each collection that is not empty, by class and attribute."""
    seen: set[int] = set()
    ahead: list[Any] = [parts.transactions, parts.processing, parts.timekeeper, parts.gateway]
    ahead += [parts.sockets, parts.arbiter.connections, parts.to_relays]
    while ahead:
        one = ahead.pop()
        if id(one) in seen or one is None:
            continue
        seen.add(id(one))
        kind = type(one).__name__
        for name, value in _attributes(one):
            if {kind, f"{kind}.{name}"} & BOUNDED:
                continue
            is_bounded = isinstance(value, deque) and value.maxlen is not None
            if isinstance(value, dict | set | deque) and value and not is_bounded:
                yield f"{len(value)} in {kind}.{name}, such as {str(next(iter(value)))[:100]}"
            elif isinstance(value, list | tuple):
                ahead += [it for it in value if _is_ours(it)]
            elif _is_ours(value):
                ahead.append(value)


def _attributes(one: Any) -> Iterator[tuple[str, Any]]:
    names = [*getattr(one, "__dict__", {})]
    for kind in type(one).__mro__:
        slots = getattr(kind, "__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    for name in names:
        if hasattr(one, name):
            yield name, getattr(one, name)


def _is_ours(value: Any) -> bool:
    module = type(value).__module__
    return module.startswith(("arbiter.adapters", "arbiter.application", "server."))
