"""`make fire`: `arbiter serve` with its usual limits, an honest pair at its gateway and one over a
relay, and beside them one attack after the other. Prints what the pairs saw, whom the clocks
charged, and what it cost. Fails if a pair saw no move, or the server logged an error.

    make fire ARGS="[SECONDS] [ADDRESSES] [ATTACK…]"

The attacks are those of `bench.fire_attacks`, from so many addresses; ``calm`` is none of them.
"""

import contextlib
import json
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

import chess

from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.timers import SystemClock
from arbiter.application.ports import LobbyChange
from arbiter.core.game import WHITE, Game, Outcome, Seat, Termination
from arbiter.nostr.keys import SecretKey
from bench.fire_attacks import ATTACKS, Target
from bench.long_game import long_game
from bench.playing import await_ready, go, line, started
from bench.served import Served, relay, serving

T = TypeVar("T", str, bytes)

CALM = "calm"
_SECONDS, _ADDRESSES = 20.0, 1
_GAMES, _PLIES = 25, 400
_AFTER_SECONDS = 60.0
_LOOK_SECONDS = 0.25
_PATIENCE_SECONDS = 30


@dataclass
class Watch:
    """A watch on a server until `stop`: its memory, and how long `/healthz` takes."""

    served: Served
    memory_mb: list[float] = field(default_factory=list)
    health_ms: list[float] = field(default_factory=list)
    _done: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        for look in (self._memory, self._health):
            threading.Thread(target=self._again, args=(look,), daemon=True).start()

    def stop(self) -> None:
        """Look no more."""
        self._done.set()

    def _again(self, look: Callable[[], None]) -> None:
        while not self._done.wait(_LOOK_SECONDS):
            look()

    def _memory(self) -> None:
        self.memory_mb.append(self.served.memory_mb)

    def _health(self) -> None:
        began = time.monotonic()
        with contextlib.suppress(OSError):
            url = f"{self.served.http}/healthz"
            urllib.request.urlopen(url, timeout=_PATIENCE_SECONDS).read()  # noqa: S310 - ours
        self.health_ms.append(1000 * (time.monotonic() - began))


def main(seconds: float, addresses: int, names: Sequence[str]) -> list[str]:
    """Print the table; the attacks that stopped the play, or made the server log an error."""
    print(f"{seconds:.0f} s each, from {addresses} addresses")
    print(
        f"{'':<17}{'moves':>6}{'p50 ms':>8}{'p99':>7}{'most':>7}{'charged':>9}"
        f"{'  health':>8}{'MB':>6}{'most':>6}{'after':>6}{'errors':>7}"
    )
    harmful: list[str] = []
    for name in names or (CALM, *ATTACKS):
        with contextlib.ExitStack() as running:
            url, _ = running.enter_context(relay())
            games: list[str] = []
            served = running.enter_context(serving(url, {}, partial(_put_games, games)))
            if not _measure(name, seconds, addresses, served, url, games):
                harmful.append(name)
    return harmful


def _measure(
    name: str, seconds: float, addresses: int, served: Served, relay_url: str, games: list[str]
) -> bool:
    """Print the two rows of an attack; whether all played on, and no error was logged."""
    victim = SecretKey.generate(secrets.token_bytes(32)).pubkey
    target = Target(
        http=served.http,
        websocket=served.websocket,
        relay=relay_url,
        server=served.pubkey,
        games=games,
        victim=victim,
        addresses=addresses,
    )
    urls = {"gateway": served.websocket, "relay": relay_url}
    watch = Watch(served)
    with contextlib.ExitStack() as running:
        pairs = [
            running.enter_context(
                killed(
                    started("bench.serve_players", there, served.pubkey, "timed", 2, seconds, at)
                )
            )
            for at, there in enumerate(urls.values())
        ]
        for pair in pairs:
            await_ready(pair)
        before_mb = served.memory_mb
        watch.start()
        with _attack(name, target):
            for pair in pairs:
                go(pair)
            seen = [json.loads(line(pair)) for pair in pairs]
        watch.stop()
        for pair in pairs:
            pair.wait(_PATIENCE_SECONDS)
    time.sleep(min(seconds, _AFTER_SECONDS))
    memory = f"{before_mb:>6.0f}{max(watch.memory_mb):>6.0f}{served.memory_mb:>6.0f}"
    for wire, told in zip(urls, seen, strict=True):
        took_ms = sorted(told["took_ms"]) or [float("inf")]
        row = f"{name if wire == 'gateway' else '  over a relay':<17}{len(told['took_ms']):>6}"
        row += f"{took_ms[len(took_ms) // 2]:>8.0f}{took_ms[int(len(took_ms) * 0.99)]:>7.0f}"
        row += f"{took_ms[-1]:>7.0f}{told['charged_ms']:>9}"
        if wire == "gateway":
            row += f"{max(watch.health_ms):>8.0f}{memory}{_errors(served.log):>7}"
        print(row, told["trouble"] or "", flush=True)
    return all(told["took_ms"] for told in seen) and not _errors(served.log)


@contextlib.contextmanager
def _attack(name: str, target: Target) -> Iterator[None]:
    if name == CALM:
        yield
        return
    command = (sys.executable, "-m", "bench.fire_attacks", name, json.dumps(asdict(target)))
    with killed(subprocess.Popen(command)) as attack:
        time.sleep(1)
        yield
        if attack.poll() is not None:
            raise RuntimeError(f"{name}: the attack ended")


def _errors(log: Path | None) -> int:
    text = log.read_text(encoding="utf-8", errors="replace") if log else ""
    return sum('"ERROR"' in one or " ERROR " in one for one in text.splitlines())


def _put_games(ids: list[str], database: Path) -> None:
    """Put long games that are over into this file, and their ids into the list."""
    clock = SystemClock()
    now_ms = clock.now_ms()
    moves = tuple(map(chess.Move.from_uci, long_game(_PLIES)))
    players = [SecretKey.generate(secrets.token_bytes(32)).pubkey for _ in range(2)]
    white, black = (Seat(player, "native") for player in players)
    games = [
        Game(
            id=secrets.token_hex(16),
            white=white,
            black=black,
            created_at_ms=now_ms,
            changed_at_ms=now_ms + at,
            ended_at_ms=now_ms + at,
            moves=moves,
            outcome=Outcome(Termination.RESIGNATION, WHITE),
        )
        for at in range(_GAMES)
    ]
    with Store.open(database) as store:
        StoredLobby(SqliteTable(store), clock).commit(LobbyChange(other_games=tuple(games)))
    ids += [game.id for game in games]


@contextlib.contextmanager
def killed(process: "subprocess.Popen[T]") -> Iterator["subprocess.Popen[T]"]:
    """Kill the process when the block ends, however it ends."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def end_blocks_on_sigterm() -> None:
    """Have SIGTERM end all blocks, and with them what they started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))


if __name__ == "__main__":
    end_blocks_on_sigterm()
    given = sys.argv[1:]
    numbers = [given.pop(0) for _ in range(2) if given and given[0].replace(".", "").isdigit()]
    failed = main(
        float(numbers[0]) if numbers else _SECONDS,
        int(numbers[1]) if len(numbers) > 1 else _ADDRESSES,
        given,
    )
    sys.exit(f"harmful: {', '.join(failed)}" if failed else 0)
