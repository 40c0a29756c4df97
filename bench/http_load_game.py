"""`load-game` after 2,000 plies against after 20: bytes and milliseconds of the same run.

`make run` in another terminal is measured too, where it runs with REQUESTS_PER_BROWSER=0.
"""

import statistics
import time
from dataclasses import dataclass

from bench.http_api import (
    Ask,
    Request,
    by_handler,
    handler_in_memory,
    handler_on_moto,
    make_move,
    new_game,
    over_http,
    running,
)
from bench.long_game import long_game

_SHORT_PLIES = 20
_LONG_PLIES = 2_000
_ROUNDS = 60
_WARM_UP_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """The size of one answer, and the median time it took."""

    plies: int
    size_bytes: int
    median_ms: float


def measure(ask: Ask) -> tuple[Measured, Measured]:
    """The short game and the long one, asked for in turn so that both meet the same machine."""
    moves = long_game(_LONG_PLIES)
    plies = (_SHORT_PLIES, _LONG_PLIES)
    games = [new_game(ask) for _ in plies]
    for game, count in zip(games, plies, strict=True):
        for uci in moves[:count]:
            make_move(ask, game, uci)
    sizes = [0, 0]
    times_ms: list[list[float]] = [[], []]
    for round_ in range(_ROUNDS):
        for which, game in enumerate(games):
            began = time.perf_counter()
            body = ask(Request("GET", "/load-game", game))
            if round_ >= _WARM_UP_ROUNDS:
                times_ms[which].append((time.perf_counter() - began) * 1_000)
            sizes[which] = len(body)
    short, long = (
        Measured(count, size, statistics.median(taken_ms))
        for count, size, taken_ms in zip(plies, sizes, times_ms, strict=True)
    )
    return short, long


def _print(way: str, short: Measured, long: Measured) -> None:
    for game in (short, long):
        print(f"{way:<12}{game.plies:>6} plies{game.size_bytes:>10} B{game.median_ms:>9.2f} ms")
    print(
        f"{way:<12}{'ratio':>12}{long.size_bytes / short.size_bytes:>10.2f}"
        f"{long.median_ms / short.median_ms:>11.2f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    _print("in memory", *measure(by_handler(handler_in_memory())))
    with handler_on_moto() as handler:
        _print("on moto", *measure(by_handler(handler)))
    if (base_url := running()) is not None:
        _print("make run", *measure(over_http(base_url)))


if __name__ == "__main__":
    main()
