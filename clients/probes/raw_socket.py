"""One socket of a relay and a player on it, frame by frame, with no Nostr library but for keys."""

import asyncio
import contextlib
import json
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import nostr_sdk  # type: ignore[import-untyped]
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, MOVE, REQUEST_TO_PLAY

PATIENCE_SECONDS = 30

Message = list[Any]
Event = dict[str, Any]


def signed(
    keys: Any, kind: int, content: str, tags: Sequence[Sequence[str]], *, age_seconds: int = 0
) -> Event:
    """An event of this kind by the owner of these keys, so old, as JSON."""
    draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
    draft = draft.tags([nostr_sdk.Tag.parse(list(tag)) for tag in tags])
    date = nostr_sdk.Timestamp.from_secs(int(time.time()) - age_seconds)
    event: Event = json.loads(draft.custom_created_at(date).finalize(keys).as_json())
    return event


class RawSocket:
    """A player on a socket, made by `opened`. ``passed_over`` are messages before one that was
    waited for; ``sent`` is the last event's id.
    """

    def __init__(self, socket: ClientConnection, endpoints: Endpoints, keys: Any) -> None:
        self.keys = keys
        self.passed_over: list[Message] = []
        self.sent = ""
        self._early: deque[Message] = deque()
        self._socket = socket
        self._endpoints = endpoints

    @property
    def pubkey(self) -> str:
        """The player, 64 hex."""
        return str(self.keys.public_key().to_hex())

    async def say(self, *message: Any) -> None:
        """Send one message, as JSON."""
        await self.send(json.dumps(message))

    async def send(self, frame: str | bytes) -> None:
        await self._socket.send(frame)

    async def hear(self) -> Message:
        """The next message, whatever it is."""
        if self._early:
            return self._early.popleft()
        async with asyncio.timeout(PATIENCE_SECONDS):
            frame = await self._socket.recv()
        message = json.loads(frame)
        assert isinstance(message, list), frame
        return message

    async def until(self, *beginning: Any) -> Message:
        """The next message that begins like this, passing over what comes before it."""
        wanted = list(beginning)
        while (message := await self.hear())[: len(wanted)] != wanted:
            self.passed_over.append(message)
        return message

    async def event(self, subscription: str, *kinds: int) -> Event:
        """The next event of one of these kinds that this subscription brings."""
        while True:
            message = await self.until("EVENT", subscription)
            event: Event = message[2]
            if event["kind"] in kinds:
                return event
            self.passed_over.append(message)

    async def until_closed(self) -> list[Message]:
        """The messages that still come until the server has closed the socket."""
        heard: list[Message] = []
        with contextlib.suppress(ConnectionClosed):
            while True:
                heard.append(await self.hear())
        return heard

    def drop(self) -> None:
        """Lose the socket without a close frame."""
        self._socket.transport.abort()

    def signed(self, kind: int, content: str, *tags: list[str]) -> Event:
        """An event of this player's, dated now."""
        return signed(self.keys, kind, content, tags)

    async def publish(self, event: Event) -> Message:
        """Send an event; the OK about it. What comes before that is heard after it."""
        self.sent = event["id"]
        await self.say("EVENT", event)
        before: list[Message] = []
        while (message := await self.hear())[:2] != ["OK", event["id"]]:
            before.append(message)
        self._early.extendleft(reversed(before))
        return message

    async def subscribe(self, subscription: str, **wanted: Any) -> list[Event]:
        """Open a subscription with one filter; the events before EOSE."""
        named = {name.replace("tag_", "#"): value for name, value in wanted.items()}
        return await self.request(subscription, named)

    async def request(self, subscription: str, *filters: Mapping[str, Any]) -> list[Event]:
        """Open a subscription with these filters; the events before EOSE."""
        await self.say("REQ", subscription, *filters)
        shown: list[Event] = []
        while (message := await self.hear())[0] != "EOSE":
            if message[:2] == ["EVENT", subscription]:
                shown.append(message[2])
            else:
                self.passed_over.append(message)
        assert message == ["EOSE", subscription]
        return shown

    async def ask_to_play(self, *terms: list[str]) -> Message:
        """Send a request to play; the OK about it."""
        server = ["p", self._endpoints.server]
        return await self.publish(self.signed(REQUEST_TO_PLAY, "", server, *terms))

    async def move(self, state: Event, uci: str) -> Message:
        """Answer this state with a move; the OK about it."""
        (_, game), (_, white), (_, black) = state["tags"][:3]
        tags = [["d", game], ["p", self._endpoints.server], ["p", white], ["p", black]]
        return await self.publish(self.signed(MOVE, uci, *tags, ["e", state["id"]]))


@contextlib.asynccontextmanager
async def opened(endpoints: Endpoints, keys: Any = None) -> AsyncIterator[RawSocket]:
    """A socket until the end of the block, for these keys or new ones."""
    async with connect(endpoints.websocket, compression=None) as socket:
        yield RawSocket(socket, endpoints, keys or nostr_sdk.Keys.generate())


@contextlib.asynccontextmanager
async def seated(endpoints: Endpoints) -> AsyncIterator[tuple[RawSocket, RawSocket, Event]]:
    """White and black, each subscribed under ``mine``, and the first state of their game."""
    # Terms of their own, so that they meet no other player in the pool.
    terms = ["time", f"{random.randint(3_600, 10_800)}+{random.randint(0, 180)}"]
    async with opened(endpoints) as one, opened(endpoints) as other:
        for player in (one, other):
            await player.subscribe("mine", tag_p=[player.pubkey])
            await player.ask_to_play(terms)
        states = [await player.event("mine", GAME_STATE) for player in (one, other)]
        assert states[0]["id"] == states[1]["id"]
        is_white = states[0]["tags"][1] == ["p", one.pubkey]
        yield (one, other, states[0]) if is_white else (other, one, states[0])
