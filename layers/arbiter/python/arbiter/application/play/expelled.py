"""The running games of a denied player, if these are to end: lost, or called off early."""

from dataclasses import replace

import chess

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.play.ends import settle_end
from arbiter.application.ports import Conflict
from arbiter.application.results import Result, current_replies, republish_of
from arbiter.core.chain import by_deadline, linked
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.offers import end_game
from arbiter.core.rules import Rules

TOLD_AGAIN_MS = 10 * 60_000
"""A record that comes again tells the ends that the first one made: its process may have died."""

_ENDS = (Termination.LEFT, Termination.ABORTED, Termination.NO_SHOW)


def end_games_of(deps: ArbiterDeps, player_id: str) -> Result:
    """The result of ending this player's games. Raises ``Contended``, and for infrastructure."""
    player = deps.lobby.player(player_id)
    named = (player.game_id, *player.slow_games, *player.event_games)
    found = (_ended(deps, game_id, player_id) for game_id in dict.fromkeys(filter(None, named)))
    games = [game for game in found if game]
    return Result(
        status="games-ended",
        replies=tuple(reply for game in games for reply in current_replies(game)),
        republish=tuple(map(republish_of, games)),
        rated=tuple(rated for game in games for rated in settle_end(deps, game)),
    )


def _ended(deps: ArbiterDeps, game_id: str, player_id: str) -> Game | None:

    def attempt(conflict: Conflict | None) -> Game | Conflict | None:
        game = (conflict.game if conflict else None) or deps.games.load(game_id)
        color = game.color_of(player_id) if game else None
        if game is None or color is None:
            return None
        now_ms = deps.clock.now_ms()
        if game.outcome is not None:
            is_ours = game.outcome.termination in _ENDS and now_ms - game.end_ms < TOLD_AGAIN_MS
            return game if is_ours else None
        outcome = _outcome(game, color, deps.rules)
        ends_ms = max(now_ms, game.changed_at_ms)
        over = linked(game, end_game(game, outcome, ends_ms), by_deadline(ends_ms)).game
        after = replace(over, item_version=game.item_version + 1)
        written = deps.games.commit(game, after)
        return written if isinstance(written, Conflict) else after

    return retry_on_conflict(attempt)


def _outcome(game: Game, color: chess.Color, rules: Rules) -> Outcome:
    if game.ply < OPENING_PLIES:
        if game.tournament:
            return Outcome(Termination.NO_SHOW, not color, aborted_by=color)
        return Outcome(Termination.ABORTED, None, aborted_by=color)
    winner = not color
    return Outcome(Termination.LEFT, winner if rules.can_mate(game.board(), winner) else None)
