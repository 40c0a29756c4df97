"""The game that keeps a request from beginning another."""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.places import (
    has_many_games,
    latest_game,
    may_read_all,
    runs_beside,
    with_slow_games,
)
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game
from arbiter.core.pairing import Player
from arbiter.core.seeks import Seek
from arbiter.core.terms import Terms
from arbiter.dialects.base import (
    AnswerChallenge,
    BlockPlayer,
    CancelRequests,
    LobbyRequest,
    QueryStatus,
    RequestToPlay,
)


def game_in_the_way(
    deps: ArbiterDeps, asked: LobbyRequest, player: Player, seek: Seek, last: Game | None
) -> Game | None:
    """The game that the player is shown in place of what they ask for, or None."""
    if isinstance(asked, BlockPlayer):
        return None
    one = last if last and last.outcome is None else None
    if isinstance(asked, AnswerChallenge) and not asked.accepts:
        return None
    if not has_many_games(deps, asked.seat):
        return one
    holds = one if one and not runs_beside(deps, one, player.id) else None
    match asked:
        case QueryStatus():
            return None
        case CancelRequests():
            return None if player.waits_in or player.challenges else one
        case AnswerChallenge(_, challenge_id):
            challenge = deps.lobby.challenge(challenge_id)
            if challenge is None:
                # It may be the very one that a game of theirs began with.
                return holds or _changed_last(deps, player) or one
            return None if challenge.seek.is_slow else holds
        case RequestToPlay() if seek.is_plain:
            # A client of the sources knows of one game, and has no other way to catch up.
            return holds or _changed_last(deps, player) or one
        case RequestToPlay(_, terms):
            return _in_the_way_of(terms, player, one, holds)


def _in_the_way_of(
    terms: Terms, player: Player, one: Game | None, holds: Game | None
) -> Game | None:
    """The game in the way of these terms: the last one, or the one that ``holds`` the place."""
    is_by_days = terms.time is not None and not terms.time.is_live
    if terms.opponent is not None:
        return None if is_by_days or terms.time is None else holds
    hardly_begun = one if _waits_for_first_moves(one) else None
    if is_by_days:
        is_same = player.sought is not None and player.sought.terms == terms
        return hardly_begun if is_same else None
    # Or one player could leave many alone who were paired with them.
    return holds or hardly_begun


def _waits_for_first_moves(game: Game | None) -> bool:
    return game is not None and game.from_pool and game.ply < OPENING_PLIES


def _changed_last(deps: ArbiterDeps, player: Player) -> Game | None:
    may_read = may_read_all(deps, player, deps.clock.now_ms())
    games = with_slow_games(deps, player)[1] if may_read else latest_game(deps, player)
    return max(games, key=lambda game: game.changed_at_ms, default=None)
