"""One publication to one relay, and the check whether the relay stored it. Pure.

Invariant: an event is RETRY until its own OK, or, if ephemeral, a pong from a relay that says
nothing else. The bytes are the same at every try, so ``duplicate:`` is success. A relay lacks an
event only if it answers a REQ for its id, to the EOSE, without it.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from arbiter.adapters.relays.counters import Counters
from arbiter.dialects.arbiter_events import PGN_NOTE
from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import MAX_FRAME_BYTES
from arbiter.nostr.nip42 import auth_template
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
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
from arbiter.nostr.strict_json import ParseError, read_json

SUBSCRIPTION = "kept"

VERIFY_STORED_SECONDS = 900
"""Only so recent events are checked: an unstored one is published nine times."""

_MAX_FRAMES = 100
"""A relay that sends more messages before its EOSE does not answer the question."""


def lasts(event: VerifiedEvent) -> bool:
    """Whether relays must keep the event unchanged: of ours, the note of a game only."""
    return event.kind == PGN_NOTE


class StoredQuestion:
    """One REQ: which of ``events`` does the relay lack? ``is_kept`` tells what is as good."""

    def __init__(
        self,
        wanted: Filter,
        events: Sequence[VerifiedEvent],
        is_kept: Callable[[NostrEvent, VerifiedEvent], bool],
    ) -> None:
        self.text = req_message(SUBSCRIPTION, wanted)
        self._missing = [*events]
        self._is_kept = is_kept
        self._frames = 0
        self._is_answered = False
        self.is_done = not events

    def receive(self, frame: bytes) -> None:
        """The relay sent a message. Anything but the answer is ignored."""
        self._frames += 1
        match parse_relay_message(frame):
            case RelayEvent(subscription_id, event) if subscription_id == SUBSCRIPTION:
                self._missing = [ours for ours in self._missing if not self._is_kept(event, ours)]
            case EoseMessage(subscription_id) if subscription_id == SUBSCRIPTION:
                self._is_answered = self.is_done = True
            case ClosedMessage(subscription_id) if subscription_id == SUBSCRIPTION:
                self.is_done = True
        self.is_done = self.is_done or not self._missing or self._frames >= _MAX_FRAMES

    def missing(self) -> Sequence[VerifiedEvent]:
        """Return the events that the relay lacks, by its own answer."""
        return self._missing if self._is_answered else ()


def whether_stored(events: Sequence[VerifiedEvent]) -> StoredQuestion:
    """Ask for these very events: only its own bytes show that one is stored."""
    return StoredQuestion(
        Filter(ids=tuple(event.id for event in events)),
        events,
        lambda theirs, ours: event_to_json(theirs) == event_to_json(ours),
    )


def whether_replaced(events: Sequence[VerifiedEvent], age_seconds: int = 0) -> StoredQuestion:
    """Ask for replaceable events: one of its kind at most ``age_seconds`` older is as good."""
    wanted = Filter(
        authors=tuple(dict.fromkeys(event.pubkey for event in events)),
        kinds=tuple(dict.fromkeys(event.kind for event in events)),
    )
    return StoredQuestion(
        wanted,
        events,
        lambda theirs, ours: (
            (theirs.pubkey, theirs.kind) == (ours.pubkey, ours.kind)
            and theirs.created_at >= ours.created_at - age_seconds
        ),
    )


Authenticate = Callable[[EventTemplate], VerifiedEvent]


EPHEMERAL = range(20_000, 30_000)

OK_SECONDS = 0.5
"""Time for the OK of an ephemeral event that was read, awaited once while none is known."""

_REMEMBERED = 100


@dataclass(slots=True, kw_only=True)
class RelayState:
    """Facts about one relay, over its connections and all that is published there."""

    url: str
    counters: Counters
    authenticate: Authenticate | None
    unix_seconds: Callable[[], float]
    challenge: str | None = None
    """The latest AUTH challenge of the connection (NIP-42); earlier ones are void."""
    sends_oks: bool | None = None
    """Whether it answers ephemeral events, as NIP-01 wants; None: not known."""
    passed_over: deque[str] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))
    """The events for which no OK came in time."""

    def connected(self) -> None:
        self.challenge = None
        self.sends_oks = None if self.sends_oks else self.sends_oks

    def ok_came(self, status: PublishStatus) -> None:
        """An OK came for an ephemeral event; some relays are silent about what they take."""
        if status in (PublishStatus.ACCEPTED, PublishStatus.NO_SUBSCRIBERS):
            self.sends_oks = True
        elif self.sends_oks is False:
            self.sends_oks = None


class PublishAttempt:
    """One publication at one relay, across a reconnection, in the order of ``events``. ``relay`` is
    updated here; ``statuses`` may be called from another thread.
    """

    def __init__(self, relay: RelayState, events: Mapping[str, VerifiedEvent]) -> None:
        self._relay = relay
        self._events = events
        self.settled: dict[str, PublishStatus] = {}
        self._doubtful: set[str] = set()
        self._needs_auth = False
        self._auth_id: str | None = None
        self._has_authenticated = False
        self.was_answered = False
        self.was_refused_namelessly = False

    def connected(self) -> Sequence[str]:
        """A connection is open (again): what to send."""
        self._needs_auth = False
        self._auth_id = None
        self._has_authenticated = False
        return self._unsettled()

    def forget(self, event_id: str) -> None:
        """Publish this event no longer; for an attempt whose ``events`` change."""
        self.settled.pop(event_id, None)
        self._doubtful.discard(event_id)

    def is_done(self) -> bool:
        return len(self.settled) == len(self._events)

    def has_accepted(self, event_id: str) -> bool:
        return self.settled.get(event_id) is PublishStatus.ACCEPTED

    def statuses(self) -> Mapping[str, PublishStatus]:
        """Each event's status so far; RETRY without an answer."""
        return {id_: self.settled.get(id_, PublishStatus.RETRY) for id_ in self._events}

    def unanswered(self) -> Collection[str]:
        """The ids of those for which the relay may never send an OK."""
        if self._relay.sends_oks or (self._needs_auth and not self._has_authenticated):
            return ()
        return [
            id_
            for id_, event in self._events.items()
            if event.kind in EPHEMERAL and id_ not in self.settled and id_ not in self._doubtful
        ]

    def was_read(self) -> float:
        """The relay has read all that was sent: how many seconds an OK may still take."""
        self.was_answered = True
        return 0.0 if self._relay.sends_oks is False else OK_SECONDS

    def pass_over(self, event_ids: Collection[str]) -> None:
        """Wait no longer for the OKs of those that are ``unanswered`` still."""
        for id_ in {*event_ids}.intersection(self.unanswered()):
            self._relay.counters.add("unanswered")
            self.settled[id_] = PublishStatus.UNANSWERED
            self._relay.passed_over.append(id_)
            self._relay.sends_oks = self._relay.sends_oks or False

    def receive(self, frame: bytes) -> Sequence[str]:
        """The relay sent a message: what to send in turn."""
        message = parse_relay_message(frame)
        match message:
            case RelayAuth(challenge):
                self._relay.challenge = challenge
                return self._authenticated()
            case OkMessage(event_id, accepted, _) if event_id == self._auth_id:
                return self._auth_ok_received(accepted=accepted)
            case OkMessage(event_id, _, _) if event_id in self._events:
                return self._ok_received(message)
            case OkMessage(event_id, _, _) if event_id in self._relay.passed_over:
                self._relay.counters.add("late-ok")
                self._relay.ok_came(publish_status(message))
            case OkMessage():
                self._relay.counters.add("foreign-ok")
                self._doubt()
            case ParseError():
                self._doubt()
                self._refused_namelessly(frame)
            case _:
                # NOTICE, and answers to a REQ that was not made.
                self._relay.counters.add("unasked")
                self._doubt()
        return ()

    def _doubt(self) -> None:
        """Mark all that waits as doubtful: the relay's last message may refuse any of them."""
        self._doubtful |= self._events.keys() - self.settled.keys()

    def _ok_received(self, ok: OkMessage) -> Sequence[str]:
        self.was_answered = True
        status = publish_status(ok)
        is_ephemeral = self._events[ok.event_id].kind in EPHEMERAL
        if is_ephemeral:
            self._relay.ok_came(status)
        wants_auth = status is PublishStatus.AUTHENTICATE and self._relay.authenticate is not None
        if wants_auth and not self._has_authenticated:
            # NIP-42: after "auth-required" authenticate and send the event again.
            self._needs_auth = True
            return self._authenticated()
        self._relay.counters.add(f"ok:{status.name.lower()}")
        if status is PublishStatus.NO_SUBSCRIBERS and not is_ephemeral:
            status = PublishStatus.RETRY  # NIP-01: such an event is to be stored
        self.settled[ok.event_id] = status
        return ()

    def _refused_namelessly(self, frame: bytes) -> None:
        """nostr-relay 1.14 refuses in turn with ``["OK", "", false, …]``, and is slow then."""
        match read_json(frame, MAX_FRAME_BYTES):
            case ["OK", "", False, str(text), *_]:
                self._relay.counters.add("nameless-ok")
                self.was_refused_namelessly = True
                first = next((id_ for id_ in self._events if id_ not in self.settled), None)
                if first is not None:
                    # A guess, which the event's own OK overrides.
                    self._ok_received(OkMessage(first, accepted=False, text=text))
            case _:
                self._relay.counters.add("malformed")

    def _authenticated(self) -> Sequence[str]:
        """The answer to the latest challenge, if one is wanted and was not sent yet."""
        challenge = self._relay.challenge
        if not self._needs_auth or self._relay.authenticate is None or challenge is None:
            return ()
        if self._auth_id is not None:
            return ()
        template = auth_template(self._relay.url, challenge, int(self._relay.unix_seconds()))
        answer = self._relay.authenticate(template)
        self._auth_id = answer.id
        self._relay.counters.add("auth")
        return (auth_message(answer),)

    def _auth_ok_received(self, *, accepted: bool) -> Sequence[str]:
        self.was_answered = True
        self._has_authenticated = True
        if accepted:
            return self._unsettled()
        self._relay.counters.add("auth-refused")
        for id_ in self._events:
            self.settled.setdefault(id_, PublishStatus.AUTHENTICATE)
        return ()

    def _unsettled(self) -> Sequence[str]:
        return [
            event_message(event) for id_, event in self._events.items() if id_ not in self.settled
        ]
