"""Players whose opponent from a pool did not come: back in it, with their terms and their place."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.lobby.settle import pair_or_wait
from arbiter.application.play.seating import with_last_game
from arbiter.application.play.timers import schedule_timer
from arbiter.application.ports import Conflict
from arbiter.application.records import Republish
from arbiter.application.results import Result, republish_of, slot_of
from arbiter.core.early_ends import left_behind_by
from arbiter.core.game import Game
from arbiter.core.pairing import Player
from arbiter.core.replies import GameEnded, GameStarted, Queued, Reply


def with_players_back(deps: ArbiterDeps, result: Result) -> Result:
    """The result, with a player who was left alone in a game from a pool waiting again, or paired.
    The same again tells the same. Raises ``Contended``, and for infrastructure.
    """
    ended = {
        reply.game.id: reply.game
        for reply in result.replies
        if isinstance(reply, GameEnded) and reply.game.from_pool
    }
    for game in ended.values():
        result = _with_player_back(deps, result, game)
    return result


def _with_player_back(deps: ArbiterDeps, result: Result, game: Game) -> Result:
    color = left_behind_by(game)
    if color is None:
        return result
    slot = slot_of(game.seat(color))

    def attempt(_: Conflict | None) -> tuple[Reply, ...] | Conflict:
        player = deps.lobby.player(slot)
        if player.game_id != game.id or player.sought is None:
            return _told_before(deps, player, game)
        return _wait_again(deps, player, game)

    replies = retry_on_conflict(attempt)
    starts = [one.game for one in replies if isinstance(one, GameStarted)]
    orders = [*map(republish_of, starts)]
    if any(isinstance(one, Queued) for one in replies):
        orders.append(Republish(player_id=slot))
    # The end comes first: a wire without names for games has one game at a time.
    told = (*result.replies, *replies)
    return replace(result, replies=told, republish=(*result.republish, *orders))


def _wait_again(deps: ArbiterDeps, player: Player, game: Game) -> tuple[Reply, ...] | Conflict:
    now_ms = deps.clock.now_ms()
    if player.sought is None or deps.policy.why_no_game(player.sought.seat.player, now_ms):
        return ()
    remembered = replace(with_last_game(deps, player, game, now_ms), sought=None)
    seek = replace(player.sought, renewed_at_ms=now_ms)
    settled = pair_or_wait(deps, player, remembered, seek, now_ms)
    if settled.change is not None and not deps.lobby.commit(settled.change):
        return Conflict(None)
    schedule_timer(deps, settled.game)
    return settled.replies


def _told_before(deps: ArbiterDeps, player: Player, game: Game) -> tuple[Reply, ...]:
    """The replies of the first delivery that still hold: its process may have died."""
    if player.game_id == game.id:
        seats = [seat for seat in (game.white, game.black) if slot_of(seat) == player.id]
        return tuple(map(Queued, seats)) if player.waits_in else ()
    following = deps.games.load(player.game_id) if player.game_id else None
    is_new = following is not None and following.ply == 0 and following.outcome is None
    is_next = player.former_game_id == game.id
    return (GameStarted(following),) if following and is_new and is_next else ()
