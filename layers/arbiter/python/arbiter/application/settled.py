"""What a request comes to: what to write in one transaction, and what to say once it is written."""

from dataclasses import dataclass

from arbiter.application.answer import ArbiterDeps
from arbiter.application.ports import Lobby, LobbyChange
from arbiter.core.early_ends import ended_early_by
from arbiter.core.game import Game, Seat
from arbiter.core.pairing import Player, Pool, after_last_game, without
from arbiter.core.replies import Reply
from arbiter.dialects.registry import DIALECTS


@dataclass(frozen=True, slots=True)
class LobbyResult:
    """``status`` is one machine word for the log; without a ``change`` nothing is written."""

    status: str
    replies: tuple[Reply, ...]
    change: LobbyChange | None = None
    game: Game | None = None


def slot_of(seat: Seat) -> str:
    """The id (64 hex) of this seat's place in the lobby, by the rules of its dialect."""
    return DIALECTS[seat.dialect].slot(seat)


def named_game(bench: ArbiterDeps, of: str | Seat) -> Game | None:
    """The game of this id, or the one that this seat's place in the lobby leads to; None if there
    is none.
    """
    game_id = of if isinstance(of, str) else bench.lobby.player(slot_of(of)).game_id
    return bench.games.load(game_id) if game_id else None


def with_last_game(bench: ArbiterDeps, player: Player, last: Game | None, now_ms: int) -> Player:
    """The player with what follows from their ``last`` game. The one before it is read only if they
    may be to blame for an early end.
    """
    before = None
    if last and player.former_game_id and ended_early_by(last) is not None:
        before = bench.games.load(player.former_game_id)
    return after_last_game(player, last, now_ms, before)


def leave_pool(lobby: Lobby, player: Player) -> tuple[tuple[Pool, Pool], ...]:
    """The pool in which this player waits, before and after he leaves it; nothing if in none."""
    if player.waits_in is None:
        return ()
    pool = lobby.pool(player.waits_in)
    return ((pool, without(pool, player.id)),)


def leave_pools(lobby: Lobby, one: Player, other: Player) -> tuple[tuple[Pool, Pool], ...]:
    """The pools in which two players wait, before and after they leave; one pool only once."""
    if one.waits_in is not None and one.waits_in == other.waits_in:
        pool = lobby.pool(one.waits_in)
        return ((pool, without(without(pool, one.id), other.id)),)
    return (*leave_pool(lobby, one), *leave_pool(lobby, other))
