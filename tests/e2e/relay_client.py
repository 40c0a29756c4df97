"""A raw client of NIP-01 and NIP-42, for what a library would not let one say to a relay."""

import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
from websockets.asyncio.client import ClientConnection, connect

REQUEST_TO_PLAY = 20300
AUTH = 22242

Tags = Sequence[Sequence[str]]


def signed(
    keys: nostr_sdk.Keys, kind: int, content: str, tags: Tags, *, age_seconds: int = 0
) -> dict[str, Any]:
    """An event of this kind, so old, as JSON."""
    draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
    draft = draft.tags([nostr_sdk.Tag.parse(list(tag)) for tag in tags])
    date = nostr_sdk.Timestamp.from_secs(int(time.time()) - age_seconds)
    event: dict[str, Any] = json.loads(draft.custom_created_at(date).finalize(keys).as_json())
    return event


class RelayClient:
    """One socket. ``unread`` are the messages that nobody asked for yet."""

    def __init__(self, socket: ClientConnection) -> None:
        self.unread: list[list[Any]] = []
        self._socket = socket
        self._numbers = itertools.count()

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(cls, url: str) -> "AsyncIterator[RelayClient]":
        """Have a socket until the end of the block."""
        async with connect(url) as socket:
            yield cls(socket)

    async def say(self, *message: Any) -> None:
        """Send a message, as compact JSON."""
        await self.say_text(json.dumps(message, separators=(",", ":"), ensure_ascii=False))

    async def say_text(self, text: str) -> None:
        """Send a frame, whatever it is."""
        await self._socket.send(text)

    async def publish(self, event: dict[str, Any]) -> tuple[bool, str]:
        """Send an event; what the relay says to it."""
        await self.say("EVENT", event)
        return await self.verdict_on(event["id"])

    async def verdict_on(self, event_id: str) -> tuple[bool, str]:
        """The OK about this event."""
        _, _, accepted, text = await self._until(lambda m: m[0] == "OK" and m[1] == event_id)
        return accepted, text

    async def shown(self, *filters: dict[str, Any]) -> list[dict[str, Any]]:
        """What a new subscription is shown before EOSE; it is closed then."""
        name, events = await self.subscribe(*filters)
        await self.say("CLOSE", name)
        return events

    async def subscribe(self, *filters: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        """A subscription that stays open: its name, and what came before EOSE."""
        name = f"s{next(self._numbers)}"
        await self.say("REQ", name, *filters)
        await self._until(lambda m: m == ["EOSE", name])
        events = [m[2] for m in self.unread if m[:2] == ["EVENT", name]]
        self.unread = [m for m in self.unread if m[:2] != ["EVENT", name]]
        return name, events

    async def refused(self, *filters: dict[str, Any]) -> str:
        """Why a subscription with these filters is closed at once."""
        name = f"s{next(self._numbers)}"
        await self.say("REQ", name, *filters)
        return str((await self._until(lambda m: m[:2] == ["CLOSED", name]))[2])

    async def delivered(self, name: str) -> dict[str, Any]:
        """The next event of a subscription that is open."""
        event: dict[str, Any] = (await self._until(lambda m: m[:2] == ["EVENT", name]))[2]
        return event

    async def challenge(self) -> str:
        """The challenge of the relay (NIP-42)."""
        return str((await self._until(lambda m: m[0] == "AUTH"))[1])

    async def notice(self) -> str:
        """The relay's next word to people."""
        return str((await self._until(lambda m: m[0] == "NOTICE"))[1])

    async def _until(self, is_wanted: Callable[[list[Any]], bool]) -> list[Any]:
        for known in self.unread:
            if is_wanted(known):
                self.unread.remove(known)
                return known
        while True:
            message: list[Any] = json.loads(await self._socket.recv())
            if is_wanted(message):
                return message
            self.unread.append(message)
