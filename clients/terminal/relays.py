"""The sockets: one thread a relay, which connects, subscribes, listens, and reconnects.

A thread turns frames into inputs on one queue, answers AUTH, CLOSED and pings, and closes a silent
connection: a half-open one delivers nothing for days and never fails.
"""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import websocket

from arbiter.nostr.event import EventTemplate, NostrEvent, ParseError, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip42 import auth_template
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    NoticeMessage,
    OkMessage,
    PublishStatus,
    RelayAuth,
    RelayEvent,
    auth_message,
    event_message,
    parse_relay_message,
    publish_status,
    req_message,
)
from clients.terminal.session import CaughtUp, LinkDown, LinkUp, Verdict

FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 30.0
LIVE_DELAY_SECONDS = 4.0
"""The longest while a live clock runs."""

STEADY_SECONDS = 30.0
"""A connection that held this long was a good one: the next loss is the first failure."""

DIAL_SECONDS = 10
LIVE_PING_SECONDS, CALM_PING_SECONDS = 3.0, 20.0
"""After this much silence a ping is sent: while a live clock runs, and otherwise."""

PONG_SECONDS = 4.0
"""After this much silence since a ping the connection is closed."""

LOOK_SECONDS = 0.5
"""Time between two looks at the silence: a live clock may begin meanwhile."""

RESUBSCRIBE_SECONDS = 2
"""Time after a CLOSED before the subscription is sent again."""

SUBSCRIPTION = "arbiter"
CHAT_SUBSCRIPTION = "chat"
"""Apart: chat is subscribed to game by game, and its stored events do not matter."""

PEOPLE_SUBSCRIPTION = "people"
"""Profiles and ratings: a relay that refuses this subscription is not asked again."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """An event as a relay sent it, not yet verified; ``stored`` if it came before EOSE."""

    event: NostrEvent
    stored: bool


FromRelay = LinkUp | LinkDown | CaughtUp | Verdict | Delivered


def delay_seconds(failures: int, chance: float, *, is_live: bool = False) -> float:
    """The pause after this many failures in a row. ``chance`` in 0..1 spreads clients over half the
    delay, so that they do not all come back at once.
    """
    most = LIVE_DELAY_SECONDS if is_live else MAX_DELAY_SECONDS
    longest: float = min(FIRST_DELAY_SECONDS * 2 ** min(failures - 1, 10), most)
    return longest * (0.5 + chance / 2)


class Relay:
    """One relay, for as long as the program runs."""

    def __init__(
        self,
        url: str,
        key: SecretKey,
        filters: tuple[Filter, ...],
        tell: Callable[[FromRelay], None],
    ) -> None:
        """``tell`` is called from the relay's own thread."""
        self.is_live = False
        """Whether a live clock runs: then silence is noticed within eight seconds."""
        self._url = url
        self._key = key
        self._filters = filters
        self._tell = tell
        self._stopped = threading.Event()
        self._socket: websocket.WebSocket | None = None
        self._stored = True
        self._asides: dict[str, tuple[Filter, ...]] = {}
        self._unauthenticated: dict[str, VerifiedEvent] = {}
        self._sent: dict[str, VerifiedEvent] = {}
        self._thread = threading.Thread(target=self._run, name=f"relay {url}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Close the connection and end the thread."""
        self._stopped.set()
        socket = self._socket
        if socket is not None:
            with suppress(OSError, websocket.WebSocketException):
                socket.close(timeout=1)

    def publish(self, event: VerifiedEvent) -> None:
        """Send an event, if there is a connection; its OK becomes a `Verdict`."""
        self._sent = {**dict(list(self._sent.items())[-7:]), event.id: event}
        self._send(event_message(event))

    def subscribe(self) -> None:
        """Send the main subscription again, so that stored events come again."""
        self._stored = True
        self._send(req_message(SUBSCRIPTION, *self._filters))

    def tune_in(self, filters: tuple[Filter, ...]) -> None:
        """Subscribe to this chat, in place of another."""
        self._aside(CHAT_SUBSCRIPTION, filters)

    def look_up(self, filters: tuple[Filter, ...]) -> None:
        """Subscribe to these players' profiles and ratings, in place of others'."""
        self._aside(PEOPLE_SUBSCRIPTION, filters)

    def _aside(self, name: str, filters: tuple[Filter, ...]) -> None:
        # A new dict: the relay's own thread may be reading the former one.
        self._asides = self._asides | {name: filters}
        self._subscribe_aside(name)

    def _subscribe_aside(self, name: str) -> None:
        if filters := self._asides.get(name):
            self._send(req_message(name, *filters))

    def _subscribe_asides(self) -> None:
        for name in self._asides:
            self._subscribe_aside(name)

    def _run(self) -> None:
        failures = 0
        while not self._stopped.is_set():
            began = time.monotonic()
            why = self._connection()
            if self._stopped.is_set():
                return
            self._tell(LinkDown(self._url, why))
            failures = 1 if time.monotonic() - began >= STEADY_SECONDS else failures + 1
            chance = random.random()  # noqa: S311 - no secret
            self._stopped.wait(delay_seconds(failures, chance, is_live=self.is_live))

    def _connection(self) -> str:
        """One connection from dialling to its end; why it ended."""
        try:
            socket = websocket.create_connection(
                self._url, timeout=DIAL_SECONDS, enable_multithread=True
            )
        except (OSError, ValueError, websocket.WebSocketException) as error:
            return _plain(error)
        self._socket = socket
        try:
            socket.settimeout(LOOK_SECONDS)
            # Before any event of ours, so that its answer finds the subscription.
            self.subscribe()
            self._subscribe_asides()
            self._tell(LinkUp(self._url))
            return self._listen(socket)
        except (OSError, ValueError, websocket.WebSocketException) as error:
            return _plain(error)
        finally:
            self._socket = None
            with suppress(OSError, websocket.WebSocketException):
                socket.close(timeout=1)
            # After the relay's close frame, close() leaves the TCP socket open.
            socket.shutdown()  # type: ignore[no-untyped-call]

    def _listen(self, socket: websocket.WebSocket) -> str:
        heard, pinged = time.monotonic(), None
        while not self._stopped.is_set():
            try:
                opcode, frame = socket.recv_data(control_frame=True)
            except websocket.WebSocketTimeoutException:
                now = time.monotonic()
                if pinged is not None and now - pinged >= PONG_SECONDS:
                    socket.shutdown()  # type: ignore[no-untyped-call]  # nothing to wait for
                    return "silent"
                ping_after = LIVE_PING_SECONDS if self.is_live else CALM_PING_SECONDS
                if pinged is None and now - heard >= ping_after:
                    socket.ping()
                    pinged = now
                continue
            heard, pinged = time.monotonic(), None
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return "closed by the relay"
            if opcode in (websocket.ABNF.OPCODE_TEXT, websocket.ABNF.OPCODE_BINARY):
                self._read(frame)
        return "stopped"

    def _read(self, frame: bytes) -> None:
        message = parse_relay_message(frame)
        match message:
            case RelayEvent(subscription, event):
                stored = self._stored and subscription == SUBSCRIPTION
                self._tell(Delivered(event, stored=stored))
            case EoseMessage(subscription) if subscription == SUBSCRIPTION:
                self._stored = False
                self._tell(CaughtUp(self._url))
            case OkMessage():
                self._verdict(message)
            case RelayAuth(challenge):
                self._authenticate(challenge)
            case ClosedMessage(subscription) if subscription != PEOPLE_SUBSCRIPTION:
                self._stopped.wait(RESUBSCRIBE_SECONDS)
                if subscription == CHAT_SUBSCRIPTION:
                    self._subscribe_aside(CHAT_SUBSCRIPTION)
                else:
                    self.subscribe()
            case ClosedMessage() | EoseMessage() | NoticeMessage() | ParseError():
                pass

    def _verdict(self, ok: OkMessage) -> None:
        status = publish_status(ok)
        event = self._sent.get(ok.event_id)
        if status is PublishStatus.AUTHENTICATE and event is not None:
            self._unauthenticated[event.id] = event
            return
        if event is not None:
            self._tell(Verdict(self._url, ok.event_id, status, ok.text))

    def _authenticate(self, challenge: str) -> None:
        """Authenticate by NIP-42, then send again what the relay refused before."""
        template: EventTemplate = auth_template(self._url, challenge, int(time.time()))
        self._send(auth_message(self._key.sign(template)))
        waiting, self._unauthenticated = self._unauthenticated, {}
        for event in waiting.values():
            self._send(event_message(event))
        self.subscribe()
        self._subscribe_asides()

    def _send(self, frame: str) -> None:
        socket = self._socket
        if socket is None:
            return
        # The thread that reads the socket finds out that it failed.
        with suppress(OSError, websocket.WebSocketException):
            socket.send(frame)


def _plain(error: Exception) -> str:
    """An error in a few words, without class names and numbers of socket libraries."""
    if isinstance(error, ConnectionRefusedError):
        return "connection refused"
    if isinstance(error, websocket.WebSocketTimeoutException | TimeoutError):
        return "no answer"
    if isinstance(error, websocket.WebSocketConnectionClosedException):
        return "connection lost"
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__
