"""A finished game applied to the ratings, once however often; one of several processes commits."""

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.ports import Conflict, Ratings
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.game import Game
from arbiter.core.ratings import RATED_GAMES_OF_A_PAIR, RatedGame, standings_after

ATTEMPTS = 5
"""A player may end several games at once, each of which changes their rating."""

LEAST_PLIES = 2
"""Both have moved; before that a game can be aborted."""

WHITE_SCORES = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def rate_game(
    ratings: Ratings,
    game_id: str,
    speed: Speed,
    white_id: str,
    black_id: str,
    result: str,
    plies: int,
    now_ms: int,
    *,
    is_void: bool = False,
) -> RatedGame | None:
    """Rate a game, once: its changes of the ratings, also if rated before. None for one that cannot
    count: of fewer than two plies, of one player, or aborted. One too many of the same two on one
    day changes nothing; one that ``is_void`` is not rated. It ended at ``now_ms``. Raises
    ``Contended``.
    """
    score = WHITE_SCORES.get(result)
    if score is None or plies < LEAST_PLIES or white_id == black_id:
        return None
    day = now_ms // DAY_MS

    def attempt(_: Conflict | None) -> RatedGame | Conflict | None:
        if done := ratings.rated(game_id):
            return done
        if is_void:
            return None
        white, black = ratings.standing(white_id, speed), ratings.standing(black_id, speed)
        of_pair = ratings.games_of_pair(white_id, black_id, day) + 1
        new_white, new_black = white, black
        if of_pair <= RATED_GAMES_OF_A_PAIR:
            new_white, new_black = standings_after(white, black, score, now_ms)
        rated = RatedGame(
            game_id=game_id,
            white=(white, new_white),
            black=(black, new_black),
            of_pair=of_pair,
            day=day,
        )
        return rated if ratings.commit(rated) else Conflict(None)

    return retry_on_conflict(attempt, ATTEMPTS)


def rating_of_end(deps: ArbiterDeps, game: Game) -> tuple[RatedGame, ...]:
    """Rate a finished, rated game: its changes of the ratings. Raises ``Contended``."""
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
        is_void=deps.policy.now().voids(game.white.player, game.black.player),
    )
    return (rated,) if rated else ()
