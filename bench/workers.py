"""Moves a second with one worker and with two, each a process with games of its own.

A busy machine has no second core to give, so there are two figures: the throughput by the clock,
which only an idle machine can show, and the CPU of a move beside another worker, which says the
same everywhere. Where that does not grow, nothing is shared, and throughput is linear in cores.
"""

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor

from bench.figures import Figure, Target
from bench.http_long_game import long_game
from bench.measure import measured, ratio
from bench.seated import Seated

_ROUNDS = 7
_GAMES = 8
_PLIES = 65


def _work(_: int) -> float:
    """Play some games; seconds of CPU."""
    moves = long_game(_PLIES)
    tables = [Seated("native", "native") for _ in range(_GAMES)]
    began = time.process_time()
    for table in tables:
        table.play(*moves)
    return time.process_time() - began


def workers() -> list[Figure]:
    """Throughput, and CPU for each move, of two workers against one."""
    busy = os.getloadavg()[0]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    cpu: dict[int, list[float]] = {1: [], 2: []}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_work, range(2)))
        for _ in range(_ROUNDS):
            for count in (1, 2):
                began = time.perf_counter()
                told = list(pool.map(_work, range(count)))
                # Two do twice as much.
                seconds[count].append((time.perf_counter() - began) / count)
                cpu[count].append(sum(told) / count)
    return [
        Figure(
            name="moves a second, two workers against one",
            measured=ratio(seconds[1], seconds[2]),
            target=Target(1.8, at_least=True),
            note=f"{_rate(seconds[2])} against {_rate(seconds[1])}, players' signatures and all; "
            f"by the clock on {os.cpu_count()} cores, where {busy:.1f} others wanted one",
        ),
        Figure(
            name="CPU of a move, two workers against one",
            measured=ratio(cpu[2], cpu[1]),
            target=Target(1.1),
            note="1 is linear, as far as there are cores",
        ),
    ]


def _rate(seconds: list[float]) -> str:
    return f"{_GAMES * _PLIES / measured(seconds).median:.0f}/s"
