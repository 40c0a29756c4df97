"""The relays of a program: a task each, which dials again and again and subscribes before it sends.

It answers AUTH and CLOSED, and leaves a relay that falls silent: a half-open connection never
fails.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from arbiter.nostr import relay_messages
from arbiter.nostr.event import EventTemplate, NostrEvent, ParseError, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import MAX_FRAME_BYTES
from arbiter.nostr.nip42 import auth_template
from clients.player.drafts import PEOPLE
from clients.player.heard import CaughtUp, Delivered, Differs, FromRelay, LinkDown, LinkUp, Verdict
from clients.player.history import HandIn, Histories, hand_in

FIRST_PAUSE_SECONDS, PAUSE_SECONDS, LONG_PAUSE_SECONDS = 0.5, 4.0, 30.0
"""A game may be on: often at first, and for a relay that stays away seldom."""

TRIES = 60
STEADY_SECONDS = 30.0
"""A connection that held this long was a good one: the next loss is the first failure."""

DIAL_SECONDS = 10
PING_SECONDS, PONG_SECONDS, CLOSE_SECONDS = 3.0, 4.0, 1.0
"""A game may be on: a relay that falls silent is left within eight seconds."""

CATCH_UP_SECONDS = 3.0
"""Time for a relay to send what it has stored before it counts as having done so."""

RESUBSCRIBE_SECONDS = 2
"""Time after a CLOSED before the subscription is sent again."""

MAIN = "play"
"""The subscription to the arbiter; others that begin so are parts of it."""

MOVES = "moves"
"""The subscription to what others sign in the games of this program."""

_KEPT_EVENTS = 16


def pause_seconds(failures: int, chance: float) -> float:
    """The pause after so many failures; ``chance`` in 0..1 spreads clients over half of it."""
    longest = PAUSE_SECONDS if failures < TRIES else LONG_PAUSE_SECONDS
    pause: float = min(FIRST_PAUSE_SECONDS * 2 ** min(failures - 1, 10), longest)
    return pause * (0.5 + chance / 2)


class Relays:
    """All relays of one program."""

    def __init__(
        self,
        urls: tuple[str, ...],
        wanted: tuple[Filter, ...],
        sign: Callable[[EventTemplate], VerifiedEvent],
        tell: Callable[[FromRelay], None],
        *,
        arbiter: str = "",
        http: str | None = None,
    ) -> None:
        """Dials nowhere yet. ``sign`` is for AUTH (NIP-42), ``wanted`` the main subscription, or
        empty where keys `join`. The ``arbiter``'s histories are compared, and handed in at
        ``http``, or where it announces its pages.
        """
        self._tells = [tell]
        self._histories = Histories(arbiter, http) if arbiter else None
        self._handing_in = set[asyncio.Task[None]]()
        self._heard = set[str]()
        self._links = [_Link(url, wanted, sign, self._tell) for url in urls]

    def join(self, wanted: tuple[Filter, ...], tell: Callable[[FromRelay], None]) -> str:
        """Let one more key hear over the same connections; the end of its subscriptions' names."""
        self._tells.append(tell)
        end = str(len(self._tells))
        self.subscribe(MAIN + end, wanted)
        return end

    def _tell(self, came: FromRelay) -> None:
        # What is signed is kept before it is acted on.
        differs = self._compare(came.event) if isinstance(came, Delivered) else None
        for tell in self._tells:
            tell(came)
            if differs:
                tell(differs)

    def _compare(self, event: NostrEvent) -> Differs | None:
        if self._histories is None:
            return None
        found = self._histories.take(event)
        wanted = self._histories.wanted()
        games = {game for one in wanted for game in one.tags["d"]}
        if games - self._heard:
            self._heard = games
            self.subscribe(MOVES, wanted)
        if isinstance(found, HandIn) and (http := self._histories.http):
            task = asyncio.create_task(asyncio.to_thread(hand_in, http, found))
            self._handing_in.add(task)
            task.add_done_callback(self._handing_in.discard)
        return found if isinstance(found, Differs) else None

    async def run(self) -> None:
        """Keep every relay connected, for ever."""
        await asyncio.gather(*(link.run() for link in self._links))

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[None]:
        """Keep every relay connected until the end of the block, and until all is sent."""
        connecting = asyncio.create_task(self.run())
        try:
            yield
        finally:
            await self.until_sent()
            connecting.cancel()
            await asyncio.wait([connecting])

    def publish(self, event: VerifiedEvent) -> None:
        """Send an event to every relay that is there; an OK becomes a `Verdict`."""
        if self._histories is not None:
            self._histories.sent(event)
        for link in self._links:
            link.publish(event)

    def subscribe(self, name: str = MAIN, filters: tuple[Filter, ...] = ()) -> None:
        """Subscribe to these in place of former ones, or send the subscription again."""
        for link in self._links:
            link.subscribe(name, filters)

    async def until_sent(self) -> None:
        """Wait until all that was to be sent is on its way, for a second at the most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.gather(*(link.outbox.join() for link in self._links if link.outbox))


class _Link:
    """One relay; ``outbox`` is there while a connection is."""

    def __init__(
        self,
        url: str,
        wanted: tuple[Filter, ...],
        sign: Callable[[EventTemplate], VerifiedEvent],
        tell: Callable[[FromRelay], None],
    ) -> None:
        self.outbox: asyncio.Queue[str] | None = None
        self._url = url
        self._sign = sign
        self._tell = tell
        self._subscriptions: Mapping[str, tuple[Filter, ...]] = {MAIN: wanted} if wanted else {}
        self._sent: dict[str, VerifiedEvent] = {}
        self._unauthenticated: dict[str, VerifiedEvent] = {}
        self._catching_up: asyncio.TimerHandle | None = None
        self._unread: set[str] = set()

    async def run(self) -> None:
        failures = 0
        while True:
            began = time.monotonic()
            try:
                why = await self._connection()
            except (OSError, TimeoutError, ValueError, WebSocketException) as error:
                why = _plain(error)
            self._tell(LinkDown(self._url, why))
            failures = 1 if time.monotonic() - began >= STEADY_SECONDS else failures + 1
            await asyncio.sleep(pause_seconds(failures, random.random()))  # noqa: S311 - no secret

    def publish(self, event: VerifiedEvent) -> None:
        self._sent = {**dict(list(self._sent.items())[1 - _KEPT_EVENTS :]), event.id: event}
        self._send(relay_messages.event_message(event))

    def subscribe(self, name: str, filters: tuple[Filter, ...] = ()) -> None:
        filters = filters or self._subscriptions[name]
        self._subscriptions = {**self._subscriptions, name: filters}
        if name.startswith(MAIN) and self.outbox is not None:
            self._unread.add(name)
            if self._catching_up is not None:
                self._catching_up.cancel()
            loop = asyncio.get_running_loop()
            self._catching_up = loop.call_later(CATCH_UP_SECONDS, self._caught_up)
        self._send(relay_messages.req_message(name, *filters))

    async def _connection(self) -> str:
        """One connection from dialling to its end; why it ended."""
        async with connect(
            self._url,
            max_size=MAX_FRAME_BYTES,
            open_timeout=DIAL_SECONDS,
            close_timeout=CLOSE_SECONDS,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
        ) as socket:
            self.outbox = asyncio.Queue()
            writing = asyncio.create_task(_write(socket, self.outbox))
            try:
                # Before any event of ours, so that its answer finds the subscription.
                for name in self._subscriptions:
                    self.subscribe(name)
                self._tell(LinkUp(self._url))
                async for frame in socket:
                    self._read(frame)
            finally:
                writing.cancel()
                self.outbox = None
                self._stop_waiting()
        return "closed by the relay"

    def _read(self, frame: str | bytes) -> None:
        message = relay_messages.parse_relay_message(frame)
        match message:
            case relay_messages.RelayEvent(subscription, event):
                self._tell(Delivered(event, stored=subscription in self._unread))
            case relay_messages.EoseMessage(subscription) if subscription in self._unread:
                self._unread.discard(subscription)
                if not self._unread:
                    self._caught_up()
            case relay_messages.OkMessage():
                self._judge(message)
            case relay_messages.RelayAuth(challenge):
                self._authenticate(challenge)
            case relay_messages.ClosedMessage(subscription) if not subscription.startswith(PEOPLE):
                asyncio.get_running_loop().call_later(
                    RESUBSCRIBE_SECONDS, self._subscribe_again, subscription
                )
            case (
                relay_messages.ClosedMessage()
                | relay_messages.EoseMessage()
                | relay_messages.NoticeMessage()
                | ParseError()
            ):
                pass

    def _caught_up(self) -> None:
        if self._catching_up is not None:
            self._stop_waiting()
            self._tell(CaughtUp(self._url))

    def _stop_waiting(self) -> None:
        if self._catching_up is not None:
            self._catching_up.cancel()
            self._catching_up = None
        self._unread.clear()

    def _subscribe_again(self, name: str) -> None:
        if name in self._subscriptions:
            self.subscribe(name)

    def _judge(self, ok: relay_messages.OkMessage) -> None:
        status, event = relay_messages.publish_status(ok), self._sent.get(ok.event_id)
        if event is None:
            return
        if status is relay_messages.PublishStatus.AUTHENTICATE:
            self._unauthenticated[event.id] = event
        else:
            self._tell(Verdict(self._url, ok.event_id, status, ok.text))

    def _authenticate(self, challenge: str) -> None:
        """Authenticate, then send again what the relay refused before."""
        template = auth_template(self._url, challenge, int(time.time()))
        self._send(relay_messages.auth_message(self._sign(template)))
        waiting, self._unauthenticated = self._unauthenticated, {}
        for event in waiting.values():
            self._send(relay_messages.event_message(event))
        for name in self._subscriptions:
            self.subscribe(name)

    def _send(self, text: str) -> None:
        if self.outbox is not None:
            self.outbox.put_nowait(text)


async def _write(socket: ClientConnection, outbox: asyncio.Queue[str]) -> None:
    # What reads the socket finds out that it failed.
    with suppress(OSError, WebSocketException):
        while True:
            await socket.send(await outbox.get())
            outbox.task_done()


def _plain(error: Exception) -> str:
    """An error in a few words, without class names and numbers of socket libraries."""
    match error:
        case ConnectionRefusedError():
            return "connection refused"
        case TimeoutError():
            return "no answer"
        case ConnectionClosed(rcvd=None, sent=sent):
            return "silent" if sent and "ping timeout" in sent.reason else "connection lost"
        case ConnectionClosed():
            return "closed by the relay"
        case _:
            return str(error).splitlines()[0][:100] if str(error) else type(error).__name__
