"""The arbiter's own modules in the simulation: what they import to wait, to dial and to
read the environment is put in its place, and put back in the end.

Nothing is replaced that decides anything. Real are the handlers of three functions, the
listener, `wiring.py` and `environment.py`, the application, the dialects, the core and the
adapters; see docs/simulation.md for the list of what is not.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from arbiter import config, wiring
from arbiter.adapters import ssm_signer
from arbiter.adapters.dynamodb import connections, topic_cache, topics
from arbiter.adapters.relays import (
    heartbeat,
    ingest,
    listener,
    player_lookup,
    publisher,
    relay_client,
    relay_worker,
    sender,
)
from arbiter.application.gateway import fanout
from functions.clock import app as clock_app
from functions.gateway import app as gateway_app
from functions.process_events import app as process_app
from tests.simulation import links
from tests.simulation.cloud import Clients
from tests.simulation.listeners import NotedGames, NotedLobby, RecordingIngester, Report
from tests.simulation.threads import present_process, threads_of

if TYPE_CHECKING:
    from tests.simulation.world import World

_DEPS = ("arbiter_deps", "gateway_deps", "clock_deps")
_REAL = {name: getattr(wiring, name).__wrapped__ for name in _DEPS}


class ClockOfProcess:
    """SystemClock, as wrong as the present process's clock is."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def now_ms(self) -> int:
        return self._world.read_clock()


class EnvironmentOfProcess:
    """os.environ, as the present process was started with."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def _own(self) -> dict[str, str]:
        return present_process(self._world.scheduler).environment

    def __getitem__(self, name: str) -> str:
        return self._own()[name]

    def get(self, name: str, default: str | None = None) -> str | None:
        return self._own().get(name, default)


@contextmanager
def patched_modules(world: "World") -> Iterator[None]:
    kept: list[tuple[Any, str, Any]] = []
    root, level = logging.getLogger(), logging.getLogger().level
    for module, name, value in replacements(world):
        kept.append((module, name, getattr(module, name)))
        setattr(module, name, value)
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        root.setLevel(level)
        for module, name, value in reversed(kept):
            setattr(module, name, value)


def replacements(world: "World") -> Iterator[tuple[Any, str, Any]]:
    threads = threads_of(world.scheduler)
    clock = ClockOfProcess(world)
    unix_seconds = lambda: clock.now_ms() / 1000  # noqa: E731 - what time.time is elsewhere
    connect = partial(links.connect, world)
    monotonic = threads.time.monotonic
    for module in (listener, player_lookup, publisher):
        yield module, "queue", threads.queue
    for module in (ingest, listener, relay_client, publisher, sender, relay_worker):
        yield module, "time", threads.time
    for module in (ingest, heartbeat, player_lookup, publisher, relay_client, relay_worker, sender):
        yield module, "threading", threads.threading
    for module in (relay_client, relay_worker):
        yield module, "connect", connect
    yield listener, "Ingester", partial(RecordingIngester, world, monotonic=monotonic)
    yield fanout, "ThreadPoolExecutor", threads.futures.ThreadPoolExecutor
    yield fanout, "wait", threads.futures.wait
    yield fanout, "Event", threads.threading.Event
    yield topics, "ThreadPoolExecutor", threads.futures.ThreadPoolExecutor
    yield topics, "secrets", secrets_of(world)
    yield topic_cache, "Lock", threads.threading.Lock
    yield connections, "Lock", threads.threading.Lock
    yield ssm_signer, "Lock", threads.threading.Lock
    yield from _of_wiring(world, clock, unix_seconds, monotonic)
    for app in (clock_app, gateway_app, process_app):
        yield app, "log", Report(world)


def secrets_of(world: "World") -> SimpleNamespace:
    """The module's, drawn from the world's chance."""
    return SimpleNamespace(
        token_hex=lambda count: world.chance.randbytes(count).hex(),
        token_bytes=world.chance.randbytes,
    )


def _of_wiring(
    world: "World", clock: ClockOfProcess, unix_seconds: Any, monotonic: Any
) -> Iterator[tuple[Any, str, Any]]:
    chance = world.chance.random
    yield config, "os", SimpleNamespace(environ=EnvironmentOfProcess(world))
    yield wiring, "AwsClients", lambda: Clients(world.cloud)
    yield wiring, "SystemClock", lambda: clock
    yield wiring, "secrets", secrets_of(world)
    yield (
        wiring,
        "RelayPublisher",
        partial(
            publisher.RelayPublisher, unix_seconds=unix_seconds, monotonic=monotonic, chance=chance
        ),
    )
    yield (
        wiring,
        "Listener",
        partial(
            listener.Listener,
            chance=chance,
            entropy=world.chance.randbytes,
            limits=world.listener_limits,
        ),
    )
    yield (
        wiring,
        "DynamoDbConnections",
        partial(connections.DynamoDbConnections, pause=world.scheduler.sleep),
    )
    yield wiring, "DynamoDbGames", partial(NotedGames, world)
    yield wiring, "DynamoDbLobby", partial(NotedLobby, world)
    for name in _DEPS:
        yield wiring, name, partial(_cached, world, name)


def _cached(world: "World", name: str) -> Any:
    return present_process(world.scheduler).cached(name, _REAL[name])
