"""The pairing function: a round of a tournament in, its pairings into the moves queue."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any

from arbiter import wiring
from arbiter.adapters.pairing.engine import Engine
from arbiter.application.records import PairingAsked
from arbiter.application.tournaments.messages import read_message
from arbiter.application.tournaments.pairing import MAX_PAIRING_SECONDS, PairingDeps, answer
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Tournament

log = logging.getLogger("arbiter")


class LimitedEngine:
    """The engine, which is interrupted at the limit and then has no pairings."""

    def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        with _limit(MAX_PAIRING_SECONDS):
            return Engine().pair(tournament)


@cache
def _deps() -> PairingDeps:
    return wiring.pairing_deps(LimitedEngine())


def handler(invocation: dict[str, Any], context: object) -> None:
    """Take the arbiter's question. What fails is raised: Lambda asks once more."""
    del context
    wiring.set_up_logs()
    asked = read_message(invocation)
    status = answer(_deps(), asked) if isinstance(asked, PairingAsked) else "unreadable"
    log.info({"status": status})


@contextlib.contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise ``TimeoutError`` in what takes longer: a library in Python, in the main thread."""

    def end(_number: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
