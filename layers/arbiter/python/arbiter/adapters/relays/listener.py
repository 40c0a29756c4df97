"""The listener: events from many relays into two queues, and a heartbeat while one is connected.
One thread a relay and one a queue. It knows no chess and holds no server key: a throw-away key
authenticates (NIP-42) and signs probes.
"""

import logging
import math
import queue
import random
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from arbiter.adapters.relays.connection import address_of
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.followed_games import FollowedGames
from arbiter.adapters.relays.heartbeat import Heartbeat
from arbiter.adapters.relays.ingest import AUTHOR_RATE, Drop, Ingester, Shard
from arbiter.adapters.relays.player_lookup import PlayerLookup
from arbiter.adapters.relays.protocol import ListenerConfig, Pacing
from arbiter.adapters.relays.rate_limits import Paired, Rate
from arbiter.adapters.relays.relay_worker import RelayWorker
from arbiter.adapters.relays.sender import Sender, SenderLimits
from arbiter.application.intake.routing import LISTENED_KINDS
from arbiter.application.ports import Clock, EventQueue, Outages, PlayersOfGames
from arbiter.application.records import QueueName
from arbiter.core.outages import RelayUptime
from arbiter.core.rules import USUAL_RULES, Rules
from arbiter.nostr.keys import SecretKey

_LOG = logging.getLogger(__name__)

_HANG_UP_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerLimits:
    """Limits and pauses of a listener, by default those of production."""

    pacing: Pacing = field(default_factory=Pacing)
    sender: SenderLimits = field(default_factory=SenderLimits)
    author_rate: Rate = AUTHOR_RATE
    heartbeat_seconds: float = 60.0
    flush_seconds: float = 3.0


class Listener:
    """The listener; ``start`` or ``run`` it once. Raises ValueError for no ws:// or wss:// URLs.
    ``server_pubkey`` (64 hex) is the address of players' events; ``games`` tells players from
    strangers, ``paired`` those of new games; ``rules`` say which games of kind 30 are followed;
    ``shard`` is its part.
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
        paired: Paired | None = None,
        shard: Shard | None = None,
        chance: Callable[[], float] = random.random,
        counters: Counters | None = None,
        limits: ListenerLimits | None = None,
        rules: Rules = USUAL_RULES,
    ) -> None:
        self._limits = limits or ListenerLimits()
        self._counters = counters or Counters()
        self._stop_requests: queue.SimpleQueue[None] = queue.SimpleQueue()
        for url in relays:
            address_of(url)
        self._senders: dict[QueueName, Sender] = {
            "moves": self._sender(event_queue, chance, is_ordered=True),
            # Requests to play share a few groups, so one batch may have several of a group, and
            # one call at a time mostly keeps their order.
            "seeks": self._sender(event_queue, chance, is_ordered=False),
        }
        self._outages = outages
        self._clock = clock
        self._followed = FollowedGames(
            server_pubkey,
            self._unix_seconds,
            days=rules.abandoned_days,
            opens=bool(rules.open_games),
        )
        self._player_lookup = PlayerLookup(games) if games else None
        self._ingester = Ingester(
            server_pubkey,
            self._senders,
            self._counters,
            self._player_lookup.ask if self._player_lookup else None,
            author_rate=self._limits.author_rate,
            followed=self._followed,
            paired=paired,
            shard=shard or Shard(),
        )
        config = self._config(server_pubkey, chance)
        self._workers = [
            RelayWorker(url, config, self._ingester, clock) for url in dict.fromkeys(relays)
        ]
        self._heartbeat = (
            Heartbeat(outages, lambda: self.relays_heard > 0, self._heard, clock, self._catch_up)
            if outages
            else None
        )

    @property
    def counters(self) -> Counter[str]:
        return self._counters.counts()

    @property
    def relays_heard(self) -> int:
        """The number of relays that are connected, with no probe lost."""
        return sum(worker.is_healthy() for worker in self._workers)

    def start(self) -> None:
        if not self._heartbeat:
            self._followed.catch_up(None)
        for sender in self._senders.values():
            sender.start()
        if self._player_lookup:
            self._player_lookup.start(self._ingester.learn)
        for worker in self._workers:
            worker.start()
        if self._heartbeat:
            self._heartbeat.start()

    def run(self, seconds: float = math.inf) -> None:
        """Listen until ``stop``, or for this long; returns when all is sent and closed."""
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
        """End ``run``, from any thread or signal handler: an Event might deadlock there."""
        self._stop_requests.put(None)

    def close(self) -> None:
        """Disconnect, send what waits within ``flush_seconds``, and return. Idempotent."""
        if self._heartbeat:
            self._heartbeat.stop()
        for worker in self._workers:
            worker.stop()
        if self._player_lookup:
            self._player_lookup.stop()
        hung_up_by = time.monotonic() + _HANG_UP_SECONDS
        self._ingester.close(_HANG_UP_SECONDS)
        for worker in self._workers:
            # A worker that waits for room in a full backlog ends when the senders stop.
            worker.join(max(hung_up_by - time.monotonic(), 0.0))
        for sender in self._senders.values():
            sender.stop(self._limits.flush_seconds)
        for sender in self._senders.values():
            sender.join()
        self._log_heartbeat()

    def _catch_up(self) -> RelayUptime | None:
        """Find out since when no relay was heard, before that is noted anew."""
        uptime = None
        try:
            uptime = self._outages.uptime() if self._outages else None
        except Exception as error:  # noqa: BLE001 - then more than was missed is passed on
            _LOG.warning({"status": "uptime-not-read", "error": type(error).__name__})
        self._followed.catch_up(uptime)
        if uptime:
            # A listener notes every few seconds that it hears: more than that is a gap between the
            # last one and this.
            unheard_ms = max(self._clock.now_ms() - uptime.reported_at_ms, 0)
            _LOG.info({"status": "took-over", "unheard_seconds": unheard_ms // 1000})
        return uptime

    def _heard(self) -> int:
        """The number of events of games heard, with those that another shard passes on."""
        counts = self._counters.counts()
        return counts["passed-on"] + counts[Drop.OTHER_SHARD]

    def _unix_seconds(self) -> int:
        return self._clock.now_ms() // 1000

    def _sender(
        self, event_queue: EventQueue, chance: Callable[[], float], *, is_ordered: bool
    ) -> Sender:
        limits = self._limits.sender
        if not is_ordered:
            limits = replace(limits, at_once=1)
        return Sender(event_queue, limits, self._counters, chance, is_ordered=is_ordered)

    def _config(self, server_pubkey: str, chance: Callable[[], float]) -> ListenerConfig:
        throwaway = SecretKey.generate(secrets.token_bytes(32))
        return ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=server_pubkey,
            pacing=self._limits.pacing,
            unix_seconds=self._unix_seconds,
            chance=chance,
            pubkey=throwaway.pubkey,
            sign=throwaway.sign,
            counters=self._counters,
            followed=self._followed,
        )

    def _log_heartbeat(self) -> None:
        """Log counts only, never what strangers write."""
        _LOG.info(
            {
                "status": "heartbeat",
                "relays": self.relays_heard,
                "waiting": sum(sender.waiting() for sender in self._senders.values()),
                "counts": dict(sorted(self.counters.items())),
            }
        )
