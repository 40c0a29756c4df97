"""The thread that keeps one relay subscribed: connect, receive, wait, reconnect, until stopped. Any
failure is counted and retried, each time later unless the last connection lasted.
"""

import logging
import threading
import time
from collections.abc import Sequence
from typing import assert_never

from arbiter.adapters.relays.connection import RelayConnection, RelayFailureError, connect
from arbiter.adapters.relays.ingest import Drop, Ingester
from arbiter.adapters.relays.loopback_probe import LoopbackProbe
from arbiter.adapters.relays.protocol import (
    Action,
    Disconnect,
    EventReceived,
    ListenerConfig,
    Ping,
    RelayProtocol,
    Send,
)
from arbiter.application.ports import Clock

_LOG = logging.getLogger(__name__)


class RelayWorker:
    """One relay's thread."""

    def __init__(self, url: str, config: ListenerConfig, ingester: Ingester, clock: Clock) -> None:
        self._url = url
        self._config = config
        self._ingester = ingester
        self._clock = clock
        self._probe = LoopbackProbe(config.pacing.probe, config.chance)
        self._is_stopped = threading.Event()
        self._lock = threading.Lock()
        self._connection: RelayConnection | None = None
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Disconnect, from any thread; ``join`` waits for the end."""
        with self._lock:
            self._is_stopped.set()
            if self._connection is not None:
                self._connection.abort()

    def join(self, timeout_seconds: float) -> None:
        """Wait for the thread, at most so long: a name server may keep it."""
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)

    def is_healthy(self) -> bool:
        with self._lock:
            return self._connection is not None and self._probe.is_healthy

    def _run(self) -> None:
        failures = 0
        while not self._is_stopped.is_set():
            started = time.monotonic()
            try:
                self._listen_once()
            except RelayFailureError as error:
                if self._is_stopped.is_set():
                    return
                self._config.counters.add(error.failure)
                _LOG.info({"relay": self._url, "trouble": error.failure})
            except Exception as error:  # noqa: BLE001 - a bug of ours must not end the thread
                self._config.counters.add("bug")
                _LOG.error({"relay": self._url, "trouble": "bug"}, exc_info=error)
            pacing = self._config.pacing
            lasted = time.monotonic() - started >= pacing.steady_seconds
            failures = 1 if lasted else failures + 1
            chance = self._config.chance()
            self._is_stopped.wait(pacing.reconnect.delay_seconds(failures, chance))

    def _listen_once(self) -> None:
        connection = connect(self._url, self._config.pacing.connect_seconds)
        try:
            with self._lock:
                self._connection = connection
                if self._is_stopped.is_set():
                    return
            self._config.counters.add("connected")
            self._receive_events(connection)
        finally:
            with self._lock:
                self._connection = None
            connection.close()

    def _receive_events(self, connection: RelayConnection) -> None:
        protocol = RelayProtocol(self._url, self._config, self._probe)
        now = time.monotonic()
        self._execute(protocol.connected(now), protocol, connection)
        while not self._is_stopped.is_set():
            frame = connection.receive(max(protocol.next_deadline() - now, 0.0))
            received_at_ms = self._clock.now_ms()
            now = time.monotonic()
            if frame is not None:
                actions = protocol.receive(frame, now)
                self._execute(actions, protocol, connection, received_at_ms)
            now = time.monotonic()
            if now >= protocol.next_deadline():
                self._execute(protocol.on_timeout(now), protocol, connection)

    def _execute(
        self,
        actions: Sequence[Action],
        protocol: RelayProtocol,
        connection: RelayConnection,
        received_at_ms: int = 0,
    ) -> None:
        for action in actions:
            match action:
                case Send(text):
                    connection.send(text)
                case Ping():
                    connection.ping()
                case Disconnect(failure):
                    raise RelayFailureError(failure)
                case EventReceived(event, wanted):
                    drop = self._ingester.offer(event, wanted, received_at_ms)
                    if drop is Drop.FORGED:
                        _LOG.info({"status": drop, "event": event.id})
                        forging = protocol.caught_forging(time.monotonic())
                        self._execute(forging, protocol, connection)
                case never:
                    assert_never(never)
