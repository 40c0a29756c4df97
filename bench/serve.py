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
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from arbiter.nostr.event import (
    EventTemplate,
    ParseError,
    event_from_json,
    event_to_json,
    verify,
)
from arbiter.nostr.keys import SecretKey
from bench.playing import Played, play
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
                url, _ = started.enter_context(relay())
                served = started.enter_context(serving(url))
            else:
                served = started.enter_context(case.serve())
                url = served.http if case.wire == "http" else served.websocket
        except NotHere as why:
            return f"{case.name:<22}not measured: {why}"
        played = play(
            url, served.pubkey, case.wire, case.games, seconds, lambda: served.cpu_seconds
        )
        return _row(case, played, served.memory_mb)


def _row(case: Case, played: Played[float], memory: float) -> str:
    trouble = dict(played.trouble.most_common(3))
    if not played.moves:
        return f"{case.name:<22} no move was made: {trouble}"
    cpu, took = played.after - played.before, played.seconds
    return (
        f"{case.name:<22}{played.moves / took:>9.0f}{played.median_ms:>9.1f}"
        f"{played.p99_ms:>9.1f}{1000 * cpu / played.moves:>9.2f}{cpu / took:>8.0%}"
        f"{memory:>8.0f}  {trouble or ''}"
    )


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
