"""`make chaos`: faults, one after the other, while honest games go on, on `make run` or with
WIRING=cloud on `make run-cloud`. Prints a table.

The exit code is 1 if a move that was acknowledged was lost or applied twice, or if a game did not
go on. `SEED=n` plays the same moves again; `ONLY=words` selects faults by their names.
"""

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from local.ports import PORTS_PER_RUN
from tests.chaos.faults import Place, faults
from tests.chaos.played import random_script
from tests.chaos.relay_games import native_game
from tests.chaos.rounds import Fault, Going, Row, play_round, report, say
from tests.chaos.server_games import browser_game, socket_game
from tests.chaos.small_disk import SmallDisk
from tests.e2e.arbiter_run import CLOUD, WIRING, ArbiterRun, free_port_base
from tests.e2e.foreign_relays import ForeignRelay, bundled, khatru, rust_nostr

_DISK_MEGABYTES = 100
# Longer than it takes to see an outage, shorter than the outage is.
_SHORT_CLOCKS = (("time", "20+2"),)


def main() -> int:
    """Run it all; the exit code."""
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    chance = random.Random(seed)
    with (
        tempfile.TemporaryDirectory(prefix="chaos-") as folder,
        _disk(Path(folder) / "run") as disk,
        _place(Path(folder), disk, chance) as place,
    ):
        heading = f"SEED={seed}, relays {' and '.join(place.relay_names)}"
        return report(heading, _rows(place))


def _rows(place: Place) -> Iterator[Row]:
    only = os.environ.get("ONLY", "")
    for fault in faults(place):
        if only not in fault.name:
            continue
        try:
            row = asyncio.run(_played(fault, place))
        except Exception as failure:  # noqa: BLE001 - the faults after it are to be seen, too
            traceback.print_exception(failure)
            row = Row(fault=fault.name, failures=(type(failure).__name__,))
            place.arbiter.be_up()
        yield row


async def _played(fault: Fault, place: Place) -> Row:
    async with _games(place, fault) as games:
        return await play_round(fault, games)


@contextlib.asynccontextmanager
async def _games(place: Place, fault: Fault) -> AsyncIterator[list[Going]]:
    """Five games that have just begun, and those that this fault asks for. They are begun one after
    the other, or strangers would meet.
    """
    endpoints, chance = place.arbiter.endpoints, place.chance
    first, second = ((relay,) for relay in endpoints.relays)
    both = endpoints.relays
    async with contextlib.AsyncExitStack() as stack:
        beginnings: list[AbstractAsyncContextManager[Going]] = [
            native_game(name, endpoints, random_script(chance), of_each, terms)
            for name, of_each, terms in (
                ("native, both relays", (both, both), _terms(chance)),
                ("native, a relay each", (first, second), _terms(chance)),
                ("native, one relay and both", (first, both), _terms(chance)),
            )
        ]
        if fault.stops_clocks:
            name, script = "native, with clocks", random_script(chance)
            beginnings.append(native_game(name, endpoints, script, (both, both), _SHORT_CLOCKS))
        beginnings.append(socket_game(endpoints, random_script(chance)))
        beginnings.append(browser_game(endpoints, random_script(chance)))
        yield [await stack.enter_async_context(beginning) for beginning in beginnings]


def _terms(chance: random.Random) -> tuple[tuple[str, str]]:
    """Terms that no other player asks for, so that no request of the round before is met."""
    return (("time", f"{chance.randint(3_600, 10_800)}+{chance.randint(0, 180)}"),)


@contextlib.contextmanager
def _place(folder: Path, disk: SmallDisk | None, chance: random.Random) -> Iterator[Place]:
    """Two relays of different make, and the arbiter on both."""
    base = int(os.environ.get("PORT_BASE") or free_port_base())
    relay_base = base + 2 * PORTS_PER_RUN
    name, second = _second_relay(relay_base + 1)
    first = bundled(folder / "relay", relay_base)
    try:
        first.start()
        second.start()
        run = ArbiterRun(folder, (first.url, second.url), port_base=base)
        try:
            run.start()
            yield Place(
                arbiter=run,
                relays=(first, second),
                relay_names=("nostr-relay", name),
                disk=disk,
                chance=chance,
            )
        finally:
            run.stop()
    finally:
        second.stop()
        first.stop()


def _second_relay(port: int) -> tuple[str, ForeignRelay]:
    try:
        return "khatru", khatru(port)
    except pytest.skip.Exception as why:
        say(f"{why}; rust-nostr's instead")
        return "rust-nostr", rust_nostr(port)


@contextlib.contextmanager
def _disk(folder: Path) -> Iterator[SmallDisk | None]:
    if WIRING == CLOUD:
        yield None
        return
    try:
        disk = SmallDisk(folder, _DISK_MEGABYTES)
    except (OSError, subprocess.CalledProcessError) as why:
        say(f"no disk will be full, for none can be made (are you root?): {why}")
        yield None
        return
    try:
        yield disk
    finally:
        disk.remove()


if __name__ == "__main__":
    sys.exit(main())
