"""The one gate between all relays and the queues: each event once, verified, within its share.

The law, in this order: cheap looks, repetition, shares, signature. Only a verified event is
remembered as seen and only a verified event costs a token: what a hostile relay makes up in
somebody's name neither shadows their genuine event nor uses up their share. One lock makes
"verified once" true across relays, and keeps the order in which events were judged.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from arbiter.adapters.relays.buckets import Rate, TokenBuckets
from arbiter.adapters.relays.screening import Drop, screened
from arbiter.adapters.relays.seen import RecentIds
from arbiter.application.routing import (
    QueueEntry,
    QueueName,
    Route,
    questions_key,
    queue_entry,
)
from arbiter.nostr.event import NostrEvent, ParseError, verify
from arbiter.nostr.filters import Filter

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
