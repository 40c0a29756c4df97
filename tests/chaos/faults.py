"""The faults, each of which leaves the arbiter as it found it."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from local.listener import LISTENERS
from local.proxy import PROXY
from local.run import SERVER
from tests.chaos.rounds import Fault
from tests.chaos.small_disk import SmallDisk
from tests.e2e.arbiter_run import CLOUD, WIRING, ArbiterRun
from tests.e2e.foreign_relays import ForeignRelay

_HELD_SECONDS = 6.0
_OUTAGE_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """All that can fail. ``disk`` is None where none can be made to fill."""

    arbiter: ArbiterRun
    relays: tuple[ForeignRelay, ForeignRelay]
    relay_names: tuple[str, str]
    disk: SmallDisk | None
    chance: random.Random


def faults(place: Place) -> Iterator[Fault]:
    """All of them, the gentler ones first."""
    yield Fault("nothing", partial(time.sleep, _HELD_SECONDS))
    yield from _of_the_cloud(place) if WIRING == CLOUD else _of_the_server(place)
    # The code that speaks to relays is the same in both.
    count = 1 if WIRING == CLOUD else len(place.relays)
    for relay, name in [*zip(place.relays, place.relay_names, strict=True)][:count]:
        back_later = partial(_held, relay.kill, relay.start)
        yield Fault(f"kill -9 of {name}, back after a while", back_later)
        yield Fault(f"{name} paused", partial(_held, relay.freeze, relay.thaw))
    yield Fault("both relays gone", partial(_stop_relays, place.relays), stops_clocks=True)
    name = "kill -9 of the run itself"
    yield Fault(name, partial(_kill_run, place.arbiter))


def _of_the_server(place: Place) -> Iterator[Fault]:
    arbiter = place.arbiter
    kill = partial(arbiter.kill_and_await_successors, SERVER)
    yield Fault("kill -9 of the server", kill)
    yield Fault("the server paused", partial(_pause_part, arbiter, SERVER))
    if place.disk is not None:
        full = partial(_held, place.disk.fill, place.disk.clear)
        yield Fault("its disk full", full)
        yield Fault("kill -9 of the server, its disk full", partial(_fill_and_kill, place))


def _of_the_cloud(place: Place) -> Iterator[Fault]:
    arbiter = place.arbiter
    kill = partial(partial, arbiter.kill_and_await_successors)
    yield Fault(f"kill -9 of {LISTENERS[0]}", kill(LISTENERS[0]))
    yield Fault("kill -9 of both listeners", kill(*LISTENERS))
    yield Fault(f"{LISTENERS[0]} paused", partial(_pause_part, arbiter, LISTENERS[0]))
    yield Fault("kill -9 of the functions' processes", partial(_kill_workers, arbiter))
    yield Fault("kill -9 of the proxy", kill(PROXY))


def _held(begin: Callable[[], object], end: Callable[[], object]) -> None:
    """Have one thing happen, and after a while the other, whatever comes between."""
    begin()
    try:
        time.sleep(_HELD_SECONDS)
    finally:
        end()


def _kill_workers(arbiter: ArbiterRun) -> str:
    workers = arbiter.workers()
    for worker in workers:
        arbiter.kill_process(worker)
    return f"{len(workers)} of them"


def _pause_part(arbiter: ArbiterRun, name: str) -> None:
    part = arbiter.parts()[name]
    _held(partial(os.kill, part, signal.SIGSTOP), partial(os.kill, part, signal.SIGCONT))


def _stop_relays(relays: tuple[ForeignRelay, ...]) -> None:
    for relay in relays:
        relay.stop()
    time.sleep(_OUTAGE_SECONDS)
    for relay in relays:
        relay.start()


def _fill_and_kill(place: Place) -> None:
    """The server is killed while its disk is full, and started again and again until it is not."""
    disk = place.disk
    assert disk is not None

    def fill_and_kill() -> None:
        disk.fill()
        place.arbiter.kill_process(place.arbiter.parts()[SERVER])

    _held(fill_and_kill, disk.clear)


def _kill_run(arbiter: ArbiterRun) -> None:
    arbiter.cut_short()
    arbiter.start()
