"""Two thousand sockets on a running arbiter: 200 games at once, each with eight spectators.

Run `make run RELAYS=none` (or run-cloud) in one terminal and this in another. Every state of every
game must reach its players and spectators; missing and repeated deliveries are counted.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.gateway_load
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.gateway_sockets import (
    STATES,
    NativePlayer,
    Player,
    Record,
    Socket,
    SocketPlayer,
    Spectator,
)

_AT_ONCE = 32
_SILENCE_SECONDS = 60.0
_POLL_SECONDS = 0.2
_PAGE_KIB = os.sysconf("SC_PAGESIZE") // 1024


@dataclass(frozen=True, slots=True)
class Target:
    """A running arbiter, by what its folder says."""

    run_dir: Path

    @property
    def url(self) -> str:
        """Where sockets are opened."""
        return str(self._told("endpoints.json")["websocket"])

    @property
    def server(self) -> str:
        """The arbiter, 64 hex."""
        return str(self._told("endpoints.json")["server_pubkey"])

    def memory_mib(self) -> dict[str, float]:
        """Resident memory of each part, of the functions' processes together, and of ourselves."""
        pids = {**self._processes(), "this test": [os.getpid()]}
        return {name: sum(map(_resident_mib, of)) for name, of in pids.items()}

    def cpu_seconds(self) -> dict[str, float]:
        """What each part has computed so far, as far as its processes still run."""
        pids = {**self._processes(), "this test": [os.getpid()]}
        return {name: sum(map(_cpu_seconds, of)) for name, of in pids.items()}

    def _processes(self) -> dict[str, list[int]]:
        """The processes of each part; of `make run-cloud` under ``functions`` also those that the
        cloud runs them in.
        """
        parts = {part["name"]: part["pid"] for part in self._told("processes.json")}
        listed = subprocess.run(
            ("ps", "-A", "-o", "pid=,ppid="), capture_output=True, text=True, check=True
        )
        pairs = [line.split() for line in listed.stdout.splitlines()]
        workers = [int(pid) for pid, parent in pairs if int(parent) == parts.get("ministack")]
        functions = {"functions": workers} if workers else {}
        return {**{name: [pid] for name, pid in parts.items()}, **functions}

    def _told(self, name: str) -> Any:  # noqa: ANN401 - JSON
        return json.loads((self.run_dir / name).read_text(encoding="utf-8"))


def _resident_mib(pid: int) -> float:
    with contextlib.suppress(OSError):
        statm = Path(f"/proc/{pid}/statm").read_text(encoding="utf-8")
        return int(statm.split()[1]) * _PAGE_KIB / 1024
    return 0.0


def _cpu_seconds(pid: int) -> float:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


class Load:
    """One run: ``games`` at once, each with ``spectators``; ``nip100_players`` of the players speak
    NIP-100.
    """

    def __init__(self, target: Target, games: int, spectators: int, nip100_players: int) -> None:
        self.record = Record()
        self.go = asyncio.Event()
        self.enough = asyncio.Event()
        self.seats: list[Player] = [
            (SocketPlayer if number < nip100_players else NativePlayer)(
                self.record, target.server, self.go
            )
            for number in range(2 * games)
        ]
        random.Random(1).shuffle(self.seats)  # noqa: S311 - the same each time
        self.watchers = [Spectator(self.record) for _ in range(games * spectators)]
        self._target = target
        self._spectators = spectators
        self._few = asyncio.Semaphore(_AT_ONCE)
        self._open: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Open, pair, subscribe, play, and report."""
        empty = self._target.memory_mib()
        sockets: list[Socket] = [*self.seats, *self.watchers]
        await _step(f"{len(sockets)} sockets opened", map(self._opened, sockets))
        full = self._target.memory_mib()
        _show_memory(empty, full, len(sockets))
        await _step(f"{len(self.seats)} players seated", map(self._seated, self.seats))
        games = sorted({player.game for player in self.seats})
        watched = [game for game in games for _ in range(self._spectators)]
        watching = [self._watching(*pair) for pair in zip(self.watchers, watched, strict=True)]
        await _step(f"{len(watching)} spectators subscribed", watching)
        before, began = self._target.cpu_seconds(), time.perf_counter()
        self.go.set()
        await self._played()
        after = self._target.cpu_seconds()
        took = self.record.last_news - began
        moves = len(self.record.ok)
        print(
            f"{len(games)} games of {STATES - 1} plies in {took:.1f} s: {moves / took:.1f} moves/s"
        )
        for name, seconds in after.items():
            print(f"  {name} computed for {seconds - before.get(name, 0):.1f} s of them")
        self._show_times()
        _show_memory(empty, self._target.memory_mib(), len(sockets))
        self.enough.set()
        await asyncio.gather(*self._open)

    def lost(self) -> int:
        """Print what did not arrive, what came twice and what was complained of; how much is
        missing.
        """
        natives = [one for one in self.seats if isinstance(one, NativePlayer)]
        seen = [*(one.seen for one in self.watchers), *(one.seen for one in natives)]
        expected = STATES * len(seen)
        nip100_players = [one for one in self.seats if isinstance(one, SocketPlayer)]
        missed = sum(STATES - len(versions) for versions in seen)
        moves_missed = sum(one.missed() for one in nip100_players)
        twice = sum(count - 1 for versions in seen for count in versions.values())
        twice += sum(count - 1 for one in nip100_players for count in one.told.values())
        print(f"states: {expected} due to {len(seen)} subscribers, {missed} missing")
        print(f"NIP-100: {len(nip100_players)} players, {moves_missed} moves or ends missing")
        print(f"came twice: {twice}")
        sockets = [*self.seats, *self.watchers]
        print(f"sockets that the server closed: {sum(one.is_lost for one in sockets)}")
        print(f"refusals and notices: {dict(self.record.trouble) or 'none'}")
        return missed + moves_missed

    async def _opened(self, socket: Socket) -> None:
        is_open = asyncio.Event()

        async def live() -> None:
            async with socket.opened(self._target.url):
                is_open.set()
                await self.enough.wait()

        async with self._few:
            life = asyncio.create_task(live())
            self._open.append(life)
            await asyncio.wait(
                [life, asyncio.create_task(is_open.wait())], return_when=asyncio.FIRST_COMPLETED
            )
            if life.done():
                life.result()

    async def _seated(self, player: Player) -> None:
        async with self._few:
            await player.search()
        await player.seated.wait()

    async def _watching(self, watcher: Spectator, game: str) -> None:
        async with self._few:
            await watcher.subscribe(kinds=[20302], tag_d=[game])

    async def _played(self) -> None:
        """Returns when everything has arrived, or nothing has for a minute."""
        while time.perf_counter() - self.record.last_news < _SILENCE_SECONDS:
            await asyncio.sleep(_POLL_SECONDS)
            if all(one.missed() == 0 for one in self.seats) and all(
                len(one.seen) == STATES for one in self.watchers
            ):
                return

    def _show_times(self) -> None:
        record = self.record
        first: dict[tuple[str, int], float] = {}
        for game, ply, at in record.arrived:
            first[game, ply] = min(at, first.get((game, ply), at))
        arrived = [((game, ply), at) for game, ply, at in record.arrived if ply > 0]
        _show("from a move to its OK", [at - record.said[key] for key, at in record.ok.items()])
        _show("from there to each delivery", [at - record.ok[key] for key, at in arrived])
        _show("from a move to each delivery", [at - record.said[key] for key, at in arrived])
        _show(
            "from the first delivery of a state to each", [at - first[key] for key, at in arrived]
        )


def _show(what: str, seconds: Sequence[float]) -> None:
    parts = statistics.quantiles(seconds, n=100, method="inclusive")
    ms = [round(part * 1_000) for part in (parts[49], parts[94], parts[98], max(seconds))]
    print(f"  {what}: median {ms[0]} ms, p95 {ms[1]}, p99 {ms[2]}, most {ms[3]} ({len(seconds)})")


def _show_memory(empty: dict[str, float], full: dict[str, float], sockets: int) -> None:
    for name, mib in full.items():
        each = (mib - empty.get(name, 0)) * 1024 / sockets
        print(f"  {name}: {mib:.0f} MiB resident, {each:.1f} KiB more for each socket")


async def _step(what: str, doing: Iterable[Awaitable[None]]) -> None:
    began = time.perf_counter()
    await asyncio.gather(*doing)
    print(f"{what} in {time.perf_counter() - began:.1f} s", flush=True)


async def _run(options: argparse.Namespace) -> int:
    target = Target(options.run_dir)
    load = Load(target, options.games, options.spectators, options.nip100)
    await load.run()
    return 1 if load.lost() else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run-dir", type=Path, default=Path(os.environ.get("RUN_DIR", ".run")))
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=8, help="of each game")
    parser.add_argument("--nip100", type=int, default=100, help="how many players speak NIP-100")
    options = parser.parse_args(arguments)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return asyncio.run(_run(options))


if __name__ == "__main__":
    sys.exit(main())
