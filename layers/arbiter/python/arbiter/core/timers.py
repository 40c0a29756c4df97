"""The timer of a game's present move: when it fires, and when it is kept for the next one."""

from dataclasses import replace

from arbiter.core.clocks import LAG_MS, SETTLE_MS
from arbiter.core.game import Game

LOOK_AGAIN_MS = 5000
"""Minimum delay of a timer that found a clock paused."""

MAX_LOOKS = 4
"""Looks at one thought because the opponent has less time."""


def with_timer(game: Game, now_ms: int | None = None, paused_ms: int = 0) -> Game:
    """The game with a timer for the present move, or a pending one that fires before the flag: it
    is set again, so not every move needs one. ``now_ms``: a timer just fired, ``paused_ms`` until
    then.
    """
    deadline_ms = game.deadline_ms()
    if deadline_ms is None:
        if now_ms is None or game.timer_at_ms is None or now_ms < game.timer_at_ms:
            return game
        return replace(game, timer_at_ms=None)
    due_ms = deadline_ms + SETTLE_MS + paused_ms
    if paused_ms and now_ms is not None:
        # If the pause goes on, this would be too early again, however little is left.
        due_ms = max(due_ms, now_ms + LOOK_AGAIN_MS)
    has_fired = game.timer_at_ms is None or (now_ms is not None and now_ms >= game.timer_at_ms)
    if not has_fired and game.timer_at_ms is not None and game.timer_at_ms <= due_ms:
        return game
    if now_ms is not None and not paused_ms:
        due_ms = _due_for_both_ms(game, due_ms, now_ms)
    return replace(game, timer_at_ms=due_ms)


def _due_for_both_ms(game: Game, due_ms: int, now_ms: int) -> int:
    """``due_ms``, or earlier if the opponent's flag could fall before on their turn."""
    if game.clocks is None:
        return due_ms
    opponents_ms = game.clocks.left_ms(white=not game.turn) + LAG_MS + SETTLE_MS
    is_soon = opponents_ms * MAX_LOOKS < due_ms - now_ms
    return due_ms if is_soon else min(due_ms, now_ms + opponents_ms)
