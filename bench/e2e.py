"""What a move costs from the client that sends it to the client that sees its state: milliseconds,
moves a second, processor time by process, and calls by kind.

The arbiter is started for it: on the emulated cloud, or with WIRING=serve in one process. OF=REF
measures an older commit by this bench. The players are processes of their own on this machine. How
long an event takes to a relay and back, without an arbiter, is measured first: nostr-relay as it
comes, by which the targets are given, and the relay of the run. Results are added
to bench/e2e.json, which is not committed; `bench.e2e_picture` draws them.

    PYTHONPATH=.:layers/arbiter/python .venv/bin/python -m bench.e2e [SECONDS] [CASE…]
"""

import contextlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, Target, certain, table
from bench.playing import Played, play
from bench.running import Running, running_cloud, running_server
from bench.served import relay

_OF_TABLES = (
    "BatchGetItem",
    "BatchWriteItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "TransactWriteItems",
    "UpdateItem",
)

_REST_SECONDS = 30.0
_AT_REST = 0.15
"""Seconds of processor time in one second."""

RESULTS = Path(__file__).parent / "e2e.json"


@dataclass(frozen=True, slots=True)
class Case:
    """So many games at once on one wire."""

    name: str
    wire: str
    games: int


CASES = (
    *(Case(f"relay, {games}", "relay", games) for games in (1, 8, 20, 100)),
    *(Case(f"gateway, {games}", "native", games) for games in (1, 8, 20, 100)),
    Case("gateway, 20, thinking", "board", 20),
    *(Case(f"NIP-100, {games}", "nip100", games) for games in (1, 20)),
    *(Case(f"hot seat, {games}", "http", games) for games in (1, 20)),
)


@dataclass(frozen=True, slots=True)
class Look:
    """What all processes computed so far (seconds, by role), and the calls so far, by kind."""

    cpu: Mapping[str, float]
    calls: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case: milliseconds, and by role and kind what one move used."""

    name: str
    moves_a_second: float
    median_ms: float
    p99_ms: float
    cpu_ms: Mapping[str, float]
    calls: Mapping[str, float]
    trouble: Mapping[str, int]


def measured(running: Running, case: Case, seconds: float) -> Row:
    """Play this case, once nothing of the one before is under way, such as sockets that close.
    Raises RuntimeError if no move was made.
    """
    _await_rest(running)
    url = {"http": running.http, "relay": running.relay, "echo": running.relay}.get(
        case.wire, running.websocket
    )
    played = play(
        url,
        running.pubkey,
        case.wire,
        case.games,
        seconds,
        lambda: Look(running.cpu_seconds(), running.calls()),
    )
    if not played.moves:
        raise RuntimeError(f"{case.name}: no move was made: {dict(played.trouble)}")
    return _row(case.name, played)


def _await_rest(running: Running) -> None:
    ends_at = time.monotonic() + _REST_SECONDS
    while time.monotonic() < ends_at:
        before = sum(running.cpu_seconds().values())
        time.sleep(1)
        if sum(running.cpu_seconds().values()) - before < _AT_REST:
            return


def _row(name: str, played: Played[Look]) -> Row:
    before, after = played.before, played.after
    cpu = {role: after.cpu[role] - before.cpu.get(role, 0.0) for role in after.cpu}
    return Row(
        name=name,
        moves_a_second=played.moves / played.seconds,
        median_ms=played.median_ms,
        p99_ms=played.p99_ms,
        cpu_ms={role: 1000 * used / played.moves for role, used in cpu.items()},
        calls={kind: n / played.moves for kind, n in (after.calls - before.calls).items()},
        trouble=dict(played.trouble.most_common(3)),
    )


def speeds(rows: Sequence[Row], echo: Row) -> str:
    """How long a move takes, and who computes how much for it, as a table in Markdown."""
    roles = sorted({role for row in rows for role in row.cpu_ms})
    head = ("", "moves/s", "median ms", "of echo", "p99 ms", "CPU ms", *roles)
    lines = [
        (
            row.name,
            f"{row.moves_a_second:.0f}",
            f"{row.median_ms:.1f}",
            f"{row.median_ms / echo.median_ms:.1f}",
            f"{row.p99_ms:.0f}",
            f"{sum(row.cpu_ms.values()):.1f}",
            *(_brief(row.cpu_ms.get(role, 0.0)) for role in roles),
        )
        for row in rows
    ]
    return _markdown((head, *lines))


def calls(rows: Sequence[Row]) -> str:
    """The calls and invocations of a move, as a table in Markdown."""
    kinds = sorted({kind for row in rows for kind, times in row.calls.items() if times >= 0.01})  # noqa: PLR2004 - a call in a hundred moves
    lines = [(row.name, *(_brief(row.calls.get(kind, 0.0), 2) for kind in kinds)) for row in rows]
    return _markdown((("", *kinds), *lines)) if kinds else ""


def _brief(value: float, digits: int = 1) -> str:
    text = f"{value:.{digits}f}"
    return "" if float(text) == 0 else text


def _markdown(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    rule = ("-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:]))
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |"
        for line in (lines[0], rule, *lines[1:])
    )


@contextlib.contextmanager
def _started(wiring: str, ref: str) -> Iterator[Running]:
    if wiring == "serve":
        with running_server() as running:
            yield running
    else:
        with running_cloud(ref) as running:
            yield running


def _keep(name: str, rows: Sequence[Row]) -> None:
    kept: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(RESULTS.read_text(encoding="utf-8"))
    kept[name] = [{at: getattr(row, at) for at in Row.__slots__} for row in rows]
    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def targets(rows: Sequence[Row], echo: Row, plain: float) -> str:
    """What is wanted of these cases, and whether it is so; ``plain`` is the echo, in milliseconds,
    of nostr-relay as it comes.
    """
    by_name = {row.name: row for row in rows}
    figures = [
        Figure(name=name, measured=certain(value(by_name[case])), unit=unit, target=target)
        for case, name, unit, target, value in (
            *(
                (case, f"{what}, over {whose} echo", "x", Target(10), _over(ms))
                for whose, ms in (("nostr-relay's", plain), ("our relay's", echo.median_ms))
                for case, what in (("relay, 1", "over the relay"), ("gateway, 1", "at the gateway"))
            ),
            ("relay, 20", "20 games over the relay", "moves/s", Target(100, at_least=True), _speed),
            (
                "gateway, 20",
                "20 games at the gateway",
                "moves/s",
                Target(60, at_least=True),
                _speed,
            ),
            ("relay, 20", "process_events, 20 games", "ms CPU", Target(4), _cpu("process_events")),
            ("hot seat, 1", "http_api, hot seat", "ms CPU", Target(2.56), _cpu("http_api")),
            ("relay, 1", "table calls over the relay", "", Target(3), _table_calls),
            ("gateway, 20, thinking", "table calls at the gateway", "", Target(6), _table_calls),
        )
        if case in by_name
    ]
    return table(figures)


_Value = Callable[[Row], float]


def _over(echo_ms: float) -> _Value:
    return lambda row: row.median_ms / echo_ms


def _speed(row: Row) -> float:
    return row.moves_a_second


def _cpu(role: str) -> _Value:
    return lambda row: row.cpu_ms.get(role, 0.0)


def _table_calls(row: Row) -> float:
    """To the nearest: pairing, and moves under way at the end, are in it."""
    return round(sum(row.calls.get(kind, 0.0) for kind in _OF_TABLES))


def main(wiring: str, ref: str, seconds: float, names: Sequence[str]) -> None:
    """Measure, print the tables, keep the results."""
    rows: list[Row] = []
    with relay(is_plain=True) as (url, _):
        plain = play(url, "", "echo", 1, seconds, lambda: None).median_ms
    print(f"nostr-relay's echo: {plain:.1f} ms", flush=True)
    with _started(wiring, ref) as running:
        echo = measured(running, Case("the relay's echo", "echo", 1), seconds)
        print(f"the relay's echo: {echo.median_ms:.1f} ms, p99 {echo.p99_ms:.0f} ms", flush=True)
        for case in CASES:
            if names and case.name not in names:
                continue
            try:
                row = measured(running, case, seconds)
            except RuntimeError as why:
                print(why, flush=True)
                continue
            rows.append(row)
            spent = sum(row.cpu_ms.values())
            print(
                f"… {row.name}: {row.moves_a_second:.0f} moves/s, {row.median_ms:.0f} ms, "
                f"CPU {spent:.1f} ms {row.trouble or ''}",
                flush=True,
            )
    if rows:
        print(f"\n{speeds(rows, echo)}\n\n{calls(rows)}\n\n{targets(rows, echo, plain)}")
    _keep(ref or wiring, [echo, *rows])


if __name__ == "__main__":
    given = sys.argv[1:]
    main(
        os.environ.get("WIRING") or "cloud",
        os.environ.get("OF", ""),
        float(given[0]) if given else 8.0,
        given[1:],
    )
