"""Games at once, played by processes of their own, and what the players saw."""

import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

PROCESSES = 2

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Case:
    """A number of games at once on one wire: native, relay, board, nip100, echo or http."""

    name: str
    wire: str
    games: int


@dataclass(frozen=True, slots=True)
class Played(Generic[_T]):
    """Some seconds: milliseconds of each move or echo, sorted, at least one; looks at both ends."""

    took_ms: Sequence[float]
    trouble: Counter[str]
    seconds: float
    before: _T
    after: _T

    @property
    def moves_a_second(self) -> float:
        return len(self.took_ms) / self.seconds

    @property
    def median_ms(self) -> float:
        return statistics.median(self.took_ms)

    @property
    def p99_ms(self) -> float:
        return self.took_ms[int(len(self.took_ms) * 0.99)]


def play(url: str, pubkey: str, case: Case, seconds: float, look: Callable[[], _T]) -> Played[_T]:
    """Play this case. Raises RuntimeError if no move was made."""
    players = case.games if case.wire in {"http", "echo"} else 2 * case.games
    processes = [
        started("bench.serve_players", url, pubkey, case.wire, share, seconds, at)
        for at, share in enumerate(_shares(players))
    ]
    try:
        for process in processes:
            await_ready(process)
        before, began = look(), time.monotonic()
        for process in processes:
            go(process)
        answers = [json.loads(line(process)) for process in processes]
        took_seconds, after = time.monotonic() - began, look()
    finally:
        for process in processes:
            process.terminate()
            process.wait(10)
    trouble = sum((Counter(answer["trouble"]) for answer in answers), Counter[str]())
    took_ms = sorted(ms for answer in answers for ms in answer["took_ms"])
    if not took_ms:
        raise RuntimeError(f"{case.name}: no move was made: {dict(trouble)}")
    return Played(took_ms, trouble, took_seconds, before, after)


class Seen:
    """The events that the players of one process saw."""

    def __init__(self) -> None:
        self.took_ms: list[float] = []
        self.trouble: Counter[str] = Counter()
        self.is_counting = False
        self.charged_ms = 0

    def answer(self, after_ms: float) -> None:
        if self.is_counting:
            self.took_ms.append(after_ms)


def _shares(players: int) -> list[int]:
    if players <= PROCESSES:
        return [players]
    share = players // PROCESSES
    return [share] * (PROCESSES - 1) + [players - share * (PROCESSES - 1)]


def started(module: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def await_ready(process: "subprocess.Popen[str]") -> None:
    if line(process) != "ready\n":
        raise RuntimeError("the players failed")


def go(process: "subprocess.Popen[str]") -> None:
    if process.stdin:
        process.stdin.write("go\n")
        process.stdin.flush()


def line(process: "subprocess.Popen[str]") -> str:
    return process.stdout.readline() if process.stdout else ""
