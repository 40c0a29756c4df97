"""Games that end before both players have moved, and the wait of the player who caused it.

From the third in an hour on the player waits for an opponent they did not name, twice as long each
time; the two are kept apart (docs/decisions/0026-games-that-hardly-began.md).
"""

from dataclasses import dataclass
from hashlib import sha256

import chess

from arbiter.core.game import Game, Termination

OPENING_PLIES = 2
"""With fewer plies than this not both have moved, and the game can be aborted."""

COUNTED_MS = 60 * 60_000
"""Time for which an early end counts."""

FREE_OF_CHARGE = 2
"""Early ends that a player may cause in that time without waiting."""

FIRST_WAIT_MS, MAX_WAIT_MS = 60_000, 30 * 60_000

APART_MS = 5 * 60_000
"""Time for which the two players of such a game are not paired from a pool."""

NO_FIRST_MOVE_MS = 60_000
"""Who leaves a game this old without the opponent's first move is not to blame."""

OFFERED_LONG_AGO_MS = 60_000
"""A player whose rematch offer is this old when it is accepted may have left, and is not to blame.
"""

REMEMBERED = 8
"""Early ends that are kept: of those the player caused, and of those their opponents caused."""

NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """One early end: when (unix ms), the opponent's short name, whether the player caused it."""

    at_ms: int
    opponent: bytes
    is_own: bool


def short_name(player_id: str) -> bytes:
    return sha256(player_id.encode()).digest()[:NAME_BYTES]


def ended_early_by(game: Game) -> chess.Color | None:
    """The colour to blame for an end before both had moved, or None; not for a silent opponent."""
    if game.outcome is None or game.ply >= OPENING_PLIES:
        return None
    winner = game.outcome.winner
    by = game.outcome.aborted_by if winner is None else not winner
    left_silence = by != game.turn and game.end_ms - game.created_at_ms >= NO_FIRST_MOVE_MS
    return None if left_silence else by


def left_behind_by(game: Game) -> chess.Color | None:
    """The colour whose opponent ended a game before both had moved, or never came; or None."""
    by = game.outcome.aborted_by if game.outcome else None
    return None if by is None or game.ply >= OPENING_PLIES else not by


def offered_long_ago(game: Game, before: Game | None, player_id: str) -> bool:
    """Whether the game is the rematch of ``before`` and this player had offered it long ago."""
    if before is None or before.next_game_id != game.id or not before.earlier_versions:
        return False
    agreed_to = before.earlier_versions[-1]
    return (
        agreed_to.offer is not None
        and before.seat(agreed_to.offer.color).player == player_id
        and game.created_at_ms - agreed_to.since_ms >= OFFERED_LONG_AGO_MS
    )


def with_early_end(
    ends: tuple[EarlyEnd, ...],
    game: Game | None,
    player_id: str,
    now_ms: int,
    before: Game | None = None,
) -> tuple[EarlyEnd, ...]:
    """The early ends with the last ``game`` added, after the one ``before``. Idempotent."""
    kept = tuple(end for end in ends if _is_recent(end, now_ms))
    color = game.color_of(player_id) if game else None
    if game is None or game.outcome is None or color is None:
        return kept
    is_left = game.outcome.winner is not None or game.outcome.termination is Termination.ABORTED
    is_early = is_left and game.ply < OPENING_PLIES
    opponent = short_name(game.seat(not color).player)
    is_own = ended_early_by(game) == color and not offered_long_ago(game, before, player_id)
    end = EarlyEnd(game.end_ms, opponent, is_own=is_own)
    if not is_early or end in kept or not _is_recent(end, now_ms):
        return kept
    alike = [one for one in kept if one.is_own == end.is_own][-(REMEMBERED - 1) :]
    return (*(one for one in kept if one.is_own != end.is_own or one in alike), end)


def waits_until_ms(ends: tuple[EarlyEnd, ...], now_ms: int) -> int:
    """From when (unix ms) the player may be paired with an unnamed opponent; 0 for now."""
    own = [end.at_ms for end in ends if end.is_own and _is_recent(end, now_ms)]
    too_many = len(own) - FREE_OF_CHARGE
    if too_many <= 0:
        return 0
    return max(own) + min(FIRST_WAIT_MS << (too_many - 1), MAX_WAIT_MS)


def kept_apart(ends: tuple[EarlyEnd, ...], now_ms: int) -> tuple[tuple[bytes, int], ...]:
    """Short names of players whom this one is not paired with, each with its end (unix ms)."""
    return tuple(
        (end.opponent, end.at_ms + APART_MS) for end in ends if now_ms < end.at_ms + APART_MS
    )


def _is_recent(end: EarlyEnd, now_ms: int) -> bool:
    return now_ms - end.at_ms < COUNTED_MS
