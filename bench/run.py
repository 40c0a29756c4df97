"""`make bench`: the figures of this machine, also written to bench/results.json."""

import time
from collections.abc import Callable

from bench import bills, event_bills, moves, notice_bills
from bench.figures import BENCH, TARGETS, judged, keep, seen
from bench.measure import Figure, table

_STEPS: tuple[tuple[str, Callable[[], list[Figure]]], ...] = (
    ("many games", lambda: [moves.beside_others()]),
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
