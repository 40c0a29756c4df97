"""`make bench-serve ARGS="crowd [MINUTES] [GAMES]"`: 10,000 sockets, 2,000 games, 200 moves a
second for ten minutes, three watchers a game. Every move must be answered by its state, and every
state reach those that watch.
"""

import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from itertools import count
from typing import Any

from bench.playing import PROCESSES, Seen, await_ready, go, line, started
from bench.serve_players import MOVE, STATE, NativePlayer, connected
from bench.served import Served, serving

GAMES = 2_000
WATCHERS = 3
"""Of each game."""
SECONDS_A_MOVE = 10.0
"""In one game: 200 moves a second in 2,000 of them."""
MINUTES = 10.0
_WINDOW_SECONDS = 30.0
_SETTLE_SECONDS = 20.0
_PLIES = (20, 60)
"""A game is resigned at a ply between these, and both play another."""
_AT_ONCE = 32
_OTHER_FILES = 200


class CrowdPlayer(NativePlayer):
    """Moves when it is told to."""

    def __init__(self, server: str, seen: Seen, waiting: "deque[CrowdPlayer]") -> None:
        super().__init__(server, seen)
        self._waiting = waiting
        self._turn: tuple[int, Sequence[tuple[str, ...]]] | None = None
        self._plies = 0
        self.states: Counter[str] = Counter()

    @property
    def pubkey(self) -> str:
        return self._key.pubkey

    @property
    def unanswered(self) -> int:
        """Moves whose state has not come."""
        return len(self._sent)

    async def begin(self) -> None:
        wanted = {"kinds": [20301, STATE, 20304], "#p": [self.pubkey]}
        await self._socket.send(json.dumps(["REQ", "s", wanted]))

    async def hear(self, message: list[Any]) -> None:
        match message:
            case ["EVENT", _, {"kind": 20302, "id": str(id_)}]:
                self.states[id_] += 1
            case _:
                pass
        await super().hear(message)

    async def on_turn(self, ply: int, game: Sequence[tuple[str, ...]]) -> None:
        """Wait for `move`."""
        if ply in {0, 1}:
            self._plies = random.randint(*_PLIES)  # noqa: S311 - no secret
        if self._turn is None:
            self._waiting.append(self)
        self._turn = (ply, game)

    async def move(self) -> None:
        if self._turn is None:
            return
        (ply, game), self._turn = self._turn, None
        self.sending(ply + 1)
        await self.send(MOVE, "resign" if ply >= self._plies else self.chosen(), *game)

    def arrived(self, ply: int) -> None:
        super().arrived(ply if ply in self._sent else ply + 1)


class Watcher:
    """A socket that is sent the states of a player's games."""

    def __init__(self, player: CrowdPlayer) -> None:
        self.player = player
        self.states: Counter[str] = Counter()
        self.is_open = asyncio.Event()

    async def play(self, url: str, address: str) -> None:
        """Watch until cancelled."""
        async with connected(url, address) as socket:
            wanted = {"kinds": [STATE], "#p": [self.player.pubkey]}
            await socket.send(json.dumps(["REQ", "w", wanted]))
            self.is_open.set()
            async for frame in socket:
                match json.loads(frame):
                    case ["EVENT", _, {"id": str(id_)}]:
                        self.states[id_] += 1
                    case _:
                        pass


class Load:
    """The load of one process: so many players, who move in turn, and those that watch them."""

    def __init__(self, server: str, players: int) -> None:
        self._seen = Seen()
        self._waiting = deque[CrowdPlayer]()
        self._players = [CrowdPlayer(server, self._seen, self._waiting) for _ in range(players)]
        # Every second of the watchers of two seats a game.
        seats = [one for one in self._players for _ in range(WATCHERS)][::2]
        self._watchers = [Watcher(one) for one in seats]
        self._open: list[asyncio.Task[None]] = []
        self._sent = self._starved = 0

    async def open(self, url: str, number: int) -> None:
        """Connect, and find opponents."""
        addresses = (f"127.{number + 1}.{at // 250}.{at % 250 + 1}" for at in count())
        everyone: list[CrowdPlayer | Watcher] = [*self._players, *self._watchers]
        for at, one in enumerate(everyone):
            self._open.append(asyncio.create_task(one.play(url, next(addresses))))
            if at % _AT_ONCE == 0:
                await one.is_open.wait()
        await asyncio.sleep(3.0)
        for one in self._players:
            await one.is_open.wait()
            await one.search()
            await asyncio.sleep(0.002)
        await asyncio.sleep(5.0)

    async def play(self, minutes: float) -> None:
        """Move at the rate of the crowd; prints a line of JSON a window."""
        self._seen.is_counting = True
        apart = 2 * SECONDS_A_MOVE / len(self._players)
        began = window = time.monotonic()
        while (now := time.monotonic()) < began + minutes * 60:
            if (now - began) / apart <= self._sent + self._starved:
                await asyncio.sleep(apart / 2)
            elif self._waiting:
                self._sent += 1
                await self._waiting.popleft().move()
            else:
                self._starved += 1
            if now - window >= _WINDOW_SECONDS:
                window += _WINDOW_SECONDS
                took_ms, self._seen.took_ms = self._seen.took_ms, []
                print(json.dumps({"took_ms": took_ms}), flush=True)

    async def close(self) -> None:
        """Wait for the last answers, and print a line of JSON of all."""
        await asyncio.sleep(_SETTLE_SECONDS)
        for task in self._open:
            if task.done():
                self._seen.trouble[f"lost: {task.exception() or 'closed'}"] += 1
        told = {
            "took_ms": self._seen.took_ms,
            "sent": self._sent,
            "starved": self._starved,
            "unanswered": sum(one.unanswered for one in self._players),
            "missed": sum((it.player.states - it.states).total() for it in self._watchers),
            "repeated": sum(it.states.total() - len(it.states) for it in self._watchers),
            "trouble": self._seen.trouble,
            "done": True,
        }
        print(json.dumps(told), flush=True)
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


async def _run(url: str, server: str, players: int, minutes: float, number: int) -> None:
    load = Load(server, players)
    await load.open(url, number)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await load.play(minutes)
    await load.close()


def crowd(minutes: float = MINUTES, games: int = GAMES) -> None:
    """Print memory and times of every half minute, and what was lost."""
    sockets = games * (2 + WATCHERS)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < sockets + _OTHER_FILES:
        print(
            f"{sockets} sockets need as many open files, and {most} are allowed: "
            f"`ulimit -n {sockets + _OTHER_FILES}` as root; LimitNOFILE= in a systemd unit"
        )
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with serving() as served:
        print(f"without sockets: {served.memory_mb:.0f} MB", flush=True)
        processes = [
            started(
                "bench.serve_crowd",
                *(served.websocket, served.pubkey, 2 * games // PROCESSES, minutes, at),
            )
            for at in range(PROCESSES)
        ]
        for process in processes:
            await_ready(process)
        print(f"{sockets} sockets, {games} games: {served.memory_mb:.0f} MB", flush=True)
        print(f"{'seconds':>8}{'moves/s':>9}{'median':>9}{'p99 ms':>9}{'core':>8}{'MB':>8}")
        for process in processes:
            go(process)
        _told(served, processes)
        for process in processes:
            process.wait(60)


def _told(served: Served, processes: "Sequence[subprocess.Popen[str]]") -> None:
    began = before = time.monotonic()
    cpu, all_ms = served.cpu_seconds, list[float]()
    while True:
        answers = [json.loads(line(process)) for process in processes]
        took_ms = sorted(ms for answer in answers for ms in answer["took_ms"])
        all_ms += took_ms
        if answers[0].get("done"):
            break
        now, computed = time.monotonic(), served.cpu_seconds
        print(
            f"{now - began:>8.0f}{len(took_ms) / (now - before):>9.0f}{_times(took_ms)}"
            f"{(computed - cpu) / (now - before):>8.0%}{served.memory_mb:>8.0f}",
            flush=True,
        )
        before, cpu = now, computed
    all_ms.sort()
    trouble = sum((Counter(answer["trouble"]) for answer in answers), Counter[str]())
    named = ("sent", "starved", "unanswered", "missed", "repeated")
    counts = {name: sum(answer[name] for answer in answers) for name in named}
    print(f"{'all':>8}{'':>9}{_times(all_ms)}  {counts} {dict(trouble.most_common(5))}")


def _times(took_ms: Sequence[float]) -> str:
    if not took_ms:
        return f"{'-':>9}{'-':>9}"
    return f"{statistics.median(took_ms):>9.1f}{took_ms[int(len(took_ms) * 0.99)]:>9.1f}"


if __name__ == "__main__":
    asyncio.run(
        _run(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
    )
