"""The thread that notes, every few seconds, that this listener hears some relay.

The law: it only notes. What it means that nobody noted for a while is said where clocks are read;
and trouble with noting costs nobody an event.

Many relays in, two queues out.

The law: one thread for each relay and one for each queue. Nothing here decides anything about
chess. The listener holds no key of the server: where a relay wants to know who asks (NIP-42), it
shows a throw-away key, made at start and forgotten at the end. The same key signs the canaries.
"""

import logging
import math
import os
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from arbiter.adapters.relays.counters import Counters, MemoryCounters
from arbiter.adapters.relays.deadline_socket import address_of
from arbiter.adapters.relays.ingest import AUTHOR_RATE, Ingester
from arbiter.adapters.relays.listener_config import ListenerConfig, Pacing
from arbiter.adapters.relays.player_lookup import PlayerLookup
from arbiter.adapters.relays.relay_worker import RelayWorker, SessionLimits
from arbiter.adapters.relays.sender import Sender, SenderLimits
from arbiter.adapters.relays.token_buckets import Rate
from arbiter.application.ports import Clock, EventQueue, Outages, PlayersOfGames
from arbiter.application.queue_messages import QueueName
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.keys import SecretKey

_LOG = logging.getLogger(__name__)

NOTE_SECONDS = 5.0
_LOOK_SECONDS = 0.5


class Heartbeat:
    """``is_heard`` says whether some relay is heard now. `start` it once."""

    def __init__(self, outages: Outages, is_heard: Callable[[], bool], clock: Clock) -> None:
        self._outages = outages
        self._is_heard = is_heard
        self._clock = clock
        self._is_stopped = threading.Event()

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self._run, name="noting", daemon=True).start()

    def stop(self) -> None:
        """End it soon, from any thread."""
        self._is_stopped.set()

    def _run(self) -> None:
        while not self._is_stopped.is_set():
            # Looked for more often than noted, so that the end of an outage is known at once.
            pause = NOTE_SECONDS if self._is_heard() and self._note() else _LOOK_SECONDS
            self._is_stopped.wait(pause)

    def _note(self) -> bool:
        try:
            self._outages.note(self._clock.now_ms())
        except Exception as error:  # noqa: BLE001 - the next one may get through, and events must
            _LOG.warning({"status": "not-noted", "error": type(error).__name__})
            return False
        return True


_HANG_UP_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerLimits:
    """Every bound and pause of a listener. The defaults are for production."""

    pacing: Pacing = field(default_factory=Pacing)
    session: SessionLimits = field(default_factory=SessionLimits)
    sender: SenderLimits = field(default_factory=SenderLimits)
    author_rate: Rate = AUTHOR_RATE
    heartbeat_seconds: float = 60.0
    flush_seconds: float = 3.0


class Listener:
    """The listener. `start` or `run` it once.

    ``relays`` are configured ws:// or wss:// URLs (ValueError for anything else), ``server_pubkey``
    is the one players address (64 lower-case hex digits), ``games`` tell players from strangers,
    ``chance`` gives a float in [0, 1) and ``entropy`` as many random bytes as it is asked for.
    """

    def __init__(
        self,
        *,
        relays: Sequence[str],
        server_pubkey: str,
        event_queue: EventQueue,
        clock: Clock,
        outages: Outages | None = None,
        games: PlayersOfGames | None = None,
        chance: Callable[[], float] = random.random,
        entropy: Callable[[int], bytes] = os.urandom,
        tally: Counters | None = None,
        limits: ListenerLimits | None = None,
    ) -> None:
        self._limits = limits or ListenerLimits()
        self._tally = tally or MemoryCounters()
        self._stop_requests: queue.SimpleQueue[None] = queue.SimpleQueue()
        for url in relays:
            address_of(url)
        self._senders: dict[QueueName, Sender] = {
            "moves": self._sender(event_queue, chance, is_ordered=True),
            # Requests to play share one group but mean nothing to each other.
            "seeks": self._sender(event_queue, chance, is_ordered=False),
        }
        nobody = SecretKey.generate(entropy(32))
        self._player_lookup = PlayerLookup(games) if games else None
        self._intake = Ingester(
            server_pubkey,
            self._senders,
            self._tally,
            self._player_lookup.ask if self._player_lookup else None,
            author_rate=self._limits.author_rate,
        )
        subject = ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=server_pubkey,
            pacing=self._limits.pacing,
            unix_seconds=lambda: clock.now_ms() // 1000,
            chance=chance,
            pubkey=nobody.pubkey,
            sign=nobody.sign,
            tally=self._tally,
        )
        # A relay named twice is one relay.
        self._sessions = [
            RelayWorker(url, subject, self._intake, clock, self._limits.session)
            for url in dict.fromkeys(relays)
        ]
        self._noting = Heartbeat(outages, self._hears, clock) if outages else None

    @property
    def counters(self) -> Counter[str]:
        """What happened so far, by name: a copy."""
        return self._tally.counts()

    def start(self) -> None:
        """Begin to listen, in threads of its own."""
        for sender in self._senders.values():
            sender.start()
        if self._player_lookup:
            self._player_lookup.start(self._intake.learn)
        for session in self._sessions:
            session.start()
        if self._noting:
            self._noting.start()

    def run(self, seconds: float = math.inf) -> None:
        """Listen until `stop`, or for this long; returns when all is sent and closed."""
        self.start()
        ends_at = time.monotonic() + seconds
        try:
            while (left := ends_at - time.monotonic()) > 0:
                try:
                    self._stop_requests.get(timeout=min(self._limits.heartbeat_seconds, left))
                except queue.Empty:
                    self._log_heartbeat()
                else:
                    break
        finally:
            self.close()

    def stop(self) -> None:
        """End `run`, from any thread or signal handler, at any moment.

        A SimpleQueue, for its `put` may interrupt its own `get`; an Event's `set` may deadlock.
        """
        self._stop_requests.put(None)

    def close(self) -> None:
        """Hang up, send what is still waiting within the bound, and return; twice is harmless."""
        if self._noting:
            self._noting.stop()
        for session in self._sessions:
            session.stop()
        if self._player_lookup:
            self._player_lookup.stop()
        hung_up_by = time.monotonic() + _HANG_UP_SECONDS
        self._intake.close(_HANG_UP_SECONDS)
        for session in self._sessions:
            # One that waits for room in a full backlog stays until the senders stop.
            session.join(max(hung_up_by - time.monotonic(), 0.0))
        for sender in self._senders.values():
            sender.stop(self._limits.flush_seconds)
        for sender in self._senders.values():
            sender.join()
        self._log_heartbeat()

    def _sender(
        self, event_queue: EventQueue, chance: Callable[[], float], *, is_ordered: bool
    ) -> Sender:
        limits = self._limits.sender
        return Sender(event_queue, limits, self._tally, chance, is_ordered=is_ordered)

    def _hears(self) -> bool:
        return any(session.is_heard() for session in self._sessions)

    def _log_heartbeat(self) -> None:
        """Counts only: what strangers write never reaches a log."""
        _LOG.info(
            {
                "status": "heartbeat",
                "relays": sum(session.is_heard() for session in self._sessions),
                "waiting": sum(sender.waiting() for sender in self._senders.values()),
                "counts": dict(sorted(self.counters.items())),
            }
        )
