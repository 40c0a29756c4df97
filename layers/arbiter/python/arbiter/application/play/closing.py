"""Games by correspondence without a clock that are closed once abandoned, after a notice."""

from dataclasses import replace

from arbiter.application.records import NoticeAsked
from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.notices import Occasion
from arbiter.core.offers import end_game
from arbiter.core.replies import Decision
from arbiter.core.rules import Rules
from arbiter.core.timers import LOOK_AGAIN_MS
from arbiter.dialects.base import has_key
from arbiter.dialects.registry import is_by_correspondence

NOTICE_MS = 3 * DAY_MS
"""The player to move hears so long before that their game is closed."""


def closes_at_ms(game: Game, rules: Rules) -> int | None:
    """The time at which this game is closed without another move (unix ms); None if it never is."""
    if game.outcome is not None or not is_by_correspondence(game):
        return None
    return game.position_since_ms + rules.abandoned_days * DAY_MS


def with_closing_timer(
    game: Game, rules: Rules, fired_at_ms: int | None = None, paused_ms: int = 0
) -> Game:
    """The game with the timer of its notice, then the one that closes it; an earlier one is kept.
    ``fired_at_ms``: one just did; ``paused_ms``: the pause until then.
    """
    closes_ms, timer_ms = closes_at_ms(game, rules), game.timer_at_ms
    if closes_ms is None:
        return game
    due_ms = closes_ms - NOTICE_MS
    if fired_at_ms is not None and fired_at_ms >= due_ms:
        due_ms = closes_ms
        if paused_ms:
            # If the pause goes on, this would be too early again, however little is left.
            due_ms = max(closes_ms + paused_ms, fired_at_ms + LOOK_AGAIN_MS)
    has_fired = timer_ms is None or (fired_at_ms is not None and fired_at_ms >= timer_ms)
    if not has_fired and timer_ms is not None and timer_ms <= due_ms:
        return game
    return replace(game, timer_at_ms=due_ms)


def closing_notices(game: Game, rules: Rules, at_ms: int) -> tuple[NoticeAsked, ...]:
    """The notice that is due at that time, if one is: the same for each time in these days."""
    closes_ms, seat = closes_at_ms(game, rules), game.seat(game.turn)
    if closes_ms is None or at_ms < closes_ms - NOTICE_MS or not has_key(seat):
        return ()
    occasion = Occasion("closing", game.id, game.position_version, closes_ms)
    return (NoticeAsked(seat.player, occasion),)


def close(game: Game, rules: Rules, at_ms: int, now_ms: int) -> Decision | None:
    """The game closed without a result, if it is abandoned at that time; else None."""
    closes_ms = closes_at_ms(game, rules)
    if closes_ms is None or at_ms < closes_ms:
        return None
    return end_game(game, Outcome(Termination.ABORTED, None), max(now_ms, game.changed_at_ms))
