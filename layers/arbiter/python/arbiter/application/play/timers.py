"""Timers: a game is looked at when a moment comes at which no player moved.

Invariant: a timer decides nothing: "look at this game, as it was at this ply". It may be late,
early or repeated, and is never cancelled.

It waits in the clock queue (a quarter of an hour at most) or as a schedule, then joins the queue of
moves, in its game's group. If time is up, a second one joins the group of the player whose time
that is: a move received in time is decided before the flag falls.
"""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.records import LINES, TOURNAMENT, Timer
from arbiter.core.conditional_moves import due_move
from arbiter.core.game import Game

MAX_DELAY_SECONDS = 900
"""SQS's own limit for one record."""

EARLY_SECONDS = 600


def is_far(timer: Timer, now_ms: int) -> bool:
    return timer.at_ms - now_ms > MAX_DELAY_SECONDS * 1000


def delay_seconds(timer: Timer, now_ms: int) -> int:
    """The next wait in the queue: whole seconds, rounded up, 900 at most."""
    return max(0, min(_seconds_up(timer.at_ms - now_ms), MAX_DELAY_SECONDS))


def due_second(timer: Timer) -> int:
    """The first unix second not before its time; of a tournament, ten minutes before."""
    early = EARLY_SECONDS if timer.player == TOURNAMENT else 0
    return _seconds_up(timer.at_ms) - early


def _seconds_up(milliseconds: int) -> int:
    return -(-milliseconds // 1000)


def timer_of(game: Game) -> Timer | None:
    if game.outcome is not None or game.timer_at_ms is None:
        return None
    return Timer(game.id, game.ply, game.timer_at_ms)


def schedule_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set the timers of a game in progress. Raises for infrastructure: its record comes again."""
    if game is None:
        return
    timers = [*filter(None, (timer_of(game), _timer_of_lines(game)))]
    if timers:
        deps.timers.set(timers, deps.clock.now_ms())


def _timer_of_lines(game: Game) -> Timer | None:
    is_due = due_move(game, game.changed_at_ms) is not None
    return Timer(game.id, game.ply, game.changed_at_ms, LINES) if is_due else None


def schedule_overdue_timer(deps: ArbiterDeps, game: Game | None) -> None:
    """Set a due timer again, which may never have been set. Raises like `schedule_timer`."""
    if game is not None and (game.timer_at_ms or 0) <= deps.clock.now_ms():
        schedule_timer(deps, game)


def schedule_changed_timer(deps: ArbiterDeps, before: Game, after: Game) -> None:
    """Set a committed game's timer if another or due. Raises like `schedule_timer`."""
    if before.timer_at_ms != after.timer_at_ms or _timer_of_lines(after):
        schedule_timer(deps, after)
    else:
        schedule_overdue_timer(deps, after)


def hand_to_mover(deps: ArbiterDeps, game: Game, at_ms: int) -> None:
    """Have the clock looked at behind the mover's events. Raises like `schedule_timer`."""
    due_ms = at_ms if game.timer_at_ms is None else min(at_ms, game.timer_at_ms)
    mover = game.seat(game.turn).player
    deps.timers.set((Timer(game.id, game.ply, due_ms, mover),), deps.clock.now_ms())
