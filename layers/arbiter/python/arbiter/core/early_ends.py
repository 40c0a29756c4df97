"""Games that ended before both players had moved: who ended them, and what follows for the next.

The first two in an hour cost nothing: a game is called off by mistake, or a phone rings. From the
third on the player waits before they meet strangers again, twice as long each time; and the two of
such a game are not paired with each other for some minutes. See
docs/decisions/0026-games-that-hardly-began.md.
"""

from dataclasses import dataclass
from hashlib import sha256

import chess

from arbiter.core.game import Game, Termination

OPENING_PLIES = 2
"""While fewer plies than this were played, not both have moved: the game can be called off."""

COUNTED_MS = 60 * 60_000
"""How long an early end counts."""

FREE_OF_CHARGE = 2
"""How many of one's own in that time cost nothing."""

FIRST_WAIT_MS, LONGEST_WAIT_MS = 60_000, 30 * 60_000

APART_MS = 5 * 60_000
"""How long the two of such a game are not paired from a pool."""

SILENCE_MS = 60_000
"""Whoever leaves a game this old while the other one has a first move to make is not to blame:
where no clock runs, leaving is the only way out.
"""

OFFERED_LONG_AGO_MS = 60_000
"""Who offered a rematch so long before the opponent agreed may have gone, and is not to blame if
they have.
"""

REMEMBERED = 8
"""How many are remembered of those a player caused, and of those they suffered."""

NAME_BYTES = 8


@dataclass(frozen=True, slots=True)
class EarlyEnd:
    """One game that ended early: when (unix ms), the short name of the opponent, and whether the
    player caused it.
    """

    at_ms: int
    opponent: bytes
    is_own: bool


def short_name(player_id: str) -> bytes:
    """Eight bytes that stand for a player."""
    return sha256(player_id.encode()).digest()[:NAME_BYTES]


def ended_early_by(game: Game) -> chess.Color | None:
    """Who ended a game before both had moved: by leaving it, by not coming, or by losing it. None
    for any other game, where it is not known, and where they left an opponent who was silent.
    """
    if game.outcome is None or game.ply >= OPENING_PLIES:
        return None
    winner = game.outcome.winner
    by = game.outcome.aborted_by if winner is None else not winner
    left_silence = by != game.turn and game.end_ms - game.created_at_ms >= SILENCE_MS
    return None if left_silence else by


def offered_long_ago(game: Game, before: Game | None, player_id: str) -> bool:
    """Whether the game is a rematch of the one before it that this player had offered long ago."""
    if before is None or before.next_game_id != game.id or not before.earlier_versions:
        return False
    agreed_to = before.earlier_versions[-1]
    return (
        agreed_to.offer is not None
        and before.seat(agreed_to.offer.color).player == player_id
        and game.created_at_ms - agreed_to.since_ms >= OFFERED_LONG_AGO_MS
    )


def noted(
    ends: tuple[EarlyEnd, ...],
    game: Game | None,
    player_id: str,
    now_ms: int,
    before: Game | None = None,
) -> tuple[EarlyEnd, ...]:
    """What is remembered of this player once their last game is looked at, and the one ``before``
    it: the same however often that is done.
    """
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
    """Until when (unix ms) the player meets no stranger; 0 if they need not wait."""
    own = [end.at_ms for end in ends if end.is_own and _is_recent(end, now_ms)]
    too_many = len(own) - FREE_OF_CHARGE
    if too_many <= 0:
        return 0
    return max(own) + min(FIRST_WAIT_MS << (too_many - 1), LONGEST_WAIT_MS)


def kept_apart(ends: tuple[EarlyEnd, ...], now_ms: int) -> tuple[tuple[bytes, int], ...]:
    """The short names of those whom the player is not paired with, each until when (unix ms)."""
    return tuple(
        (end.opponent, end.at_ms + APART_MS) for end in ends if now_ms < end.at_ms + APART_MS
    )


def _is_recent(end: EarlyEnd, now_ms: int) -> bool:
    return now_ms - end.at_ms < COUNTED_MS
