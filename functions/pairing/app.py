"""The pairing function: rounds of tournaments in, their pairings into the moves queue."""

import contextlib
import logging
import signal
from collections.abc import Iterator
from functools import cache
from typing import Any

from arbiter import wiring
from arbiter.adapters.pairing.engine import Engine
from arbiter.application.intake.queue_messages import parse
from arbiter.application.records import PairingAsked
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
    """Take an SQS record of the pairing queue. What fails is raised: the record comes again."""
    del context
    wiring.set_up_logs()
    for record in invocation.get("Records", []):
        asked = parse(record["body"])
        status = answer(_deps(), asked) if isinstance(asked, PairingAsked) else "unreadable"
        log.info({"status": status, "record": record["messageId"]})


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
