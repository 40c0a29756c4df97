"""What happens to the arbiter, one thing after the other. Each leaves it as it was found."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from local.bridge import BRIDGE
from local.front_door_check import FRONT_DOOR
from local.listener import LISTENERS
from tests.chaos.flood import flood
from tests.chaos.rounds import Fault
from tests.chaos.small_disk import SmallDisk
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.foreign_relays import ForeignRelay

_HELD_SECONDS = 6.0
_OUTAGE_SECONDS = 30.0
_JUNK_SECONDS = 10.0
# Five games at four plies a second, as they are paced; a little more than ten times that.
_JUNK_PER_SECOND = 220


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """All that something can happen to. ``disk`` is None where none can be made to fill."""

    arbiter: ArbiterRun
    relays: tuple[ForeignRelay, ForeignRelay]
    relay_names: tuple[str, str]
    disk: SmallDisk | None
    chance: random.Random


def faults(place: Place) -> Iterator[Fault]:
    """All of them, the gentler ones first."""
    arbiter = place.arbiter
    yield Fault("nothing", _nothing)
    for name in LISTENERS:
        yield Fault(f"kill -9 of {name}", partial(_kill, arbiter, name))
    yield Fault("kill -9 of both listeners", partial(_kill, arbiter, *LISTENERS))
    yield Fault(f"{LISTENERS[0]} paused", partial(_pause_part, arbiter, LISTENERS[0]))
    yield Fault("kill -9 of the functions' processes", partial(_kill_workers, arbiter))
    yield Fault("kill -9 of the front door", partial(_kill, arbiter, FRONT_DOOR))
    yield Fault(
        "kill -9 of the bridge to Scuttlebutt",
        partial(_kill, arbiter, BRIDGE),
        stops_scuttlebutt=True,
    )
    yield Fault("kill -9 of its peer", partial(_kill_peer, arbiter), stops_scuttlebutt=True)
    for relay, name in zip(place.relays, place.relay_names, strict=True):
        yield Fault(f"kill -9 of {name}, back after a while", partial(_kill_relay, relay))
        yield Fault(f"{name} paused", partial(_pause_relay, relay))
    yield Fault(
        f"{place.relay_names[1]} stopped and started", partial(_stop_relay, place.relays[1])
    )
    yield Fault("both relays gone", lambda: _stop_relays(place.relays), stops_clocks=True)
    yield Fault("ten times as much junk", partial(_flood, place))
    if place.disk is not None:
        disk = place.disk
        yield Fault("the table's disk is full", partial(_fill, disk))
        yield Fault("kill -9 of MiniStack, its disk full", partial(_fill_and_kill, disk, arbiter))
    yield Fault(
        "kill -9 of MiniStack", partial(_kill, arbiter, "ministack"), stops_scuttlebutt=True
    )
    yield Fault("kill -9 of the run itself", partial(_kill_run, arbiter), stops_scuttlebutt=True)


def _nothing() -> str:
    time.sleep(_HELD_SECONDS)
    return ""


def _kill(arbiter: ArbiterRun, *names: str) -> str:
    arbiter.kill_and_await_successors(*names)
    return ""


def _kill_workers(arbiter: ArbiterRun) -> str:
    workers = arbiter.workers()
    for worker in workers:
        arbiter.kill_process(worker)
    return f"{len(workers)} of them"


def _kill_peer(arbiter: ArbiterRun) -> str:
    for peer in arbiter.children_of(BRIDGE):
        arbiter.kill_process(peer)
    return ""


def _pause_part(arbiter: ArbiterRun, name: str) -> str:
    part = arbiter.parts()[name]
    os.kill(part, signal.SIGSTOP)
    try:
        time.sleep(_HELD_SECONDS)
    finally:
        os.kill(part, signal.SIGCONT)
    return ""


def _kill_relay(relay: ForeignRelay) -> str:
    relay.kill()
    time.sleep(_HELD_SECONDS)
    relay.start()
    return ""


def _pause_relay(relay: ForeignRelay) -> str:
    relay.freeze()
    try:
        time.sleep(_HELD_SECONDS)
    finally:
        relay.thaw()
    return ""


def _stop_relays(relays: tuple[ForeignRelay, ...]) -> str:
    for relay in relays:
        relay.stop()
    time.sleep(_OUTAGE_SECONDS)
    for relay in relays:
        relay.start()
    return ""


def _stop_relay(relay: ForeignRelay) -> str:
    relay.stop()
    time.sleep(_HELD_SECONDS)
    relay.start()
    return ""


def _flood(place: Place) -> str:
    endpoints = place.arbiter.endpoints
    urls = (*endpoints.relays, endpoints.websocket)
    sent = asyncio.run(
        flood(
            urls,
            endpoints.server,
            per_second=_JUNK_PER_SECOND,
            seconds=_JUNK_SECONDS,
            chance=place.chance,
        )
    )
    return f"{sent} frames"


def _fill(disk: SmallDisk) -> str:
    disk.fill()
    try:
        time.sleep(_HELD_SECONDS)
    finally:
        disk.clear()
    return ""


def _fill_and_kill(disk: SmallDisk, arbiter: ArbiterRun) -> str:
    disk.fill()
    try:
        time.sleep(_HELD_SECONDS)
        arbiter.kill_process(arbiter.parts()["ministack"])
    finally:
        disk.clear()
    return ""


def _kill_run(arbiter: ArbiterRun) -> str:
    arbiter.cut_short()
    arbiter.start()
    return ""
