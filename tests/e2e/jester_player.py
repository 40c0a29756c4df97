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
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from coincurve import PrivateKey, PublicKeyXOnly
from websockets.asyncio.client import ClientConnection, connect

from tests.e2e.jester_spelling import (
    JESTER,
    WHITE,
    Draft,
    Event,
    Filter,
    Spelling,
    View,
)

TEXT_NOTE, PGN_NOTE = 1, 64
_PATIENCE_SECONDS = 30.0


class Complaint(Exception):
    """A relay gave what NIP-01 does not let it give; the text is what."""


def signed(
    secret: PrivateKey, kind: int, tags: Sequence[Sequence[str]], content: str, created_at: int
) -> Event:
    """An event of NIP-01 by this key."""
    pubkey = PublicKeyXOnly.from_secret(secret.secret).format().hex()
    event: Event = {
        "pubkey": pubkey,
        "created_at": created_at,
        "kind": kind,
        "tags": [list(tag) for tag in tags],
        "content": content,
    }
    event_id = hashlib.sha256(_serialized(event)).digest()
    return {"id": event_id.hex(), **event, "sig": secret.sign_schnorr(event_id).hex()}


def is_signed(event: Event) -> bool:
    """Whether id and signature are this event's."""
    event_id = hashlib.sha256(_serialized(event)).digest()
    key = PublicKeyXOnly(bytes.fromhex(event["pubkey"]))
    return event["id"] == event_id.hex() and key.verify(bytes.fromhex(event["sig"]), event_id)


def _serialized(event: Event) -> bytes:
    fields = [0, *(event[name] for name in ("pubkey", "created_at", "kind", "tags", "content"))]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


class JesterPlayer:
    """One player in one game. ``heard`` are all events in the order of their arrival, each once;
    ``sent`` are this player's own as they were sent.
    """

    def __init__(self, spelling: Spelling, clock: Callable[[], float] = time.time) -> None:
        self.spelling = spelling
        self.start: Event | None = None
        self.heard: list[Event] = []
        self.sent: list[Event] = []
        self._secret = PrivateKey()
        self._clock = clock
        self._sockets: list[ClientConnection] = []
        self._news = asyncio.Condition()
        self._complaint: Complaint | None = None

    @property
    def pubkey(self) -> str:
        """The player's key, 64 hex."""
        return PublicKeyXOnly.from_secret(self._secret.secret).format().hex()

    @property
    def view(self) -> View:
        """The game as this player's client shows it."""
        assert self.start is not None
        events = [event for event in self.heard if event["kind"] == JESTER]
        return self.spelling.view(self.start, events, self.pubkey)

    def signed(self, draft: Draft, created_at: int | None = None) -> Event:
        """The draft as an event of this player's, dated now or then."""
        content = json.dumps(draft.content, separators=(",", ":"))
        date = int(self._clock()) if created_at is None else created_at
        return signed(self._secret, JESTER, draft.tags, content, date)

    def draft_start(self, color: str = WHITE, opponent: str | None = None) -> Event:
        """A new game's start, which is this player's game from now on."""
        self.start = self.signed(self.spelling.start(os.urandom(4).hex(), color, opponent))
        return self.start

    def draft_move(self, uci: str) -> Event:
        """The next move, on what this client shows."""
        return self.signed(self.spelling.move(self.view, uci, self.pubkey))

    def hear(self, event: Event) -> None:
        """An event that came, from any relay."""
        if not is_signed(event):
            raise Complaint(f"not signed: {event}")
        if event not in self.heard:
            self.heard.append(event)

    # On relays.

    @contextlib.asynccontextmanager
    async def connected(self, relays: Sequence[str]) -> AsyncIterator["JesterPlayer"]:
        """Have a socket to each of these relays until the end of the block."""
        async with contextlib.AsyncExitStack() as stack:
            self._sockets = [await stack.enter_async_context(connect(url)) for url in relays]
            readers = [asyncio.create_task(self._read(socket)) for socket in self._sockets]
            try:
                await self._ask("lobby", self.spelling.start_filters(self.pubkey))
                if self.start is not None:
                    await self.follow(self.start)
                yield self
            finally:
                for reader in readers:
                    reader.cancel()
                await asyncio.gather(*readers, return_exceptions=True)

    async def publish(self, event: Event) -> Event:
        """Send an event, this player's own or not, to all relays."""
        self.sent.append(event)
        for socket in self._sockets:
            await socket.send(json.dumps(["EVENT", event]))
        return event

    async def follow(self, start: Event) -> None:
        """Have this game, and what is said of it."""
        self.start = start
        about: list[Filter] = [
            {"kinds": [JESTER, TEXT_NOTE, PGN_NOTE], "#e": [start["id"]]},
            {"kinds": [PGN_NOTE], "#p": [self.pubkey]},
        ]
        await self._ask("game", about)

    async def challenge(self, color: str = WHITE, opponent: str | None = None) -> Event:
        """Publish a start and follow its game."""
        start = self.draft_start(color, opponent)
        await self.publish(start)
        await self.follow(start)
        return start

    async def move(self, uci: str) -> Event:
        """Publish the next move."""
        return await self.publish(self.draft_move(uci))

    async def until_ply(self, ply: int) -> View:
        """Wait until this client shows so many half-moves."""
        return await self.until_shown(lambda view: view.ply >= ply)

    async def until_shown(self, is_wanted: Callable[[View], bool]) -> View:
        """Wait until this client's board is like that."""
        await self._until(lambda: is_wanted(self.view))
        return self.view

    async def until(self, is_wanted: Callable[[Event], bool]) -> Event:
        """Wait for an event, one that came before or a new one."""
        await self._until(lambda: any(map(is_wanted, self.heard)))
        return next(filter(is_wanted, self.heard))

    async def _ask(self, name: str, filters: Sequence[Filter]) -> None:
        for socket in self._sockets:
            await socket.send(json.dumps(["REQ", name, *filters]))

    async def _until(self, is_so: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS), self._news:
                await self._news.wait_for(lambda: self._complaint is not None or is_so())
        except TimeoutError:
            shown = self.view if self.start else None
            raise AssertionError(f"it did not come; heard {self.heard}, shown {shown}") from None
        if self._complaint is not None:
            raise self._complaint

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
            self.hear(message[2])
        # NIP-01 has a duplicate accepted; nostr-relay says that it is not.
        elif message[0] == "OK" and not message[2] and not message[3].startswith("duplicate:"):
            raise Complaint(f"refused: {message}")
