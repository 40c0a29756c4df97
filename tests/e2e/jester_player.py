"""A player of kind 30 on real relays, in one of three spellings.

Invariant: it shares nothing with the arbiter. It imports none of our code, signs by itself and
keeps boards of its own; an event that is not signed is a `Complaint`.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from coincurve import PrivateKey, PublicKeyXOnly
from websockets.asyncio.client import ClientConnection, connect

from tests.e2e.jester_spelling import JESTER, WHITE, Draft, Event, Filter, Spelling, View

_PATIENCE_SECONDS = 30.0


class Complaint(Exception):
    """A relay gave what NIP-01 does not let it give; the text is what."""


def _event_id(event: Event) -> bytes:
    fields = [0, *(event[name] for name in ("pubkey", "created_at", "kind", "tags", "content"))]
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


class JesterPlayer:
    """One player in one game. ``heard`` are all events in the order of their arrival, each once."""

    def __init__(self, spelling: Spelling) -> None:
        self.spelling = spelling
        self.start: Event | None = None
        self.heard: list[Event] = []
        self._secret = PrivateKey()
        self.pubkey = PublicKeyXOnly.from_secret(self._secret.secret).format().hex()
        self._sockets: list[ClientConnection] = []
        self._news = asyncio.Condition()
        self._complaint: Complaint | None = None

    @property
    def view(self) -> View:
        """The game as this player's client shows it."""
        assert self.start is not None
        events = [event for event in self.heard if event["kind"] == JESTER]
        return self.spelling.view(self.start, events, self.pubkey)

    @contextlib.asynccontextmanager
    async def connected(self, relays: Sequence[str]) -> AsyncIterator["JesterPlayer"]:
        """Have a socket to each of these relays until the end of the block."""
        async with contextlib.AsyncExitStack() as stack:
            self._sockets = [await stack.enter_async_context(connect(url)) for url in relays]
            readers = [asyncio.create_task(self._read(socket)) for socket in self._sockets]
            try:
                await self._ask("lobby", self.spelling.start_filters(self.pubkey))
                yield self
            finally:
                for reader in readers:
                    reader.cancel()
                await asyncio.gather(*readers, return_exceptions=True)

    async def challenge(self, opponent: str) -> None:
        """Publish a start, with White, and follow its game."""
        draft = self.spelling.start(os.urandom(4).hex(), WHITE, opponent)
        self.start = await self._publish(draft)
        await self._ask("game", [{"kinds": [JESTER], "#e": [self.start["id"]]}])

    async def move(self, uci: str) -> None:
        """Publish the next move, on what this client shows."""
        await self._publish(self.spelling.move(self.view, uci, self.pubkey))

    async def until_ply(self, ply: int) -> None:
        """Wait until this client shows so many half-moves."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS), self._news:
                await self._news.wait_for(lambda: self._complaint or self.view.ply >= ply)
        except TimeoutError:
            told = f"ply {ply} did not come; heard {self.heard}, shown {self.view}"
            raise AssertionError(told) from None
        if self._complaint is not None:
            raise self._complaint

    async def _publish(self, draft: Draft) -> Event:
        event: Event = {
            "pubkey": self.pubkey,
            "created_at": int(time.time()),
            "kind": JESTER,
            "tags": draft.tags,
            "content": json.dumps(draft.content, separators=(",", ":")),
        }
        event_id = _event_id(event)
        event |= {"id": event_id.hex(), "sig": self._secret.sign_schnorr(event_id).hex()}
        for socket in self._sockets:
            await socket.send(json.dumps(["EVENT", event]))
        return event

    async def _ask(self, name: str, filters: Sequence[Filter]) -> None:
        for socket in self._sockets:
            await socket.send(json.dumps(["REQ", name, *filters]))

    async def _read(self, socket: ClientConnection) -> None:
        async for text in socket:
            async with self._news:
                try:
                    self._take(json.loads(text))
                except Complaint as complaint:
                    self._complaint = complaint
                self._news.notify_all()

    def _take(self, message: Any) -> None:
        if message[0] == "EVENT":
            event, event_id = message[2], _event_id(message[2])
            key = PublicKeyXOnly(bytes.fromhex(event["pubkey"]))
            is_signed = key.verify(bytes.fromhex(event["sig"]), event_id)
            if event["id"] != event_id.hex() or not is_signed:
                raise Complaint(f"not signed: {event}")
            if event not in self.heard:
                self.heard.append(event)
        # NIP-01 has a duplicate accepted; nostr-relay says that it is not.
        elif message[0] == "OK" and not message[2] and not message[3].startswith("duplicate:"):
            raise Complaint(f"refused: {message}")
