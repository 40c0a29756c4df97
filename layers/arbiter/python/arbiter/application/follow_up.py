"""What a commit entails beside telling: done after it, and again whenever its event comes again."""

from arbiter.application.deps import ArbiterDeps, schedule_overdue_timer, schedule_timer
from arbiter.application.ratings import rate_game
from arbiter.core.game import Game
from arbiter.core.ratings import RatedGame


def follow_up(deps: ArbiterDeps, before: Game | None, after: Game) -> tuple[RatedGame, ...]:
    """What a commit entails beside telling: the timer of a position, the rating of an end."""
    if before is None or before.timer_at_ms != after.timer_at_ms:
        schedule_timer(deps, after)
    else:
        schedule_overdue_timer(deps, after)
    return rating_of_end(deps, after)


def rating_of_end(deps: ArbiterDeps, game: Game) -> tuple[RatedGame, ...]:
    """What a finished, rated game does or did to the ratings; nothing for any other game."""
    if game.outcome is None or not game.rated or game.clocks is None:
        return ()
    rated = rate_game(
        deps.ratings,
        game_id=game.id,
        speed=game.clocks.control.speed,
        white_id=game.white.player,
        black_id=game.black.player,
        result=game.result,
        plies=game.ply,
        now_ms=game.end_ms,
    )
    return (rated,) if rated else ()
