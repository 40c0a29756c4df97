"""Moves a second with one worker and with two, each a process with games of its own.

A busy machine has no second core to give, so there are two figures: the throughput by the clock,
which only an idle machine can show, and the CPU of a move beside another worker, which says the
same everywhere. Where that does not grow, nothing is shared, and throughput is linear in cores.
"""

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor

from bench.figures import Figure, Target
from bench.http_long_game import long_game
from bench.measure import measured, ratio
from bench.seated import Seated

_ROUNDS = 7
_GAMES = 8
_PLIES = 65
_A_CORE_EACH = 0.9


def _work(_: int) -> tuple[float, float]:
    """Play some games; seconds of CPU, and by the clock."""
    moves = long_game(_PLIES)
    tables = [Seated("native", "native") for _ in range(_GAMES)]
    began, began_cpu = time.perf_counter(), time.process_time()
    for table in tables:
        table.play(*moves)
    return time.process_time() - began_cpu, time.perf_counter() - began


def workers() -> list[Figure]:
    """Throughput, and CPU for each move, of two workers against one."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    cpu: dict[int, list[float]] = {1: [], 2: []}
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_work, range(2)))
        for _ in range(_ROUNDS):
            for count in (1, 2):
                told = list(pool.map(_work, range(count)))
                cpu[count].append(sum(spent for spent, _ in told) / count)
                # Two do twice as much in the time of the slower.
                seconds[count].append(max(took for _, took in told) / count)
    had = measured(cpu[2]).median / (2 * measured(seconds[2]).median)
    rates = f"{_rate(seconds[2])} against {_rate(seconds[1])}, players' signatures and all"
    return [
        Figure(
            name="moves a second, two workers against one",
            measured=ratio(seconds[1], seconds[2]),
            target=Target(1.8, at_least=True) if had >= _A_CORE_EACH else None,
            note=f"{rates}; by the clock, where each of two had {had:.0%} of a core"
            + ("" if had >= _A_CORE_EACH else ": too busy a machine to judge"),
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
