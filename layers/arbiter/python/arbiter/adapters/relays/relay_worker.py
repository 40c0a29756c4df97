"""The thread that keeps one relay subscribed: connect, converse, lose it, wait, connect again.

The law: it ends only when stopped. Whatever the relay does is counted, and met with another try,
later each time unless the last connection lasted.
"""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import RelayConnection, connect
from arbiter.adapters.relays.deadline_socket import RelayFailureError
from arbiter.adapters.relays.ingest import Drop, Ingester
from arbiter.adapters.relays.listener_config import ListenerConfig
from arbiter.adapters.relays.loopback_probe import LoopbackProbe
from arbiter.adapters.relays.protocol import (
    Action,
    Disconnect,
    EventReceived,
    Ping,
    RelayProtocol,
    Send,
)
from arbiter.application.ports import Clock

_LOG = logging.getLogger(__name__)

_RECONNECT = Backoff(first_seconds=1.0, longest_seconds=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """How one relay is dialled. A connection that lasted ``steady_seconds`` clears its past."""

    connect_seconds: float = 10.0
    steady_seconds: float = 10.0
    reconnect: Backoff = _RECONNECT


class RelayWorker:
    """One relay's thread. ``chance`` gives a float in [0, 1)."""

    def __init__(
        self,
        url: str,
        subject: ListenerConfig,
        intake: Ingester,
        clock: Clock,
        limits: SessionLimits,
    ) -> None:
        self._url = url
        self._subject = subject
        self._intake = intake
        self._clock = clock
        self._limits = limits
        self._canary = LoopbackProbe(subject.pacing.canary, subject.chance)
        self._is_stopped = threading.Event()
        self._lock = threading.Lock()
        self._connection: RelayConnection | None = None
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def stop(self) -> None:
        """Hang up, from any thread. `join` waits for the end of it."""
        with self._lock:
            self._is_stopped.set()
            if self._connection is not None:
                self._connection.abort()

    def join(self, timeout_seconds: float) -> None:
        """Wait for the thread; one that hangs in a name server's silence is left behind."""
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)

    def is_heard(self) -> bool:
        """Whether this relay is connected now, and none of its canaries is missed."""
        with self._lock:
            return self._connection is not None and self._canary.is_heard

    def _run(self) -> None:
        failures = 0
        while not self._is_stopped.is_set():
            started = time.monotonic()
            try:
                self._listen_once()
            except RelayFailureError as error:
                if self._is_stopped.is_set():
                    return
                self._subject.tally.add(error.trouble)
                _LOG.info({"relay": self._url, "trouble": error.trouble})
            except Exception as error:  # noqa: BLE001 - our bug must not silence a relay for good
                self._subject.tally.add("bug")
                _LOG.error({"relay": self._url, "trouble": "bug"}, exc_info=error)
            lasted = time.monotonic() - started >= self._limits.steady_seconds
            failures = 1 if lasted else failures + 1
            chance = self._subject.chance()
            self._is_stopped.wait(self._limits.reconnect.delay_seconds(failures, chance))

    def _listen_once(self) -> None:
        connection = connect(self._url, self._limits.connect_seconds)
        try:
            with self._lock:
                self._connection = connection
                if self._is_stopped.is_set():
                    return
            self._subject.tally.add("connected")
            self._converse(connection)
        finally:
            with self._lock:
                self._connection = None
            connection.close()

    def _converse(self, connection: RelayConnection) -> None:
        conversation = RelayProtocol(self._url, self._subject, self._canary)
        now = time.monotonic()
        self._do(conversation.connected(now), conversation, connection)
        while not self._is_stopped.is_set():
            frame = connection.receive(max(conversation.next_deadline() - now, 0.0))
            received_at_ms = self._clock.now_ms()
            now = time.monotonic()
            if frame is not None:
                actions = conversation.receive(frame, now)
                self._do(actions, conversation, connection, received_at_ms)
            now = time.monotonic()
            if now >= conversation.next_deadline():
                self._do(conversation.on_timeout(now), conversation, connection)

    def _do(
        self,
        actions: Sequence[Action],
        conversation: RelayProtocol,
        connection: RelayConnection,
        received_at_ms: int = 0,
    ) -> None:
        for action in actions:
            match action:
                case Send(text):
                    connection.send(text)
                case Ping():
                    connection.ping()
                case Disconnect(trouble):
                    raise RelayFailureError(trouble)
                case EventReceived(event, wanted):
                    drop = self._intake.offer(event, wanted, received_at_ms)
                    if drop is Drop.FORGED:
                        _LOG.info({"status": drop, "event": event.id})
                        forging = conversation.caught_forging(time.monotonic())
                        self._do(forging, conversation, connection)
                case never:
                    assert_never(never)
