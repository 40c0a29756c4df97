"""How well the arbiter tells who could still mate, and what that takes.

    python -m bench.helpmate test-vector.txt [EVERY]

reads positions as those of the Chess Unwinnability Analyzer are labelled (D3-Chess,
tests/test-vector.txt): ``WB``, ``W-``, ``-B`` or ``--`` for who can mate, and a FEN. Both sides are
judged in each, or in each EVERY-th one.
"""

import itertools
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import chess

from arbiter.core.helpmate import Verdict, judge

_NEW_GAME = ("w", "-", "-", "0", "1")


def labelled(lines: Iterable[str]) -> Iterator[tuple[str, chess.Board]]:
    """Each position with its label; what a FEN leaves out is as in a game that has just begun."""
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        label, *fen = line.split()
        yield label, chess.Board(" ".join((*fen, *_NEW_GAME[len(fen) - 1 :])))


def main(path: str, every: int) -> None:
    """Print the table."""
    with Path(path).open(encoding="ascii") as lines:
        positions = list(itertools.islice(labelled(lines), 0, None, every))
    found: Counter[tuple[bool, Verdict]] = Counter()
    took_ms = []
    whole = 0
    for label, board in positions:
        right = True
        for winner, can_mate in ((chess.WHITE, label[0] == "W"), (chess.BLACK, label[1] == "B")):
            began_ns = time.thread_time_ns()
            verdict = judge(board, winner)
            took_ms.append((time.thread_time_ns() - began_ns) / 1e6)
            found[can_mate, verdict] += 1
            right = right and can_mate == (verdict is not Verdict.NO_MATE)
        whole += right
    false_wins = found[False, Verdict.MATE] + found[False, Verdict.UNDECIDED]
    false_draws = found[True, Verdict.NO_MATE]
    undecided = found[True, Verdict.UNDECIDED] + found[False, Verdict.UNDECIDED]
    percentiles = statistics.quantiles(took_ms, n=100)
    rows = {
        "positions": len(positions),
        "right for both sides": f"{whole} ({whole / len(positions):.1%})",
        "sides judged": len(took_ms),
        "agreed": len(took_ms) - false_wins - false_draws,
        "false wins": false_wins,
        "of those, mates found": found[False, Verdict.MATE],
        "false draws": false_draws,
        "undecided (could mate)": undecided,
        "CPU ms, median": f"{statistics.median(took_ms):.1f}",
        "CPU ms, p99": f"{percentiles[98]:.0f}",
        "CPU ms, most": f"{max(took_ms):.0f}",
    }
    for name, value in rows.items():
        print(f"{name:24}{value:>16}")


if __name__ == "__main__":
    source, *every_nth = sys.argv[1:]
    main(source, int(every_nth[0]) if every_nth else 1)
