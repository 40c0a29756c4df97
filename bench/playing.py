"""So many games at once, played by processes of their own, and what the players saw."""

import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

_PROCESSES = 2

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Played(Generic[_T]):
    """What was seen in some seconds; ``before`` and ``after`` are what was looked at then.
    ``took_ms`` are sorted, one for each move (or event, of an echo).
    """

    took_ms: Sequence[float]
    trouble: Counter[str]
    seconds: float
    before: _T
    after: _T

    @property
    def moves(self) -> int:
        """How many were answered."""
        return len(self.took_ms)

    @property
    def median_ms(self) -> float:
        """Of a move, from sent to its state seen."""
        return statistics.median(self.took_ms)

    @property
    def p99_ms(self) -> float:
        """One in a hundred takes longer."""
        return self.took_ms[int(self.moves * 0.99)]


def play(
    url: str, pubkey: str, wire: str, games: int, seconds: float, look: Callable[[], _T]
) -> Played[_T]:
    """Play on this wire: native, relay, board, nip100, echo or http."""
    module = "bench.serve_browsers" if wire == "http" else "bench.serve_players"
    players = games if wire in {"http", "echo"} else 2 * games
    processes = [
        _started(module, url, pubkey, wire, str(share), str(seconds), str(at))
        for at, share in enumerate(_shares(players))
    ]
    try:
        for process in processes:
            if _line(process) != "ready\n":
                raise RuntimeError(f"{module} failed")
        before, began = look(), time.monotonic()
        for process in processes:
            _say(process, "go\n")
        answers = [json.loads(_line(process)) for process in processes]
        took_seconds, after = time.monotonic() - began, look()
    finally:
        for process in processes:
            process.terminate()
            process.wait(10)
    return Played(
        sorted(ms for answer in answers for ms in answer["took_ms"]),
        sum((Counter(answer["trouble"]) for answer in answers), Counter[str]()),
        took_seconds,
        before,
        after,
    )


def _shares(players: int) -> list[int]:
    if players <= _PROCESSES:
        return [players]
    share = players // _PROCESSES
    return [share] * (_PROCESSES - 1) + [players - share * (_PROCESSES - 1)]


def _started(module: str, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _line(process: "subprocess.Popen[str]") -> str:
    return process.stdout.readline() if process.stdout else ""


def _say(process: "subprocess.Popen[str]", text: str) -> None:
    if process.stdin:
        process.stdin.write(text)
        process.stdin.flush()
