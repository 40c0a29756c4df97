"""The whole bridge: a peer that is kept running, and two threads that use it.

Invariant: whatever fails, a new peer starts from the log, the cursor and the queue, on disks.
"""

import json
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.sqs import QueueUnreachable
from arbiter.application.ports import Clock, EventQueue
from arbiter.nostr.keys import SecretKey
from bridge.cursor import Cursor
from bridge.envelopes import EnvelopeWriter
from bridge.incoming import Incoming
from bridge.outgoing import OutboxRecords, Outgoing
from bridge.peer_log import PeerLog
from bridge.peer_process import HostUnknown, Peer, PeerGone, PeerJson, PeerSettings, PeerUnusable

_LOG = logging.getLogger(__name__)

READY = "peer.json"
"""The file in the bridge's folder with its peer's feed, address and process id, while one runs."""

_BACKOFF = Backoff(first_seconds=0.5, longest_seconds=30.0)
_RETRY = Backoff(first_seconds=0.2, longest_seconds=10.0)
_SETTLED_SECONDS = 30.0
_HEARTBEAT_SECONDS = 60.0
_STOP_SECONDS = 4.0
_LOOK_SECONDS = 15.0
"""The peer announces news. What gets lost of it is found this much later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeDeps:
    """The dependencies. ``key`` signs envelopes to ``server`` (64 hex); ``chance`` is in [0, 1)."""

    peer: PeerSettings
    key: SecretKey
    server: str
    queue: EventQueue
    records: OutboxRecords
    clock: Clock
    chance: Callable[[], float]
    counters: Counters = field(default_factory=Counters)
    heartbeat_seconds: float = _HEARTBEAT_SECONDS


@dataclass(frozen=True, slots=True)
class _Signals:
    """Signals that wake the threads: a new message, a fork, the end."""

    news: threading.Event = field(default_factory=threading.Event)
    fork: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class Bridge:
    """`run` it once."""

    def __init__(self, deps: BridgeDeps) -> None:
        self._deps = deps
        self._counters = deps.counters
        # A SimpleQueue, for its `put` may interrupt its own `get`; an Event's `set` may deadlock.
        self._endings: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()

    def stop(self) -> None:
        """End `run`, from any thread or signal handler, at any moment."""
        self._endings.put(None)

    def run(self) -> None:
        """Carry envelopes until `stop`. Raises PeerUnusable if only an operator can help."""
        failures = 0
        while True:
            began = time.monotonic()
            trouble = self._run_peer()
            if trouble is None:
                return
            if isinstance(trouble, PeerUnusable):
                raise trouble
            lived_seconds = time.monotonic() - began
            failures = 1 if lived_seconds > _SETTLED_SECONDS else failures + 1
            if isinstance(trouble, HostUnknown):
                _LOG.warning({"status": "host-unknown", "mend": "SSB_HOST", "failures": failures})
            else:
                _LOG.warning({"status": "peer-gone", "failures": failures}, exc_info=trouble)
            self._counters.add("peer-gone")
            if self._is_stopped_within(_BACKOFF.delay_seconds(failures, self._deps.chance())):
                return

    def _run_peer(self) -> Exception | None:
        """One run of the peer. Returns what ended it, or None if a stop was requested."""
        signals = _Signals()
        try:
            peer = Peer(self._deps.peer, lambda told: self._on_notice(signals, told))
        except PeerGone as trouble:
            return trouble
        ready = self._deps.peer.directory / READY
        threads = self._start_threads(peer, signals)
        try:
            draft = ready.with_suffix(".new")
            told = {"id": peer.id, "address": peer.address, "pid": peer.pid}
            draft.write_text(json.dumps(told), encoding="ascii")
            draft.replace(ready)
            return self._wait_for_end(peer)
        finally:
            ready.unlink(missing_ok=True)
            signals.over.set()
            signals.news.set()
            for thread in threads:
                thread.join(_STOP_SECONDS)
            peer.close()
            for thread in threads:
                thread.join()
            self._drain()

    def _on_notice(self, signals: _Signals, told: PeerJson) -> None:
        if told["notice"] == "fork":
            signals.fork.set()
        signals.news.set()

    def _start_threads(self, peer: Peer, signals: _Signals) -> list[threading.Thread]:
        deps, log = self._deps, PeerLog(peer)
        incoming = Incoming(
            log=log,
            us=peer.id,
            writer=EnvelopeWriter(deps.key, deps.server, peer.id),
            queue=deps.queue,
            cursor=Cursor(deps.peer.directory),
            clock=deps.clock,
            counters=self._counters,
        )
        outgoing = Outgoing(
            us=peer.id, records=deps.records, peer=peer, games=log, counters=self._counters
        )
        threads = [
            threading.Thread(
                target=self._run_guarded, args=(self._receive_all, incoming, signals), name="in"
            ),
            threading.Thread(
                target=self._run_guarded, args=(self._publish_all, outgoing, signals), name="out"
            ),
        ]
        for thread in threads:
            thread.start()
        return threads

    def _run_guarded(
        self, work: Callable[[Any, _Signals], None], part: object, signals: _Signals
    ) -> None:
        try:
            work(part, signals)
        except Exception as trouble:  # noqa: BLE001 - the end of a thread ends the session, whatever the cause
            self._endings.put(trouble)

    def _receive_all(self, incoming: Incoming, signals: _Signals) -> None:
        failures = 0
        signals.fork.set()
        while not signals.over.is_set():
            signals.news.clear()
            there_was_more = incoming.step()
            if incoming.waiting:
                failures += 1
                signals.over.wait(_RETRY.delay_seconds(failures, self._deps.chance()))
            elif not there_was_more:
                failures = 0
                if signals.fork.is_set():
                    signals.fork.clear()
                    incoming.tell_forks()
                else:
                    signals.news.wait(_LOOK_SECONDS)

    def _publish_all(self, outgoing: Outgoing, signals: _Signals) -> None:
        failures = 0
        while not signals.over.is_set():
            try:
                outgoing.step()
            except QueueUnreachable:
                failures += 1
                self._counters.add("outbox-unreachable")
                signals.over.wait(_RETRY.delay_seconds(failures, self._deps.chance()))
            else:
                failures = 0

    def _wait_for_end(self, peer: Peer) -> Exception | None:
        while True:
            self._log_heartbeat(peer)
            try:
                return self._endings.get(timeout=self._deps.heartbeat_seconds)
            except queue.Empty:
                continue

    def _log_heartbeat(self, peer: Peer) -> None:
        """Counts only: strangers' texts never reach a log."""
        try:
            state = peer.ask("state")
        except PeerGone:
            return  # Its threads find out as well.
        counts = dict(sorted(self._counters.counts().items()))
        _LOG.info({"status": "heartbeat", "part": "bridge", **state, "counts": counts})

    def _is_stopped_within(self, seconds: float) -> bool:
        try:
            self._endings.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def _drain(self) -> None:
        """Forget how the other thread of this run ended, but not a requested stop."""
        ended = []
        while not self._endings.empty():
            ended.append(self._endings.get())
        if None in ended:
            self._endings.put(None)
