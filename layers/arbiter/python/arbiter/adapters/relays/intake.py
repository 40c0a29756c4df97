"""The one gate between all relays and the queues: each event once, verified, within its share.

The law, in this order: cheap looks, repetition, the author's share, signature. Only a verified
event is remembered as seen and only a verified event costs its author a token: what a hostile relay
makes up in somebody's name neither shadows his genuine event nor uses up his share. One lock makes
"verified once" true across relays, and keeps the order in which events were judged.
"""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from arbiter.adapters.relays.buckets import Buckets, Rate
from arbiter.adapters.relays.screening import Drop, screened
from arbiter.adapters.relays.seen import Seen
from arbiter.application.routing import QueueEntry, QueueName, queue_entry
from arbiter.nostr.event import Malformed, NostrEvent, verify
from arbiter.nostr.filters import Filter

AUTHOR_RATE = Rate(per_second=30.0, burst=100.0)
"""Roomy enough for a bot at full speed."""
_MAX_AUTHORS = 20_000
_MAX_SEEN = 50_000


class Outlet(Protocol):
    """The way to a queue."""

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        """Take the entry; without room wait for it, or answer False."""
        ...


class Intake:
    """The gate. ``offer`` may be called from any thread."""

    def __init__(
        self,
        server_pubkey: str,
        outlets: Mapping[QueueName, Outlet],
        author_rate: Rate = AUTHOR_RATE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server_pubkey = server_pubkey
        self._outlets = outlets
        self._monotonic = monotonic
        self._shares = Buckets(author_rate, _MAX_AUTHORS)
        self._seen = Seen(_MAX_SEEN)
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
            if not self._shares.has_token(event.pubkey, now):
                return Drop.TOO_MANY
            verified = verify(event)
            if isinstance(verified, Malformed):
                return Drop.FORGED
            self._shares.take(event.pubkey, now)
            # A move waits for room, and holds up the relays meanwhile: TCP then tells them. A
            # request to play is not worth that. Its author will ask again, and it would be stale.
            entry = queue_entry(verified, at, received_at_ms)
            if not self._outlets[at.queue].put(entry, may_wait=at.queue == "moves"):
                return Drop.QUEUE_FULL
            self._seen.add(verified)
            return None
