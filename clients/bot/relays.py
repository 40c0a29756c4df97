"""Relays: connected again and again, subscribed before anything is sent."""

import asyncio
import contextlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from arbiter.nostr.strict_json import read_json
from clients.bot.events import Event, read_event
from clients.bot.messages import STATE

SUBSCRIPTION = "play"
MAX_MESSAGE = 1 << 18
KEPT_IDS = 4_096
# A game may be on: often at first, and for a relay that stays away seldom.
PAUSE_SECONDS = 1.0
TRIES = 60
LONG_PAUSE_SECONDS = 30.0
EOSE_SECONDS = 10
OPEN_SECONDS = 10
# A game may be on: a relay that falls silent is left within eight seconds.
PING_SECONDS = 3.0
PONG_SECONDS = 4.0
CLOSE_SECONDS = 1.0


class Relays:
    """All relays of one client; an event that several send is told once."""

    def __init__(
        self,
        urls: tuple[str, ...],
        arbiter: str,
        wanted: Mapping[str, object],
        on_ready: Callable[[], None],
        on_event: Callable[[Event], None],
        say: Callable[[str], None],
    ) -> None:
        """Connects nowhere yet."""
        self._urls = urls
        self._arbiter = arbiter
        self._filter = {"authors": [arbiter], **wanted}
        self._on_ready = on_ready
        self._on_event = on_event
        self._say = say
        self._open: dict[str, ClientConnection] = {}
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._sending: set[asyncio.Task[None]] = set()
        self._said = ""

    async def run(self) -> None:
        """Keeps every relay connected, for ever."""
        await asyncio.gather(*map(self._keep, self._urls))

    def send(self, event: dict[str, object]) -> None:
        text = json.dumps(["EVENT", event])
        for relay in self._open.values():
            task = asyncio.get_running_loop().create_task(_send(relay, text))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def until_sent(self) -> None:
        """Waits until all that was to be sent is on its way, for a second at the most."""
        if self._sending:
            await asyncio.wait(self._sending, timeout=1)

    async def _keep(self, url: str) -> None:
        tries = 0
        while True:
            try:
                async with connect(
                    url,
                    max_size=MAX_MESSAGE,
                    open_timeout=OPEN_SECONDS,
                    close_timeout=CLOSE_SECONDS,
                    ping_interval=PING_SECONDS,
                    ping_timeout=PONG_SECONDS,
                ) as relay:
                    tries = 0
                    await self._listen(url, relay)
            except (OSError, TimeoutError, WebSocketException) as error:
                if not tries:
                    self._say(f"{url}: {type(error).__name__}, tries again")
            finally:
                self._open.pop(url, None)
            tries += 1
            await asyncio.sleep(PAUSE_SECONDS if tries < TRIES else LONG_PAUSE_SECONDS)

    async def _listen(self, url: str, relay: ClientConnection) -> None:
        await relay.send(json.dumps(["REQ", SUBSCRIPTION, self._filter]))
        silent = asyncio.get_running_loop().call_later(EOSE_SECONDS, self._ready, url, relay)
        try:
            async for text in relay:
                self._read(url, relay, text)
        finally:
            silent.cancel()

    def _ready(self, url: str, relay: ClientConnection) -> None:
        if url not in self._open:
            self._open[url] = relay
            self._on_ready()

    def _read(self, url: str, relay: ClientConnection, text: str | bytes) -> None:
        match read_json(text, MAX_MESSAGE):
            case ["EVENT", str(), dict() as value]:
                self._take(value, stored=url not in self._open)
            case ["EOSE", str()]:
                self._ready(url, relay)
            case ["OK", str(), False, str() as why]:
                self._say_once(f"{url} refuses: {why[:120]!r}")
            case ["CLOSED", str(), str() as why]:
                self._say(f"{url} closes the subscription: {why[:120]!r}")
                self._open.pop(url, None)
            case _:
                pass

    def _say_once(self, text: str) -> None:
        """Says it, unless it was the last that was said here."""
        if text != self._said:
            self._said = text
            self._say(text)

    def _take(self, value: dict[str, object], *, stored: bool) -> None:
        name = value.get("id")
        # A stored `started:` may be of a game long over; after `EOSE` the bot asks anyway.
        if not isinstance(name, str) or name in self._seen:
            return
        if stored and value.get("kind") != STATE:
            return
        event = read_event(value)
        if event is None or event.pubkey != self._arbiter:
            return
        self._seen[name] = None
        if len(self._seen) > KEPT_IDS:
            self._seen.popitem(last=False)
        self._on_event(event)


async def _send(relay: ClientConnection, text: str) -> None:
    with contextlib.suppress(OSError, WebSocketException):
        await relay.send(text)
