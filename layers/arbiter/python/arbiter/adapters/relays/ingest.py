"""Filters events from all relays into the queues, each once, verified, within its author's rate.

Invariant: cheap checks, deduplication, rates, signature, in this order; beyond a rate, only what is
to be answered is verified. Only a verified event is remembered and takes a token: a forged one
neither hides the genuine one (RUSTSEC-2026-0224, -0232) nor uses up its author's rate. One lock
keeps this true and in order; an event that waits for its game's players keeps its place. Memory is
bounded.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.followed_games import FollowedGames
from arbiter.adapters.relays.rate_limits import (
    Admission,
    Candidate,
    Paired,
    Rate,
    StrangerLimiter,
    TokenBuckets,
    no_pairs,
)
from arbiter.application.intake.queue_messages import queue_entry, too_many
from arbiter.application.intake.routing import Route, route
from arbiter.application.records import QueueEntry, QueueName
from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, verify
from arbiter.nostr.filters import Filter, matches
from arbiter.nostr.limits import GIFT_WRAP, MAX_WRAP_CHARS


class Drop(StrEnum):
    """Reasons why an event is dropped. The values are counter names."""

    OWN = "own"
    """The server's own pubkey, genuine or forged."""
    NOT_LISTENED_KIND = "not-listened-kind"
    NOT_FOR_US = "not-for-us"
    """No `p` tag names the server."""
    NOT_FOLLOWED = "not-followed"
    """Of a game whose start does not concern the server, or read before an earlier stop."""
    NOT_ASKED_FOR = "not-asked-for"
    """Outside the filter in another way, such as too old."""
    OTHER_SHARD = "other-shard"
    """Another listener queues events of this group."""
    TOO_MANY = "too-many"
    """Beyond its author's rate."""
    TOO_MANY_QUESTIONS = "too-many-questions"
    """Beyond the rate of questions about one game."""
    TOO_MANY_STRANGERS = "too-many-strangers"
    """Beyond the rate of all who do not play the game that they name."""
    REPEATED = "repeated"
    """Passed on before."""
    FORGED = "forged"
    """The id or the signature is wrong."""
    QUEUE_FULL = "queue-full"
    """No room in a queue that relays do not wait for, or the listener is stopping."""


def screened(
    event: NostrEvent, wanted: Filter, server_pubkey: str, followed: FollowedGames | None = None
) -> Route | Drop:
    """The route of an unverified event, or why it is dropped, as when not ``wanted``."""
    if followed is not None and not followed.learn(event):
        return Drop.TOO_MANY_STRANGERS
    target = route(event)
    if target is None or event.kind not in wanted.kinds:
        return Drop.NOT_LISTENED_KIND
    if event.kind == GIFT_WRAP and len(event.content) > MAX_WRAP_CHARS:
        return Drop.NOT_ASKED_FOR
    if event.pubkey == server_pubkey:
        return Drop.OWN
    if target.is_of_all and followed is not None:
        return target if followed.wants(event) else Drop.NOT_FOLLOWED
    if followed is not None and followed.wants(event):
        return target
    if not any(tag[0] == "p" and tag[1:2] == (server_pubkey,) for tag in event.tags):
        return Drop.NOT_FOR_US
    if not matches(wanted, event):
        return Drop.NOT_ASKED_FOR
    return target


@dataclass(frozen=True, slots=True)
class Shard:
    """The groups whose hash modulo ``count`` is ``number``."""

    number: int = 0
    count: int = 1

    def has(self, group_id: str) -> bool:
        return int(group_id[:8], 16) % self.count == self.number


class RecentIds:
    """The latest verified events' ids, whole: a shortened one could be made to collide."""

    def __init__(self, max_ids: int) -> None:
        self._max_ids = max_ids
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: str) -> bool:
        """Whether this event was passed on. Counts as a use."""
        if event_id not in self._ids:
            return False
        self._ids.move_to_end(event_id)
        return True

    def add(self, event: VerifiedEvent) -> None:
        self._ids[event.id] = None
        self._ids.move_to_end(event.id)
        if len(self._ids) > self._max_ids:
            self._ids.popitem(last=False)


AUTHOR_RATE = Rate(per_second=30.0, burst=100.0)
"""Enough for a bot at full speed."""
GROUP_RATE = Rate(per_second=20.0, burst=60.0)
"""For one author in one game: these wait in one SQS group, which must empty soon."""
QUESTION_RATE = Rate(per_second=2.0, burst=20.0)
"""For questions about one game, by all authors: an answer is published, and so answers all."""
START_RATE = Rate(per_second=1.0, burst=100.0)
"""For the game of one start, by all authors: it is not known who plays."""
STARTS_RATE = Rate(per_second=5.0, burst=500.0)
"""For all such games. The burst is what a REQ brings after a stop; it comes again."""
MESSAGE_RATE = Rate(per_second=0.5, burst=30.0)
"""For all gift wraps, each of another key: who wrote it shows only when it is decrypted."""
TOLD_RATE = Rate(per_second=1 / 60, burst=1.0)
"""For telling one author that an event was one too many: the first, and then one a minute."""
ALL_TOLD_RATE = Rate(per_second=2.0, burst=20.0)
"""For telling all authors. Keys cost nothing, and each answer is signed and published."""
ANSWERED_SECONDS = 2.0
"""Longest wait of relays for the table, when no more events can be held."""
_MAX_AUTHORS = 8_000
_MAX_GAMES = 8_000
_MAX_SEEN = 20_000
"""With these full, and both senders, a listener has 80 MB; its function has 128."""


class Outlet(Protocol):
    """The way to a queue."""

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        """Accept the entry; without room wait for it, or return False."""
        ...


class Ingester:
    """The filter; ``offer`` is thread-safe. ``followed`` games name their start alone. ``ask``
    requests the players of a game for ``learn`` (None: any author may be one); ``paired`` are those
    of new games.
    """

    def __init__(
        self,
        server_pubkey: str,
        outlets: Mapping[QueueName, Outlet],
        counters: Counters,
        ask: Callable[[str], None] | None = None,
        *,
        author_rate: Rate = AUTHOR_RATE,
        shard: Shard = Shard(),
        monotonic: Callable[[], float] = time.monotonic,
        followed: FollowedGames | None = None,
        paired: Paired | None = None,
    ) -> None:
        self._server_pubkey = server_pubkey
        self._outlets = outlets
        self._counters = counters
        self._monotonic = monotonic
        self._shard = shard
        self._rates = TokenBuckets(author_rate, _MAX_AUTHORS)
        self._groups = TokenBuckets(GROUP_RATE, _MAX_AUTHORS)
        self._questions = TokenBuckets(QUESTION_RATE, _MAX_GAMES)
        self._starts = TokenBuckets(START_RATE, _MAX_GAMES)
        self._all_starts = TokenBuckets(STARTS_RATE, 1)
        self._messages = TokenBuckets(MESSAGE_RATE, 1)
        self._told = TokenBuckets(TOLD_RATE, _MAX_AUTHORS)
        self._all_told = TokenBuckets(ALL_TOLD_RATE, 1)
        self._followed = followed
        self._strangers = StrangerLimiter(ask, no_pairs() if paired is None else paired)
        self._seen = RecentIds(_MAX_SEEN)
        self._changed = threading.Condition()

    def offer(self, event: NostrEvent, wanted: Filter, received_at_ms: int) -> Drop | None:
        """Pass the event on, hold it until its game's players are known, or return why not. Blocks
        while too much is held. ``wanted`` is the relay's filter; it arrived at ``received_at_ms``.
        """
        target = screened(event, wanted, self._server_pubkey, self._followed)
        if not isinstance(target, Drop) and not self._shard.has(target.group_id):
            target = Drop.OTHER_SHARD
        if isinstance(target, Drop):
            self._counters.add(target)
            return target
        with self._changed:
            while not self._has_room(event, target):
                if not self._changed.wait(ANSWERED_SECONDS):
                    self._release(self._strangers.learn({}, self._monotonic()))
            drop = self._accept(event, target, received_at_ms)
            if drop is not None:
                self._counters.add(drop)
            return drop

    def learn(self, players: Mapping[str, frozenset[str] | None]) -> None:
        """Decide on events that wait for these games' players; None: they could not be read."""
        with self._changed:
            self._release(self._strangers.learn(players, self._monotonic()))

    def close(self, within_seconds: float) -> None:
        """Pass on what is held, and hold no more, unless a relay waits for room all the time."""
        if self._changed.acquire(timeout=within_seconds):
            try:
                self._release(self._strangers.ask_no_more())
            finally:
                self._changed.release()

    def _accept(self, event: NostrEvent, target: Route, received_at_ms: int) -> Drop | None:
        if event.id in self._seen:
            return Drop.REPEATED
        now = self._monotonic()
        rates = self._rates_of(event, target)
        for drop, buckets, key in rates:
            if not buckets.has_token(key, now):
                self._tell_first(event, target, received_at_ms, now)
                return drop
        admission = self._admission(event, target, now)
        if admission is Admission.TOO_MANY:
            self._tell_first(event, target, received_at_ms, now)
            return Drop.TOO_MANY_STRANGERS
        verified = verify(event)
        if isinstance(verified, ParseError):
            return Drop.FORGED
        for _, buckets, key in rates:
            buckets.take(key, now)
        entry = queue_entry(verified, target.queue, target.group_id, received_at_ms)
        candidate = Candidate(entry, event.pubkey, target.game_id)
        if admission is Admission.WAITS:
            self._strangers.hold(candidate)
        elif not self._put(candidate, admission, now):
            return Drop.QUEUE_FULL
        self._seen.add(verified)
        return None

    def _release(self, released: Sequence[Candidate]) -> None:
        for candidate in released:
            if drop := self._decide(candidate):
                self._counters.add(drop)
        self._changed.notify_all()

    def _decide(self, candidate: Candidate) -> Drop | None:
        now = self._monotonic()
        admission = self._strangers.admit(candidate.game_id, candidate.author, now)
        if admission is Admission.TOO_MANY:
            if self._may_tell(candidate.author, now):
                self._tell(candidate.entry, candidate.author, now)
            return Drop.TOO_MANY_STRANGERS
        return None if self._put(candidate, admission, now) else Drop.QUEUE_FULL

    def _tell_first(
        self, event: NostrEvent, target: Route, received_at_ms: int, now: float
    ) -> None:
        """Tell the author, once, that an event is beyond a rate; a copy of it stays refused."""
        if target.is_of_all or event.kind == GIFT_WRAP or not self._may_tell(event.pubkey, now):
            return
        verified = verify(event)
        if not isinstance(verified, ParseError):
            entry = queue_entry(verified, target.queue, target.group_id, received_at_ms)
            if self._tell(entry, event.pubkey, now):
                self._seen.add(verified)

    def _may_tell(self, author: str, now: float) -> bool:
        return self._told.has_token(author, now) and self._all_told.has_token("", now)

    def _tell(self, entry: QueueEntry, author: str, now: float) -> bool:
        if not self._outlets[entry.queue].put(too_many(entry), may_wait=False):
            return False
        self._told.take(author, now)
        self._all_told.take("", now)
        self._counters.add("told-too-many")
        return True

    def _put(self, candidate: Candidate, admission: Admission, now: float) -> bool:
        # A move waits for room, and TCP slows the relays down meanwhile. A request to play does
        # not: it would be stale, and its author asks again.
        queue = candidate.entry.queue
        if not self._outlets[queue].put(candidate.entry, may_wait=queue == "moves"):
            return False
        if admission is Admission.SHARES:
            self._strangers.take(candidate.game_id, now)
        self._counters.add("passed-on")
        return True

    def _has_room(self, event: NostrEvent, target: Route) -> bool:
        if self._strangers.has_room() or event.id in self._seen:
            return True
        return self._admission(event, target, self._monotonic()) is not Admission.WAITS

    def _admission(self, event: NostrEvent, target: Route, now: float) -> Admission:
        if target.queue != "moves" or target.is_of_all or event.kind == GIFT_WRAP:
            return Admission.PASSES
        return self._strangers.admit(target.game_id, event.pubkey, now)

    def _rates_of(self, event: NostrEvent, target: Route) -> list[tuple[Drop, TokenBuckets, str]]:
        """The rates that this event counts for, and how it is dropped beyond each."""
        if event.kind == GIFT_WRAP:
            return [(Drop.TOO_MANY_STRANGERS, self._messages, "")]
        rates = [(Drop.TOO_MANY, self._rates, event.pubkey)]
        if target.queue == "moves":
            rates.append((Drop.TOO_MANY, self._groups, f"{target.group_id}:{event.pubkey}"))
        if target.is_of_all:
            rates.append((Drop.TOO_MANY_STRANGERS, self._starts, target.group_id))
            rates.append((Drop.TOO_MANY_STRANGERS, self._all_starts, ""))
        if target.questions_key is not None:
            rates.append((Drop.TOO_MANY_QUESTIONS, self._questions, target.questions_key))
        return rates
