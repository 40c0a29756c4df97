"""The cheap looks at an event, before anything is paid for it.

The law: pure, and no check here trusts a signature, for none was verified yet. A relay may send
what was never asked for, so the filter that it was given is applied again.

Token buckets, one for each key: how much of our work a stranger may ask for.

The law: memory is bounded. The bucket that was not drawn from for the longest time is forgotten
when there are too many, which gives its owner a full one: forgetting errs towards letting in.

The ids of events that were verified and passed on, the latest of them.

The law: only verified events enter. A forged copy that comes first under the id of a genuine event
must not make the genuine one look like a repetition (RUSTSEC-2026-0224, -0232). Whole ids are kept:
a shortened one could be made to collide.

The one gate between all relays and the queues: each event once, verified, within its share.

The law, in this order: cheap looks, repetition, shares, signature. Only a verified event is
remembered as seen and only a verified event costs a token: what a hostile relay makes up in
somebody's name neither shadows their genuine event nor uses up their share. One lock makes
"verified once" true across relays, and keeps the order in which events were judged.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from arbiter.application.queue_messages import QueueEntry, QueueName
from arbiter.application.routing import Route, questions_key, queue_entry, route
from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, verify
from arbiter.nostr.filters import Filter, matches


class Drop(StrEnum):
    """Why an event goes no further. The words are counter names."""

    OWN = "own"
    """The server's own words, or an attempt to pass for them: either way no player's."""
    NOT_LISTENED_KIND = "not-listened-kind"
    NOT_FOR_US = "not-for-us"
    """No `p` tag names the server: signed for somebody else."""
    NOT_ASKED_FOR = "not-asked-for"
    """Outside the filter in another way, such as too old."""
    TOO_MANY = "too-many"
    """Its author sent more than his share."""
    TOO_MANY_QUESTIONS = "too-many-questions"
    """All who ask about one game sent more than a game's share."""
    REPEATED = "repeated"
    """Passed on before."""
    FORGED = "forged"
    """The id or the signature is wrong."""
    QUEUE_FULL = "queue-full"
    """No room is left, and it is not worth stopping the relays for, or we are stopping."""


def screened(event: NostrEvent, wanted: Filter, server_pubkey: str) -> Route | Drop:
    """Where the event would go if its signature holds, or why it is dropped without a look."""
    at = route(event)
    if at is None or event.kind not in wanted.kinds:
        return Drop.NOT_LISTENED_KIND
    if event.pubkey == server_pubkey:
        return Drop.OWN
    if not any(tag[0] == "p" and tag[1:2] == (server_pubkey,) for tag in event.tags):
        return Drop.NOT_FOR_US
    if not matches(wanted, event):
        return Drop.NOT_ASKED_FOR
    return at


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """``burst`` tokens at most, refilled at ``per_second``."""

    per_second: float
    burst: float


class TokenBuckets:
    """A token bucket for each key. Times are monotonic seconds, given by the caller."""

    def __init__(self, rate: Rate, max_keys: int) -> None:
        self._rate = rate
        self._max_keys = max_keys
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def has_token(self, key: str, now_seconds: float) -> bool:
        """Whether ``take`` would succeed. Asking creates nothing and costs nothing."""
        return self._level(key, now_seconds) >= 1.0

    def take(self, key: str, now_seconds: float) -> bool:
        """Take one token if there is one."""
        level = self._level(key, now_seconds)
        if level < 1.0:
            return False
        self._levels[key] = (level - 1.0, now_seconds)
        self._levels.move_to_end(key)
        if len(self._levels) > self._max_keys:
            self._levels.popitem(last=False)
        return True

    def _level(self, key: str, now_seconds: float) -> float:
        held = self._levels.get(key)
        if held is None:
            return self._rate.burst
        level, since = held
        refilled = max(0.0, now_seconds - since) * self._rate.per_second
        return min(self._rate.burst, level + refilled)


class RecentIds:
    """A bounded set of event ids; the one longest unmentioned is forgotten first."""

    def __init__(self, max_ids: int) -> None:
        self._max_ids = max_ids
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: str) -> bool:
        """Whether this event was passed on; to ask is to mention it."""
        if event_id not in self._ids:
            return False
        self._ids.move_to_end(event_id)
        return True

    def add(self, event: VerifiedEvent) -> None:
        """Remember an event. The type is the proof that it was verified."""
        self._ids[event.id] = None
        self._ids.move_to_end(event.id)
        if len(self._ids) > self._max_ids:
            self._ids.popitem(last=False)


AUTHOR_RATE = Rate(per_second=30.0, burst=100.0)
"""Roomy enough for a bot at full speed."""
LINE_RATE = Rate(per_second=20.0, burst=60.0)
"""For what one author says in one game: they wait in one line, which is to be empty soon."""
QUESTION_RATE = Rate(per_second=2.0, burst=20.0)
"""For the questions about one game, whoever asks: an answer is published, and so answers all."""
_MAX_AUTHORS = 20_000
_MAX_GAMES = 20_000
_MAX_SEEN = 50_000


class Outlet(Protocol):
    """The way to a queue."""

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        """Take the entry; without room wait for it, or answer False."""
        ...


class Ingester:
    """The gate. ``offer`` may be called from any thread."""

    def __init__(
        self,
        server_pubkey: str,
        outlets: Mapping[QueueName, Outlet],
        author_rate: Rate = AUTHOR_RATE,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        line_rate: Rate = LINE_RATE,
        question_rate: Rate = QUESTION_RATE,
    ) -> None:
        self._server_pubkey = server_pubkey
        self._outlets = outlets
        self._monotonic = monotonic
        self._shares = TokenBuckets(author_rate, _MAX_AUTHORS)
        self._lines = TokenBuckets(line_rate, _MAX_AUTHORS)
        self._questions = TokenBuckets(question_rate, _MAX_GAMES)
        self._seen = RecentIds(_MAX_SEEN)
        self._lock = threading.Lock()

    def offer(self, event: NostrEvent, wanted: Filter, received_at_ms: int) -> Drop | None:
        """Pass the event on, or say why not. Blocks while the moves' backlog is full.

        ``wanted`` is what its relay was asked for, ``received_at_ms`` (unix) when it came.
        """
        at = screened(event, wanted, self._server_pubkey)
        if isinstance(at, Drop):
            return at
        with self._lock:
            if event.id in self._seen:
                return Drop.REPEATED
            now = self._monotonic()
            shares = self._shares_of(event, at)
            for drop, buckets, key in shares:
                if not buckets.has_token(key, now):
                    return drop
            verified = verify(event)
            if isinstance(verified, ParseError):
                return Drop.FORGED
            for _, buckets, key in shares:
                buckets.take(key, now)
            # A move waits for room, and holds up the relays meanwhile: TCP then tells them. A
            # request to play is not worth that. Its author will ask again, and it would be stale.
            entry = queue_entry(verified, at, received_at_ms)
            if not self._outlets[at.queue].put(entry, may_wait=at.queue == "moves"):
                return Drop.QUEUE_FULL
            self._seen.add(verified)
            return None

    def _shares_of(self, event: NostrEvent, at: Route) -> list[tuple[Drop, TokenBuckets, str]]:
        """The shares that this event is a part of, and how it is dropped beyond each."""
        shares = [(Drop.TOO_MANY, self._shares, event.pubkey)]
        if at.queue == "moves":
            shares.append((Drop.TOO_MANY, self._lines, f"{at.group_id}:{event.pubkey}"))
        if (key := questions_key(event)) is not None:
            shares.append((Drop.TOO_MANY_QUESTIONS, self._questions, key))
        return shares
