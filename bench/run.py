"""`make bench`: the figures of this machine, as ratios within one run.

They are also written to bench/results.json, which is not committed: it describes one machine.
"""

import json
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench import aws_calls, bills, cold_start, moves, parts
from bench.figures import Figure, as_json, table

RESULTS = Path(__file__).parent / "results.json"

_STEPS: tuple[tuple[str, Callable[[], list[Figure]]], ...] = (
    ("a move on each pair of wires", moves.over_the_floor),
    ("long games", moves.flatness),
    ("batches", lambda: [moves.batches()]),
    ("the parts of a move", lambda: [*parts.curve(), *parts.items(), parts.delivery()]),
    ("calls to DynamoDB", aws_calls.calls),
    ("cold starts", lambda: [cold_start.cold_start()]),
    ("what is paid for", lambda: [*bills.bytes_and_units(), *bills.per_million_moves()]),
)


def main() -> None:
    """Measure, print the table, write the results."""
    began = time.monotonic()
    load = os.getloadavg()[0]
    figures: list[Figure] = []
    for what, step in _STEPS:
        print(f"… {what}", flush=True)
        figures += step()
    print(f"\n{table(figures)}\n")
    took_seconds = time.monotonic() - began
    results = {
        "at": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f} at the start",
        "took_seconds": round(took_seconds),
        "figures": as_json(figures),
    }
    RESULTS.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{results['machine']}; took {took_seconds:.0f} s; written to bench/results.json")


if __name__ == "__main__":
    main()
