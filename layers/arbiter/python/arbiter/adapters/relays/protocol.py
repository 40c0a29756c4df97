"""What a conversation wants done: to its connection, and with what came over it.

What a listener says to one relay on one connection, and when it stops believing in it.

The law: pure. Frames and times go in, actions come out; sockets and threads are elsewhere. Times
are monotonic seconds, except where unix seconds are said.

A relay is believed only while it answers: a websocket ping tells that the socket lives, and a REQ
made anew every so often must bring its EOSE (NIP-01), which tells that the subscription lives. A
half-open socket, or a relay that forgot us, fails one of the two. The REQ made anew also brings
what was missed in between, from relays that keep ephemeral events for a while. That anything new
comes at all is shown by players, or in their silence by a canary (canary.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.connection import Pong
from arbiter.adapters.relays.deadline_socket import RelayFailure
from arbiter.adapters.relays.listener_config import ListenerConfig
from arbiter.adapters.relays.loopback_probe import LoopbackProbe, loopback_filter, loopback_template
from arbiter.adapters.relays.token_buckets import Rate, TokenBuckets
from arbiter.nostr.errors import ParseError
from arbiter.nostr.event import NostrEvent
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.limits import MAX_AGE_SECONDS
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


@dataclass(frozen=True, slots=True)
class Send:
    """Send this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Ping:
    """Send a websocket ping."""


@dataclass(frozen=True, slots=True)
class EventReceived:
    """An event for our subscription: look at it. ``wanted`` is what was asked for."""

    event: NostrEvent
    wanted: Filter


@dataclass(frozen=True, slots=True)
class Disconnect:
    """Drop the connection."""

    trouble: RelayFailure


Action = Send | Ping | EventReceived | Disconnect


SUBSCRIPTION = "arbiter"
_FORGERIES = Rate(per_second=1.0, burst=50.0)
"""How many forged events we verify for one relay before leaving it. A relay verifies before it
passes on (NIP-01), so it forges or does not look; a stranger cannot make an honest one do this."""

_REFRESH_LIMIT = 500
"""How much of what is stored a REQ made anew brings: the latest. It is there to close a gap of
moments, and a busy relay would otherwise send minutes of games every minute. (NIP-01: "limit
[…] only applies to the initial query", so nothing new is held back.)"""

_MAX_AUTHS = 8
"""Answers to AUTH on one connection: a relay that keeps asking is not worth the signatures."""


class RelayProtocol:
    """One connection's state. Call `opened` once, then `heard` and `waited` as things happen.

    ``canary`` is the relay's, and outlives the connection.
    """

    def __init__(self, relay_url: str, subject: ListenerConfig, canary: LoopbackProbe) -> None:
        self._relay_url = relay_url
        self._subject = subject
        self._canary = canary
        self._asks_for_canary = False
        self._is_new_to_come = False
        self._wanted = Filter(kinds=subject.kinds)
        self._ping_at = 0.0
        self._pong_by: float | None = None
        self._answer_by: float | None = None
        self._refresh_at: float | None = None
        self._resubscribe_at: float | None = None
        self._closures = 0
        self._auths = 0
        self._auth_id: str | None = None
        self._forgeries = TokenBuckets(_FORGERIES, max_keys=1)

    def connected(self, now: float) -> Sequence[Action]:
        """The connection stands."""
        if self._canary.is_under_way:
            # The last one ended while it was: some hang up on what they do not want.
            self._canary.hung_up(now)
        self._ping_at = now + self._subject.pacing.ping_after_seconds
        return self._subscribed(now)

    def next_deadline(self) -> float:
        """When `waited` is to be called, if nothing is heard before."""
        # A REQ made anew could take the canary's way back from it, so it waits for that.
        refresh_at = None if self._canary.is_under_way else self._refresh_at
        times = (self._pong_by or self._ping_at, self._answer_by, refresh_at)
        more = (self._resubscribe_at, self._canary.deadline())
        return min(time for time in (*times, *more) if time is not None)

    def on_timeout(self, now: float) -> Sequence[Action]:
        """Nothing was heard until ``now``."""
        for deadline in (self._pong_by, self._answer_by):
            if deadline is not None and now >= deadline:
                return (Disconnect(RelayFailure.SILENT),)
        if self._canary.is_lost(now):
            self._canary.lost(now)
            return (Disconnect(RelayFailure.LOOPBACK_LOST),)
        actions: list[Action] = []
        if self._pong_by is None and now >= self._ping_at:
            self._pong_by = now + self._subject.pacing.pong_within_seconds
            actions.append(Ping())
        if self._canary.is_due(now):
            actions.append(self._canary_sent(now))
        if self._canary.is_under_way:
            return actions
        if self._refresh_at is not None and now >= self._refresh_at:
            # It lasted, so what closed the one before is over. EOSE would prove less: a relay may
            # send it and close right after.
            self._closures = 0
            actions.extend(self._subscribed(now, _REFRESH_LIMIT))
        if self._resubscribe_at is not None and now >= self._resubscribe_at:
            actions.extend(self._subscribed(now))
        return actions

    def receive(self, frame: bytes | Pong, now: float) -> Sequence[Action]:
        """The relay sent something."""
        self._pong_by = None
        self._ping_at = now + self._subject.pacing.ping_after_seconds
        if isinstance(frame, Pong):
            return ()
        message = parse_relay_message(frame)
        match message:
            case RelayEvent(subscription_id, event) if subscription_id == SUBSCRIPTION:
                return self._brought(event, now)
            case EoseMessage(subscription_id) if subscription_id == SUBSCRIPTION:
                self._count("eose")
                self._answered(now)
                self._all_stored_came(now)
            case ClosedMessage(subscription_id, _) if subscription_id == SUBSCRIPTION:
                return self._closed(now)
            case RelayEvent() | EoseMessage() | ClosedMessage():
                self._count("foreign-subscription")
            case RelayAuth(challenge):
                return self._authenticated(challenge)
            case OkMessage():
                return self._judged(message, now)
            case NoticeMessage():
                self._count("canary-refused" if self._canary.noticed(now) else "notice")
            case ParseError():
                self._count("malformed")
        return ()

    def caught_forging(self, now: float) -> Sequence[Action]:
        """The event last considered was a forgery."""
        return () if self._forgeries.take("", now) else (Disconnect(RelayFailure.HOSTILE),)

    def _subscribed(self, now: float, limit: int | None = None) -> Sequence[Action]:
        pacing = self._subject.pacing
        since = max(self._subject.unix_seconds() - MAX_AGE_SECONDS, 0)
        addressed = {"p": (self._subject.server_pubkey,)}
        self._wanted = Filter(kinds=self._subject.kinds, tags=addressed, since=since, limit=limit)
        filters = [self._wanted]
        self._canary.unsubscribed()
        self._is_new_to_come = False
        self._asks_for_canary = self._canary.is_asked_for(now)
        if self._asks_for_canary:
            filters.append(loopback_filter(self._subject.pubkey, since))
        self._answer_by = now + pacing.answer_within_seconds
        self._refresh_at = None
        self._resubscribe_at = None
        return (Send(req_message(SUBSCRIPTION, *filters)),)

    def _brought(self, event: NostrEvent, now: float) -> Sequence[Action]:
        """An event came over the subscription."""
        self._answered(now)
        if self._canary.is_back(event, now):
            self._count("canary-seen")
            return ()
        if self._is_new_to_come and matches(self._wanted, event):
            self._canary.heard_another(now)
        return (EventReceived(event, self._wanted),)

    def _all_stored_came(self, now: float) -> None:
        """EOSE: what comes from here on is new (NIP-01)."""
        if not self._is_new_to_come and self._asks_for_canary:
            self._canary.subscribed(now)
        self._is_new_to_come = True

    def _canary_sent(self, now: float) -> Send:
        template = loopback_template(self._relay_url, self._subject.unix_seconds())
        event = self._subject.sign(template)
        self._canary.sent(event, now)
        self._count("canary-sent")
        return Send(event_message(event))

    def _answered(self, now: float) -> None:
        """The subscription stands, and is asked for anew some time after."""
        if self._answer_by is not None:
            self._answer_by = None
            self._refresh_at = now + self._subject.pacing.refresh_after_seconds

    def _closed(self, now: float) -> Sequence[Action]:
        """CLOSED ends the subscription, whatever the reason: ask again, each time later."""
        self._count("closed")
        self._closures += 1
        self._canary.unsubscribed()
        if self._asks_for_canary and not self._is_new_to_come:
            # It may be the canary that the relay minds: players are asked for without it.
            self._canary.refused(now)
        self._is_new_to_come = False
        self._answer_by = None
        self._refresh_at = None
        pause = self._subject.pacing.resubscribe
        self._resubscribe_at = now + pause.delay_seconds(self._closures, self._subject.chance())
        return ()

    def _authenticated(self, challenge: str) -> Sequence[Action]:
        """Answer at once, so that a relay that minds never has to close the subscription."""
        self._count("auth")
        if self._auths >= _MAX_AUTHS:
            return ()
        self._auths += 1
        template = auth_template(self._relay_url, challenge, self._subject.unix_seconds())
        answer = self._subject.sign(template)
        # NIP-42: the latest challenge is the valid one, so only its answer is awaited.
        self._auth_id = answer.id
        return (Send(auth_message(answer)),)

    def _judged(self, ok: OkMessage, now: float) -> Sequence[Action]:
        if ok.event_id != self._auth_id:
            self._count(self._canary.judged(ok, now))
            return ()
        self._auth_id = None
        self._count("auth-accepted" if ok.accepted else "auth-refused")
        if ok.accepted and self._resubscribe_at is not None:
            return self._subscribed(now)
        return ()

    def _count(self, name: str) -> None:
        self._subject.tally.add(name)
