"""The cost of a move from the client that sends it to the client that sees its state: milliseconds,
moves a second, processor time by process, and calls by kind, on the emulated cloud.

Measured first: an event to a relay and back, without an arbiter. Results go to bench/e2e.json.

    make bench-e2e ARGS="[SECONDS] [CASE…]"
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.figures import E2E, TARGETS, judged, keep
from bench.measure import Figure, Target, table
from bench.playing import Case, Played, play
from bench.running import Running, running_cloud
from bench.served import relay

_OF_TABLES = (
    *("BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query"),
    *("TransactWriteItems", "UpdateItem"),
)
_ROLES = ("process_events", "gateway", "http_api", "emulator", "relay")
_HEAD = ("moves/s", "median ms", "CPU ms", *(f"`{role}`" for role in _ROLES), "table calls")
_REST_SECONDS = 30.0
_AT_REST = 0.15
"""Seconds of processor time in one second."""
_SELDOM = 0.01
"""A call in a hundred moves."""

CASES = (
    *(Case(f"relay, {games}", "relay", games) for games in (1, 8, 20, 100)),
    *(Case(f"gateway, {games}", "native", games) for games in (1, 8, 20, 100)),
    Case("gateway, 20, thinking", "board", 20),
    *(Case(f"NIP-100, {games}", "nip100", games) for games in (1, 20)),
    *(Case(f"hot seat, {games}", "http", games) for games in (1, 20)),
)


@dataclass(frozen=True, slots=True)
class Look:
    """CPU seconds of all processes until now, by role, and their calls, by kind."""

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

    @property
    def table_calls(self) -> float:
        """Calls to DynamoDB: pairing, and moves under way at the end, are in it."""
        return sum(self.calls.get(kind, 0.0) for kind in _OF_TABLES)

    def cells(self) -> Sequence[str]:
        """The row of this case in docs/figures.md; empty for what computes nothing."""
        by_role = [f"{self.cpu_ms.get(role, 0.0):.1f}" for role in _ROLES]
        return (
            f"{self.moves_a_second:.0f}",
            f"{self.median_ms:.0f}",
            f"{sum(self.cpu_ms.values()):.1f}",
            *("" if used == "0.0" else used for used in by_role),
            f"{self.table_calls:.1f}",
        )


def measured(running: Running, case: Case, seconds: float) -> Row:
    """Play this case, once that before is at rest. Raises RuntimeError if no move was made."""
    _await_rest(running)
    urls = {"http": running.http, "relay": running.relay, "echo": running.relay}
    played = play(
        urls.get(case.wire, running.websocket),
        running.pubkey,
        case,
        seconds,
        lambda: Look(running.cpu_seconds(), running.calls()),
    )
    return row_of(case.name, played)


def _await_rest(running: Running) -> None:
    ends_at = time.monotonic() + _REST_SECONDS
    while time.monotonic() < ends_at:
        before = sum(running.cpu_seconds().values())
        time.sleep(1)
        if sum(running.cpu_seconds().values()) - before < _AT_REST:
            return


def row_of(name: str, played: Played[Look]) -> Row:
    before, after, moves = played.before, played.after, len(played.took_ms)
    cpu = {role: used - before.cpu.get(role, 0.0) for role, used in after.cpu.items()}
    return Row(
        name=name,
        moves_a_second=played.moves_a_second,
        median_ms=played.median_ms,
        p99_ms=played.p99_ms,
        cpu_ms={role: 1000 * used / moves for role, used in cpu.items()},
        calls={kind: times / moves for kind, times in (after.calls - before.calls).items()},
        trouble=dict(played.trouble.most_common(3)),
    )


def told(row: Row, echo_ms: float) -> str:
    calls = {kind: f"{times:.2f}" for kind, times in row.calls.items() if times >= _SELDOM}
    cpu = {role: f"{used:.1f}" for role, used in row.cpu_ms.items() if used >= _SELDOM}
    return (
        f"{row.name}: {row.moves_a_second:.0f} moves/s, median {row.median_ms:.1f} ms "
        f"({row.median_ms / echo_ms:.1f} of the echo), p99 {row.p99_ms:.0f} ms\n"
        f"    CPU {sum(row.cpu_ms.values()):.1f} ms: {_listed(cpu)}\n"
        f"    calls: {_listed(calls)} {row.trouble or ''}"
    )


def _listed(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in sorted(parts.items()))


def targets(rows: Sequence[Row], echo_ms: float, plain_ms: float) -> list[Figure]:
    """The goals for these cases; ``plain_ms`` is the echo of nostr-relay as it comes."""
    by_name = {row.name: row for row in rows}

    def over(whose_ms: float) -> Callable[[Row], float]:
        return lambda row: row.median_ms / whose_ms

    def cpu(role: str) -> Callable[[Row], float | None]:
        return lambda row: row.cpu_ms.get(role)

    wanted: tuple[tuple[str, str, str, Target, Callable[[Row], float | None]], ...] = (
        *(
            (case, f"{what}, over {whose} echo", "x", Target(10), over(whose_ms))
            for whose, whose_ms in (("nostr-relay's", plain_ms), ("our relay's", echo_ms))
            for case, what in (("relay, 1", "over the relay"), ("gateway, 1", "at the gateway"))
        ),
        *(
            (f"{where}, 20", f"20 games, {where}", "moves/s", Target(least, at_least=True), _speed)
            for where, least in (("relay", 100), ("gateway", 60))
        ),
        ("relay, 20", "process_events, 20 games", "ms CPU", Target(4), cpu("process_events")),
        ("hot seat, 1", "http_api, hot seat", "ms CPU", Target(2.56), cpu("http_api")),
        ("relay, 1", "table calls over the relay", "", Target(3), _whole_table_calls),
        ("gateway, 20, thinking", "table calls at the gateway", "", Target(6), _whole_table_calls),
    )
    return [
        Figure(name=name, value=found, unit=unit, target=target)
        for case, name, unit, target, value in wanted
        if case in by_name and (found := value(by_name[case])) is not None
    ]


def _speed(row: Row) -> float:
    return row.moves_a_second


def _whole_table_calls(row: Row) -> float | None:
    return round(row.table_calls) if row.calls else None


def main(seconds: float, names: Sequence[str]) -> None:
    echo_case = Case("the relay's echo", "echo", 1)
    rows: list[Row] = []
    with relay(is_plain=True) as (url, _):
        plain_ms = play(url, "", echo_case, seconds, lambda: None).median_ms
    print(f"nostr-relay's echo: {plain_ms:.1f} ms", flush=True)
    with running_cloud() as running:
        echo = measured(running, echo_case, seconds)
        print(f"the relay's echo: {echo.median_ms:.1f} ms, p99 {echo.p99_ms:.0f} ms", flush=True)
        for case in CASES:
            if names and case.name not in names:
                continue
            try:
                rows.append(measured(running, case, seconds))
            except RuntimeError as why:
                print(why, flush=True)
                continue
            print(told(rows[-1], echo.median_ms), flush=True)
    figures = targets(rows, echo.median_ms, plain_ms)
    print(f"\n{table(figures)}")
    keep(E2E, "moves", _HEAD, {row.name: row.cells() for row in rows})
    keep(E2E, "targets", TARGETS, judged(figures))


if __name__ == "__main__":
    given = sys.argv[1:]
    main(float(given[0]) if given else 8.0, given[1:])
