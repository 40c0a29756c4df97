"""The listener's side of one connection to one relay, as a state machine. Pure: frames and times
(monotonic seconds) go in, actions come out.

A relay is trusted only while it answers: pings show that the socket is alive, and a REQ renewed at
intervals must bring its EOSE, which shows that the subscription is, and what was missed. That new
events are delivered is shown by players' events or, in silence, by a loopback probe.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import Pong, RelayFailure
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.followed_games import FollowedGames
from arbiter.adapters.relays.loopback_probe import (
    LoopbackPacing,
    LoopbackProbe,
    loopback_filter,
    loopback_template,
)
from arbiter.adapters.relays.rate_limits import Rate, TokenBuckets
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.limits import GIFT_WRAP, GIFT_WRAP_AGE_SECONDS, MAX_AGE_SECONDS
from arbiter.nostr.nip42 import auth_template
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    NoticeMessage,
    OkMessage,
    RelayAuth,
    RelayEvent,
    auth_message,
    event_message,
    parse_relay_message,
    req_message,
)
from arbiter.nostr.strict_json import ParseError

_AGAIN = Backoff(first_seconds=1.0, longest_seconds=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """Timeouts of a connection: silence is noticed within eight seconds, for a move into a dead one
    costs time. One that lasted ``steady_seconds`` makes the next wait short.
    """

    connect_seconds: float = 10.0
    steady_seconds: float = 10.0
    reconnect: Backoff = _AGAIN
    ping_after_seconds: float = 4.0
    pong_within_seconds: float = 4.0
    answer_within_seconds: float = 20.0
    refresh_after_seconds: float = 60.0
    resubscribe: Backoff = _AGAIN
    probe: LoopbackPacing = field(default_factory=LoopbackPacing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerConfig:
    """Values of all connections: clock, ``chance`` in [0, 1), a throw-away key for NIP-42 and
    probes, and ``followed`` games, whose moves are asked for by their start.
    """

    kinds: tuple[int, ...]
    server_pubkey: str
    pacing: Pacing
    unix_seconds: Callable[[], int]
    chance: Callable[[], float]
    pubkey: str
    sign: Callable[[EventTemplate], VerifiedEvent]
    counters: Counters
    followed: FollowedGames | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """Send this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Send a websocket ping."""


@dataclass(frozen=True, slots=True)
class EventReceived:
    """Offer an event of our subscription to the queues. ``wanted`` is the subscription's filter."""

    event: NostrEvent
    wanted: Filter


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Drop the connection."""

    failure: RelayFailure


Action = Send | Ping | EventReceived | Disconnect


SUBSCRIPTION, GAMES, NEW_GAMES = _OURS = "arbiter", "games", "new-games"
"""Of what names the arbiter, of followed games, and of all in new ones."""
MESSAGES = "messages"
_FORGERIES = Rate(per_second=1.0, burst=50.0)
"""Forged events verified for one relay before leaving it: honest ones pass on none."""

_REFRESH_LIMIT = 500
"""The latest stored events that a renewed REQ brings, for a gap of moments."""

_NEW_GAMES_AFTER_SECONDS, _NEW_GAMES_SHARE = 1.0, 10
"""Moves wait behind new games, asked for this rarely."""
_FEW = 20
"""Stored events that this brings of games that were asked for before."""

_FEW_MESSAGES = 5
"""Stored messages that a new connection brings: those that came while no listener was there."""

_MAX_AUTHS = 8
"""Answers to AUTH on one connection."""


class _Subscription(Enum):
    """Our REQ: asked until the relay answers, open until it is renewed, closed until the next."""

    ASKED = auto()
    OPEN = auto()
    CLOSED = auto()


class RelayProtocol:
    """One connection: ``connected`` once, then ``receive`` and ``on_timeout``."""

    def __init__(self, relay_url: str, config: ListenerConfig, probe: LoopbackProbe) -> None:
        self._relay_url = relay_url
        self._config = config
        self._probe = probe
        self._asks_for_probe = False
        self._is_new_to_come = False
        self._wanted = Filter(kinds=config.kinds)
        self._ping_at = 0.0
        self._pong_by: float | None = None
        self._subscription = _Subscription.CLOSED
        self._due_at = 0.0
        """The time at which the state of the subscription has lasted too long."""
        self._games_asked_at = 0.0
        self._games_due_at = 0.0
        self._followed_version = 0
        self._stops_known = 0
        self._closures = 0
        self._auths = 0
        self._auth_id: str | None = None
        self._forgeries = TokenBuckets(_FORGERIES, max_keys=1)

    def connected(self, now: float) -> Sequence[Action]:
        if self._probe.is_under_way:
            # The last connection ended during a probe: some relays disconnect to refuse one.
            self._probe.disconnected(now)
        self._ping_at = now + self._config.pacing.ping_after_seconds
        return *self._subscribed(now), Send(req_message(MESSAGES, self._messages()))

    def next_deadline(self) -> float:
        """The time at which to call ``on_timeout``, if nothing is received before."""
        times = (
            self._pong_by or self._ping_at,
            self._subscription_due(),
            self._games_due(),
            self._probe.deadline(),
        )
        return min(time for time in times if time is not None)

    def on_timeout(self, now: float) -> Sequence[Action]:
        due_at = self._subscription_due()
        is_due = due_at is not None and now >= due_at
        is_unanswered = is_due and self._subscription is _Subscription.ASKED
        if is_unanswered or (self._pong_by is not None and now >= self._pong_by):
            return (Disconnect(RelayFailure.SILENT),)
        if self._probe.is_lost(now):
            self._probe.lost(now)
            return (Disconnect(RelayFailure.LOOPBACK_LOST),)
        actions: list[Action] = []
        if self._pong_by is None and now >= self._ping_at:
            self._pong_by = now + self._config.pacing.pong_within_seconds
            actions.append(Ping())
        if self._probe.is_due(now):
            actions.append(self._send_probe(now))
        elif is_due and self._subscription is _Subscription.OPEN:
            # The subscription lasted, so earlier closures no longer count. EOSE would prove less:
            # a relay may send it and close right after.
            self._closures = 0
            actions.extend(self._subscribed(now, _REFRESH_LIMIT))
        elif is_due:
            actions.extend(self._subscribed(now))
        games_due_at = self._games_due()
        if games_due_at is not None and now >= games_due_at:
            actions.extend(self._games_asked(now, _FEW))
        return actions

    def _subscription_due(self) -> float | None:
        """When an answer is late or the REQ due, but for an awaited probe."""
        if self._subscription is not _Subscription.OPEN:
            return self._due_at
        if self._probe.is_under_way:
            return None
        followed = self._config.followed
        is_known = followed is not None and followed.stops_known != self._stops_known
        return min(self._due_at, self._games_due_at) if is_known else self._due_at

    def _games_due(self) -> float | None:
        """The time at which to ask for the events of more games; None if there are none."""
        followed = self._config.followed
        is_open = self._subscription is _Subscription.OPEN
        if followed is None or not is_open or followed.version == self._followed_version:
            return None
        return self._games_due_at

    def receive(  # noqa: C901 - a case for each message
        self, frame: bytes | Pong, now: float
    ) -> Sequence[Action]:
        self._pong_by = None
        self._ping_at = now + self._config.pacing.ping_after_seconds
        if isinstance(frame, Pong):
            return ()
        message = parse_relay_message(frame)
        match message:
            case RelayEvent(subscription_id, event) if subscription_id in _OURS:
                return self._event_received(event, now, is_of_games=subscription_id != SUBSCRIPTION)
            case EoseMessage(subscription_id) if subscription_id in _OURS:
                self._count("eose")
                self._eose_received(now, is_of_games=subscription_id != SUBSCRIPTION)
            case ClosedMessage(subscription_id, _) if subscription_id == SUBSCRIPTION:
                return self._closed(now)
            case RelayEvent(subscription_id, event) if subscription_id == MESSAGES:
                return (EventReceived(event, self._messages()),)
            case EoseMessage(subscription_id) | ClosedMessage(subscription_id, _) if (
                subscription_id == MESSAGES
            ):
                pass
            case RelayEvent() | EoseMessage() | ClosedMessage():
                self._count("foreign-subscription")
            case RelayAuth(challenge):
                return self._authenticated(challenge)
            case OkMessage():
                return self._ok_received(message, now)
            case NoticeMessage():
                self._count("probe-refused" if self._probe.on_notice(now) else "notice")
            case ParseError():
                self._count("malformed")
        return ()

    def caught_forging(self, now: float) -> Sequence[Action]:
        return () if self._forgeries.take("", now) else (Disconnect(RelayFailure.HOSTILE),)

    def _subscribed(self, now: float, limit: int | None = None) -> Sequence[Action]:
        since = max(self._config.unix_seconds() - MAX_AGE_SECONDS, 0)
        addressed = {"p": (self._config.server_pubkey,)}
        self._wanted = Filter(kinds=self._config.kinds, tags=addressed, since=since, limit=limit)
        filters = [self._wanted, *self._followed_filters(is_first=limit is None)]
        self._probe.unsubscribed()
        self._is_new_to_come = False
        self._asks_for_probe = self._probe.is_asked_for(now)
        if self._asks_for_probe:
            filters.append(loopback_filter(self._config.pubkey, since))
        self._subscription = _Subscription.ASKED
        self._due_at = now + self._config.pacing.answer_within_seconds
        return Send(req_message(SUBSCRIPTION, *filters)), *self._games_asked(now, _REFRESH_LIMIT)

    def _messages(self) -> Filter:
        """The filter of players' messages, in a REQ of its own: some relays close it."""
        since = max(self._config.unix_seconds() - GIFT_WRAP_AGE_SECONDS, 0)
        addressed = {"p": (self._config.server_pubkey,)}
        return Filter(kinds=(GIFT_WRAP,), tags=addressed, since=since, limit=_FEW_MESSAGES)

    def _followed_filters(self, *, is_first: bool) -> tuple[Filter, ...]:
        followed = self._config.followed
        if followed is None:
            return ()
        if followed.stops_known != self._stops_known:
            self._stops_known, is_first = followed.stops_known, True
        if is_first:
            self._followed_version = 0
        return followed.filters(is_first=is_first)

    def _games_asked(self, now: float, limit: int) -> tuple[Action, ...]:
        """Ask for so many events of games, and of new ones for all."""
        followed = self._config.followed
        if followed is None:
            return ()
        asked, self._followed_version = self._followed_version, followed.version
        self._games_asked_at, self._games_due_at = now, now + _NEW_GAMES_AFTER_SECONDS
        asked_for = {
            GAMES: followed.filters_of_games(asked, limit),
            NEW_GAMES: followed.filters_of_new_games(asked),
        }
        return tuple(Send(req_message(it, *them)) for it, them in asked_for.items() if them)

    def _event_received(
        self, event: NostrEvent, now: float, *, is_of_games: bool
    ) -> Sequence[Action]:
        if is_of_games:
            return (EventReceived(event, self._wanted),)
        self._answered(now)
        if self._probe.is_back(event, now):
            self._count("probe-seen")
            return ()
        if self._is_new_to_come and matches(self._wanted, event):
            self._probe.event_received(now)
        return (EventReceived(event, self._wanted),)

    def _eose_received(self, now: float, *, is_of_games: bool) -> None:
        """EOSE: events from here on are new (NIP-01)."""
        if is_of_games:
            took = now - self._games_asked_at
            self._games_due_at = max(self._games_due_at, now + took * _NEW_GAMES_SHARE)
            return
        self._answered(now)
        if not self._is_new_to_come and self._asks_for_probe:
            self._probe.subscribed(now)
        self._is_new_to_come = True

    def _send_probe(self, now: float) -> Send:
        template = loopback_template(self._relay_url, self._config.unix_seconds())
        event = self._config.sign(template)
        self._probe.sent(event, now)
        self._count("probe-sent")
        return Send(event_message(event))

    def _answered(self, now: float) -> None:
        if self._subscription is _Subscription.ASKED:
            self._subscription = _Subscription.OPEN
            self._due_at = now + self._config.pacing.refresh_after_seconds

    def _closed(self, now: float) -> Sequence[Action]:
        """CLOSED: subscribe again, each time later."""
        self._count("closed")
        self._closures += 1
        self._probe.unsubscribed()
        if self._asks_for_probe and not self._is_new_to_come:
            # The relay may refuse the probe's filter: subscribe without it.
            self._probe.refused(now)
        self._is_new_to_come = False
        self._subscription = _Subscription.CLOSED
        pause = self._config.pacing.resubscribe
        self._due_at = now + pause.delay_seconds(self._closures, self._config.chance())
        return ()

    def _authenticated(self, challenge: str) -> Sequence[Action]:
        """Answer at once, before the relay closes the subscription for it."""
        self._count("auth")
        if self._auths >= _MAX_AUTHS:
            return ()
        self._auths += 1
        template = auth_template(self._relay_url, challenge, self._config.unix_seconds())
        answer = self._config.sign(template)
        # NIP-42: only the latest challenge is valid, so only its answer is awaited.
        self._auth_id = answer.id
        return (Send(auth_message(answer)),)

    def _ok_received(self, ok: OkMessage, now: float) -> Sequence[Action]:
        if ok.event_id != self._auth_id:
            self._count(self._probe.on_ok(ok, now))
            return ()
        self._auth_id = None
        self._count("auth-accepted" if ok.accepted else "auth-refused")
        if ok.accepted and self._subscription is _Subscription.CLOSED:
            return self._subscribed(now)
        return ()

    def _count(self, name: str) -> None:
        self._config.counters.add(name)
