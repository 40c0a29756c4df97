"""Games by correspondence without a clock that are closed once they are abandoned."""

from dataclasses import replace

from arbiter.core.clocks import DAY_MS
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.offers import end_game
from arbiter.core.replies import Decision
from arbiter.core.rules import Rules
from arbiter.dialects.registry import is_by_correspondence


def closes_at_ms(game: Game, rules: Rules) -> int | None:
    """The time at which this game is closed without another move (unix ms); None if it never is."""
    if game.outcome is not None or not is_by_correspondence(game):
        return None
    return game.position_since_ms + rules.abandoned_days * DAY_MS


def with_closing_timer(game: Game, rules: Rules, fired_at_ms: int | None = None) -> Game:
    """The game with the timer that closes it. A timer that fires earlier is kept; ``fired_at_ms``
    is when one just did.
    """
    closes_ms, timer_ms = closes_at_ms(game, rules), game.timer_at_ms
    if closes_ms is None:
        return game
    has_fired = timer_ms is None or (fired_at_ms is not None and fired_at_ms >= timer_ms)
    if not has_fired and timer_ms is not None and timer_ms <= closes_ms:
        return game
    return replace(game, timer_at_ms=closes_ms)


def close(game: Game, rules: Rules, at_ms: int, now_ms: int) -> Decision | None:
    """The game closed without a result, if it is abandoned at that time; else None."""
    closes_ms = closes_at_ms(game, rules)
    if closes_ms is None or at_ms < closes_ms:
        return None
    return end_game(game, Outcome(Termination.ABORTED, None), max(now_ms, game.changed_at_ms))
