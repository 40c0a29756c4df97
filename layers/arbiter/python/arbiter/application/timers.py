"""Timers: a game is looked at when a moment comes at which no player moved.

Invariant: a timer decides nothing. It says "look at this game, as it was at this ply", and is
harmless when late, early or repeated, for deadlines are stored with the game and judged there. So a
timer is never cancelled: one for a past ply finds nothing to do.

A timer waits in the clock queue (SQS delays a record by a quarter of an hour at most) or, if it is
for later than that, as a schedule. Then it joins the queue of moves, in its game's own group. If it
finds that time is up, a second timer joins the group of the player whose time that is, so that a
move received in time is decided before the flag falls.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Clock, EventQueue, Timers
from arbiter.application.queue_messages import QueueEntry, Timer, parse_timer
from arbiter.application.routing import timer_entry
from arbiter.core.game import Game

_log = logging.getLogger(__name__)

LONGEST_DELAY_SECONDS = 900
"""SQS's own limit for one record."""


class TimerStatus(StrEnum):
    """What became of one record of the clock queue."""

    PASSED_ON = "passed-on"
    EARLY = "early"
    MALFORMED = "malformed"
    FAILED = "failed"


def is_far(timer: Timer, now_ms: int) -> bool:
    """Whether the timer is due later than one delay of the queue can wait."""
    return timer.at_ms - now_ms > LONGEST_DELAY_SECONDS * 1000


def delay_seconds(timer: Timer, now_ms: int) -> int:
    """How long it waits in the queue this time: whole seconds, rounded up, 900 at most."""
    return max(0, min(_seconds_up(timer.at_ms - now_ms), LONGEST_DELAY_SECONDS))


def due_second(timer: Timer) -> int:
    """The first whole unix second that is not before its time."""
    return _seconds_up(timer.at_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockDeps:
    """What the clock function works with. ``moves`` is the queue that due timers join."""

    clock: Clock
    timers: Timers
    moves: EventQueue


def forward_due_timers(deps: ClockDeps, bodies: Sequence[str]) -> tuple[TimerStatus, ...]:
    """Forward each timer that is due and let the others wait again; the status of each body.

    Only a ``FAILED`` one is delivered again. Never raises: trouble with one is that one's status.
    """
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


def _seconds_up(milliseconds: int) -> int:
    return -(-milliseconds // 1000)


def timer_of(game: Game) -> Timer | None:
    """The timer of a game in progress, if it has one."""
    if game.outcome is not None or game.timer_at_ms is None:
        return None
    return Timer(game.id, game.ply, game.timer_at_ms)


def schedule_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set the timer that a game in progress has. Raises for infrastructure: the record that failed
    is delivered again, and sets it again.
    """
    if game is not None and (timer := timer_of(game)):
        deps.timers.set((timer,), deps.clock.now_ms())


def schedule_overdue_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set a timer that is due by now again, since it may never have been set: the process that had
    to may have died. Raises like `schedule_timer`.
    """
    if game is not None and (game.timer_at_ms or 0) <= deps.clock.now_ms():
        schedule_timer(deps, game)


def schedule_changed_timer(deps: ArbiterDeps, before: Game, after: Game) -> None:
    """Set the timer of a game that was just committed, if it is another one or due by now. Raises
    like `schedule_timer`.
    """
    if before.timer_at_ms != after.timer_at_ms:
        schedule_timer(deps, after)
    else:
        schedule_overdue_timer(deps, after)


def hand_to_mover(deps: ArbiterDeps, game: Game, at_ms: int) -> None:
    """Have the clock looked at behind the events of the side to move, the only place where its flag
    falls: a move in time that still waits in the queue is decided first. Raises like
    `schedule_timer`.
    """
    due_ms = at_ms if game.timer_at_ms is None else min(at_ms, game.timer_at_ms)
    mover = game.seat(game.turn).player
    deps.timers.set((Timer(game.id, game.ply, due_ms, mover),), deps.clock.now_ms())
