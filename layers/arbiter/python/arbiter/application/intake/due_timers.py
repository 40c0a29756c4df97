"""Due timers of the clock queue, put into the queue of moves."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.ports import Clock, EventQueue, Timers
from arbiter.application.records import QueueEntry, Timer

_log = logging.getLogger(__name__)


class TimerStatus(StrEnum):
    """The fate of one record of the clock queue."""

    PASSED_ON = "passed-on"
    EARLY = "early"
    MALFORMED = "malformed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockDeps:
    """The dependencies of the clock function. ``moves`` is the queue that due timers join."""

    clock: Clock
    timers: Timers
    moves: EventQueue


def forward_due_timers(deps: ClockDeps, bodies: Sequence[str]) -> tuple[TimerStatus, ...]:
    """Forward the due timers; each status: ``FAILED`` comes again. Never raises."""
    now_ms = deps.clock.now_ms()
    due: dict[int, QueueEntry] = {}
    statuses: list[TimerStatus] = []
    for at, body in enumerate(bodies):
        timer = parse_timer(body)
        if timer is None:
            statuses.append(TimerStatus.MALFORMED)
        elif timer.at_ms > now_ms:
            statuses.append(_wait_again(deps, timer, now_ms))
        else:
            due[at] = timer_entry(timer, now_ms)
            statuses.append(TimerStatus.PASSED_ON)
    lost = deps.moves.send(tuple(due.values())) if due else ()
    for at, entry in due.items():
        if entry in lost:
            statuses[at] = TimerStatus.FAILED
    return tuple(statuses)


def _wait_again(deps: ClockDeps, timer: Timer, now_ms: int) -> TimerStatus:
    try:
        deps.timers.set((timer,), now_ms)
    except Exception:  # noqa: BLE001 - whatever it is, this record stays and the others go on
        _log.exception("a timer that fired early could not be set again, and stays in the queue")
        return TimerStatus.FAILED
    return TimerStatus.EARLY
