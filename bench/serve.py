"""`arbiter serve` under load: moves a second, how long a move takes, and the processor time, from
/proc, of all processes that serve. The players are processes of their own on this machine. The rows
are added to bench/serve.json.

    make bench-serve ARGS="[SECONDS] [CASE…]"

    make bench-serve ARGS="crowd [MINUTES] [GAMES]"
"""

import contextlib
import secrets
import sys
import time
from collections.abc import Mapping, Sequence

from arbiter.nostr.event import EventTemplate, event_from_json, event_to_json, verify
from arbiter.nostr.keys import SecretKey
from bench.figures import SERVE, keep
from bench.playing import Case, Played, play
from bench.serve_crowd import GAMES, MINUTES, crowd
from bench.served import relay, serving

_FLOOR_EVENTS = 1_000
_HEAD = ("moves/s", "median ms", "p99 ms", "CPU ms", "core", "MB")

CASES = (
    *(Case(f"native-{games}", "native", games) for games in (1, 20, 100)),
    *(Case(f"nip100-{games}", "nip100", games) for games in (1, 100)),
    *(Case(f"hot-seat-{games}", "http", games) for games in (1, 20)),
    Case("relay-echo", "echo", 1),
    *(Case(f"relay-{games}", "relay", games) for games in (1, 20)),
)


def measured(case: Case, seconds: float) -> tuple[Sequence[str], Mapping[str, int]]:
    """One row, and what troubled the players; RuntimeError if no move was made."""
    with contextlib.ExitStack() as started:
        if case.wire in {"relay", "echo"}:
            url, _ = started.enter_context(relay())
            served = started.enter_context(serving(url))
        else:
            served = started.enter_context(serving())
            url = served.http if case.wire == "http" else served.websocket
        played: Played[float] = play(url, served.pubkey, case, seconds, lambda: served.cpu_seconds)
        cpu = played.after - played.before
        cells = (
            f"{played.moves_a_second:.0f}",
            f"{played.median_ms:.1f}",
            f"{played.p99_ms:.1f}",
            f"{1000 * cpu / len(played.took_ms):.2f}",
            f"{cpu / played.seconds:.0%}",
            f"{served.memory_mb:.0f}",
        )
        return cells, dict(played.trouble.most_common(3))


def _floor_ms() -> float:
    """Processor time of one signature and one verification, now: how busy the machine is."""
    key = SecretKey.generate(secrets.token_bytes(32))
    began = time.process_time()
    for at in range(_FLOOR_EVENTS):
        claimed = event_from_json(event_to_json(key.sign(EventTemplate(1, (), "", at))))
        verify(claimed)  # type: ignore[arg-type]
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
    print(_line("", _HEAD))
    rows: dict[str, Sequence[str]] = {}
    for case in CASES:
        if names and case.name not in names:
            continue
        try:
            rows[case.name], trouble = measured(case, seconds)
        except RuntimeError as why:
            print(why, flush=True)
            continue
        print(_line(case.name, rows[case.name]), trouble or "", flush=True)
    keep(SERVE, "serve", _HEAD, rows)


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<14}" + "".join(f"{cell:>10}" for cell in cells)


if __name__ == "__main__":
    if sys.argv[1:2] == ["crowd"]:
        minutes, games = [*sys.argv[2:], "", ""][:2]
        crowd(float(minutes or MINUTES), int(games or GAMES))
        sys.exit()
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 8.0, sys.argv[2:])
