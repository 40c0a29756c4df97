"""`arbiter serve` under load: moves a second, how long a move takes, and what it costs; beside it
the chessgame-backend on its databases, if `sh bench/original.sh` brought it, and what runs in the
folder RUNNING (such as .run), of an emulator.

What is measured and the players are processes of their own on this machine. Processor time is that
of all processes that serve, from /proc; other programs on the machine change it less than the other
figures.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.serve [SECONDS] [CASE…]
    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.serve crowd [MINUTES] [GAMES]
"""

import contextlib
import json
import secrets
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from arbiter.nostr.event import (
    EventTemplate,
    ParseError,
    event_from_json,
    event_to_json,
    verify,
)
from arbiter.nostr.keys import SecretKey
from bench.serve_crowd import GAMES, MINUTES, crowd
from bench.served import (
    NotHere,
    Served,
    original_on_postgres,
    original_on_sqlite,
    relay,
    running,
    serving,
)

_PLAYER_PROCESSES = 2
_FLOOR_EVENTS = 1_000


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured: so many games at once on one wire."""

    name: str
    wire: str
    games: int
    serve: Callable[[], AbstractContextManager[Served]] = serving


CASES = (
    Case("native-1", "native", 1),
    Case("native-20", "native", 20),
    Case("native-100", "native", 100),
    Case("nip100-1", "nip100", 1),
    Case("nip100-100", "nip100", 100),
    Case("hot-seat-1", "http", 1),
    Case("original-sqlite-1", "http", 1, original_on_sqlite),
    Case("original-postgres-1", "http", 1, original_on_postgres),
    Case("hot-seat-20", "http", 20),
    Case("original-sqlite-20", "http", 20, original_on_sqlite),
    Case("original-postgres-20", "http", 20, original_on_postgres),
    Case("relay-echo", "echo", 1),
    Case("relay-1", "relay", 1),
    Case("relay-20", "relay", 20),
    Case("running-native-1", "native", 1, running),
    Case("running-native-20", "native", 20, running),
    Case("running-hot-seat-20", "http", 20, running),
)


def measure(case: Case, seconds: float) -> str:
    """One line of the table."""
    with contextlib.ExitStack() as started:
        is_over_relay = case.wire in {"relay", "echo"}
        try:
            if is_over_relay:
                url = started.enter_context(relay())
                served = started.enter_context(serving(url))
            else:
                served = started.enter_context(case.serve())
                url = served.http if case.wire == "http" else served.websocket
        except NotHere as why:
            return f"{case.name:<22}not measured: {why}"
        module = "bench.serve_browsers" if case.wire == "http" else "bench.serve_players"
        players = case.games if case.wire in {"http", "echo"} else 2 * case.games
        processes = _started(module, url, served.pubkey, case, _shares(players), seconds)
        for process in processes:
            if _line(process) != "ready\n":
                raise RuntimeError(f"{module} failed")
        before, began = served.cpu_seconds, time.monotonic()
        for process in processes:
            _say(process, "go\n")
        answers = [json.loads(_line(process)) for process in processes]
        took, cpu = time.monotonic() - began, served.cpu_seconds - before
        for process in processes:
            process.wait(10)
        return _row(case, answers, took, cpu, served.memory_mb)


def _row(
    case: Case, answers: Sequence[dict[str, Any]], took: float, cpu: float, memory: float
) -> str:
    took_ms = sorted(ms for answer in answers for ms in answer["took_ms"])
    trouble = sum((Counter(answer["trouble"]) for answer in answers), Counter[str]())
    moves = len(took_ms)
    if not moves:
        return f"{case.name:<22} no move was made: {dict(trouble)}"
    return (
        f"{case.name:<22}{moves / took:>9.0f}{statistics.median(took_ms):>9.1f}"
        f"{took_ms[int(moves * 0.99)]:>9.1f}{1000 * cpu / moves:>9.2f}{cpu / took:>8.0%}"
        f"{memory:>8.0f}  {dict(trouble.most_common(3)) or ''}"
    )


def _shares(players: int) -> list[int]:
    if players <= _PLAYER_PROCESSES:
        return [players]
    share = players // _PLAYER_PROCESSES
    return [share] * (_PLAYER_PROCESSES - 1) + [players - share * (_PLAYER_PROCESSES - 1)]


def _started(
    module: str, url: str, pubkey: str, case: Case, shares: Sequence[int], seconds: float
) -> "list[subprocess.Popen[str]]":
    return [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                module,
                url,
                pubkey,
                case.wire,
                str(share),
                str(seconds),
                str(at),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for at, share in enumerate(shares)
    ]


def _line(process: "subprocess.Popen[str]") -> str:
    return process.stdout.readline() if process.stdout else ""


def _say(process: "subprocess.Popen[str]", text: str) -> None:
    if process.stdin:
        process.stdin.write(text)
        process.stdin.flush()


def _floor_ms() -> float:
    """Processor time of one signature and one verification, now: how busy the machine is."""
    key = SecretKey.generate(secrets.token_bytes(32))
    began = time.process_time()
    for at in range(_FLOOR_EVENTS):
        signed = key.sign(EventTemplate(1, (), "", at))
        claimed = event_from_json(event_to_json(signed))
        if isinstance(claimed, ParseError) or isinstance(verify(claimed), ParseError):
            raise TypeError(claimed)
    return 1000 * (time.process_time() - began) / _FLOOR_EVENTS


def main(seconds: float, names: Sequence[str]) -> None:
    """Print the table."""
    print(f"a signature and a verification: {_floor_ms():.2f} ms of processor time", flush=True)
    with serving() as server:
        time.sleep(2)
        before = server.cpu_seconds
        time.sleep(5)
        idle = (server.cpu_seconds - before) / 5
        print(
            f"ready in {server.ready_seconds:.2f} s; idle: {server.memory_mb:.0f} MB, "
            f"{idle:.1%} of a core",
            flush=True,
        )
    print(f"{'':<22}{'moves/s':>9}{'median':>9}{'p99 ms':>9}{'CPU ms':>9}{'core':>8}{'MB':>8}")
    for case in CASES:
        if not names or case.name in names:
            print(measure(case, seconds), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["crowd"]:
        minutes, games = [*sys.argv[2:], "", ""][:2]
        crowd(float(minutes or MINUTES), int(games or GAMES))
        sys.exit()
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 8.0, sys.argv[2:])
