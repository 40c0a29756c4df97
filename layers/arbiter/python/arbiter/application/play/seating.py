"""Players on their way into a game: their slots, the pools they leave, and their last game."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Lobby
from arbiter.core.early_ends import ended_early_by
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool, after_last_game, without
from arbiter.dialects.registry import DIALECTS


def named_slots(lobby: Lobby, game: Game) -> tuple[tuple[Player, Player], ...]:
    """The slots by which pages find this new game, before and after."""
    seats = (game.white, game.black)
    chained = ((DIALECTS[seat.dialect].chain, seat) for seat in seats)
    slots = (chain.name_slot(seat) for chain, seat in chained if chain)
    found = [lobby.player(slot) for slot in slots if slot]
    return tuple((one, replace(one, game_id=game.id)) for one in found)


def with_last_game(deps: ArbiterDeps, player: Player, last: Game | None, now_ms: int) -> Player:
    """The player with what follows from their ``last`` game; the one before is read if needed."""
    before = None
    if last and player.former_game_id and ended_early_by(last) is not None:
        before = deps.games.load(player.former_game_id)
    return after_last_game(player, last, now_ms, before)


def leave_pool(lobby: Lobby, player: Player) -> tuple[tuple[Pool, Pool], ...]:
    if player.waits_in is None:
        return ()
    pool = lobby.pool(player.waits_in)
    return ((pool, without(pool, player.id)),)


def leave_pools(lobby: Lobby, *players: Player) -> tuple[tuple[Pool, Pool], ...]:
    """The pools in which these players wait, before and after they leave; each pool once."""
    left: dict[str, tuple[Pool, Pool]] = {}
    for player in players:
        if player.waits_in is not None:
            before, after = left.get(player.waits_in) or (lobby.pool(player.waits_in),) * 2
            left[player.waits_in] = before, without(after, player.id)
    return tuple(left.values())
