"""`make bench`: the figures of this machine, also written to bench/results.json."""

import statistics
import time
from collections.abc import Callable

from arbiter.core.pairing import MAX_SLOW_GAMES
from bench import bills, event_bills, notice_bills
from bench.counted_table import PackedGames
from bench.figures import BENCH, TARGETS, judged, keep, seen
from bench.long_game import long_game
from bench.measure import Figure, Target, table
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, a_key

_GAMES, _PLIES = 6, 65
_BY_DAYS = ("time", "3d")


def beside_others() -> Figure:
    """A move of a player with fifty games against one with that alone, in turn, in CPU time."""
    spent_us: dict[int, list[float]] = {1: [], MAX_SLOW_GAMES: []}
    for _ in range(_GAMES):
        tables = {games: _begun(games) for games in spent_us}
        for uci in long_game(_PLIES):
            for games, played in tables.items():
                spent_us[games].append(_cpu_us(played, uci))
    alone, many = spent_us.values()
    return Figure(
        name="CPU of a move, fifty games of its player against one",
        value=statistics.median(other / one for one, other in zip(alone, many, strict=True)),
        target=Target(1.05),
        note=f"{statistics.median(many):.0f} µs over {statistics.median(alone):.0f} µs",
    )


def _begun(games: int) -> Table:
    """A game of Alice, who has as many in all."""
    world = World()
    PackedGames(world)
    table = world.start(ALICE, BOB, _BY_DAYS)
    for number in range(games - 1):
        world.clock.ms += 5_000
        opponent = a_key(f"another {number}")
        _, challenged = world.ask(ALICE, "", _BY_DAYS, ("challenge", opponent.pubkey))
        world.ask(opponent, "accept:" + challenged.content.split(":")[1])
    return table


def _cpu_us(table: Table, uci: str) -> float:
    """Microseconds of the CPU of this thread for the batch with this move alone."""
    world = table.world
    world.clock.ms += 1000
    record = world.record(world.body(table.move_event(uci)))
    began = time.thread_time_ns()
    world.deliver(record)
    spent_ns = time.thread_time_ns() - began
    if world.statuses()[-1] != "played":
        raise AssertionError(world.log[-1])
    table.state = world.publisher.states[table.game_id]
    return spent_ns / 1000


_STEPS: tuple[tuple[str, Callable[[], list[Figure]]], ...] = (
    ("many games", lambda: [beside_others()]),
    (
        "what is paid for",
        lambda: [bills.item_size(), *bills.per_million_moves(), bills.of_transcripts()],
    ),
    ("notices", lambda: [notice_bills.of_notices()]),
    ("events", lambda: [*event_bills.of_events()]),
)


def main() -> None:
    began, at = time.monotonic(), seen()
    figures: list[Figure] = []
    for what, step in _STEPS:
        print(f"… {what}", flush=True)
        figures += step()
    keep(BENCH, "targets", TARGETS, judged(figures))
    print(f"\n{table(figures)}\n\n{at}; took {time.monotonic() - began:.0f} s; in {BENCH.name}")


if __name__ == "__main__":
    main()
