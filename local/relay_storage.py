"""The relay's storage, by its configuration, in which ephemeral events go to subscribers first and
are written many at a time: half a millisecond of processor time, not 2 to 3.

Invariant: a query first waits for what was accepted before it, and passes over what is accepted
while it runs. So a subscription finds what came before it, and is sent once what comes later.
"""

import asyncio
import importlib
from collections.abc import AsyncIterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

_PAUSE_SECONDS = 0.25
_REMEMBERED = 50_000
"""Ids by which a second copy is known: as many as in some minutes, for which events are kept."""

_FIELDS = {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}
_EPHEMERAL = range(20_000, 30_000)


def storage(options: dict[str, Any]) -> Any:  # noqa: ANN401 - nostr-relay's
    """nostr-relay's storage on SQLite, with what every move passes through replaced."""
    database: Any = importlib.import_module("nostr_relay.storage.db")
    config: Any = importlib.import_module("nostr_relay.config")
    util: Any = importlib.import_module("nostr_relay.util")
    checks = [util.object_from_path(path) for path in options["validators"]]
    _make_tables()
    made = database.DBStorage(options)

    async def check(event: Any, _: object) -> None:  # noqa: ANN401 - nostr-relay's
        for raise_if_wrong in checks:
            raise_if_wrong(event, config.Config)

    made.validate_event = check
    faster = EphemeralFirst(made, database.Event)
    made.add_event = faster.add_event
    made.run_query = faster.run_query
    made.notify_all_connected = faster.notify
    return made


def _make_tables() -> None:
    """As nostr-relay's command does for the storage that is its own by name."""
    alembic: Any = importlib.import_module("alembic.config")
    folder = Path(importlib.import_module("nostr_relay").__file__ or "").parent
    alembic.main([f"-c{folder / 'alembic.ini'}", "upgrade", "head"])


class EphemeralFirst:
    """Methods that replace those of the same names of nostr-relay's storage."""

    def __init__(self, stored: Any, event: Any) -> None:  # noqa: ANN401 - nostr-relay's
        self._stored = stored
        self._event = event
        self._add_event = stored.add_event
        self._run_query = stored.run_query
        self._known: dict[str, None] = {}
        self._later: dict[int, set[str]] = {}
        """The ids that were accepted during each query, by its number."""
        self._queries = count()
        self._unwritten: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def add_event(self, event_json: Any, auth_token: Any = None) -> Any:  # noqa: ANN401
        """The event, and whether it is new. Raises as nostr-relay does."""
        if not _is_ephemeral(event_json):
            return await self._add_event(event_json, auth_token=auth_token)
        event = self._event(**event_json)
        await self._stored.validate_event(event, None)
        rows = _rows(event)
        if event.id in self._known:
            return event, False
        self._known[event.id] = None
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]
        for later in self._later.values():
            later.add(event.id)
        self._unwritten.append(rows)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._keep_writing())
        await self.notify(event)
        return event, True

    async def notify(self, event: Any) -> None:  # noqa: ANN401 - nostr-relay's
        for subscriptions in self._stored.clients.values():
            for one in subscriptions.values():
                if one.check_event(event, one.filters):
                    one.queue.put_nowait((one.sub_id, event))

    async def run_query(self, query: Any, if_long: Any = None) -> AsyncIterator[Any]:  # noqa: ANN401
        """Return what was accepted until now."""
        number = next(self._queries)
        later = self._later[number] = set()
        try:
            await self._write()
            async for event in self._run_query(query, if_long=if_long):
                if event.id not in later:
                    yield event
        finally:
            del self._later[number]

    async def _keep_writing(self) -> None:
        while self._unwritten:
            await asyncio.sleep(_PAUSE_SECONDS)
            await self._write()

    async def _write(self) -> None:
        async with self._stored.add_slot:
            rows, self._unwritten = self._unwritten, []
            if not rows:
                return
            events = [event for event, _ in rows]
            tags = [tag for _, tags in rows for tag in tags]
            try:
                async with self._stored.db.begin() as connection:
                    await connection.execute(self._stored.event_insert_query, events)
                    if tags:
                        await connection.execute(self._stored.tag_insert_query, tags)
            except Exception:
                self._stored.log.exception("ephemeral events are not kept")


def _is_ephemeral(event: object) -> bool:
    """Whether this is an ephemeral event that SQLite can hold; nostr-relay judges all else."""
    return (
        isinstance(event, Mapping)
        and event.keys() == _FIELDS
        and isinstance(event["kind"], int)
        and event["kind"] in _EPHEMERAL
        and isinstance(event["content"], str)
        and isinstance(event["tags"], list)
        and all(
            isinstance(tag, list) and tag and all(isinstance(part, str) for part in tag)
            for tag in event["tags"]
        )
    )


def _rows(event: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:  # noqa: ANN401 - nostr-relay's
    """The event's row, and those of its tags that can be asked for or say when it expires."""
    key = bytes.fromhex(event.id)
    row = {
        "id": key,
        "created_at": event.created_at,
        "pubkey": bytes.fromhex(event.pubkey),
        "sig": bytes.fromhex(event.sig),
        "content": event.content,
        "kind": event.kind,
        "tags": event.tags,
    }
    found = {
        (tag[0], "".join(tag[1:2]))
        for tag in event.tags
        if len(tag[0]) == 1 or (tag[0] in {"delegation", "expiration"} and tag[1:])
    }
    return row, [{"id": key, "name": name, "value": value} for name, value in found]
