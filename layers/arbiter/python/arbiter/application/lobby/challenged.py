"""Challenges as the challenged player has them. Keys cost nothing: few wait for one player, those
of strangers make room, and where many come each needs work.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.seating import with_last_game
from arbiter.core.pairing import CHALLENGES_AT_ONCE, Player
from arbiter.core.replies import Reason
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import OPEN

CHALLENGES_A_MINUTE, STRANGERS_A_MINUTE = 8, 60
"""To one player, and of new keys to all, without work."""

WORK_IN_A_FLOOD = 20
"""Bits of NIP-13 work that each further one needs: a second of a browser."""

MAX_OF_A_PROGRAM = 64
"""Challenges to one house player that are told of again, the newest."""

DISPLACED = (Reason.RATE_LIMITED, "displaced by newer challenges to this player")


@dataclass(frozen=True, slots=True)
class Kept:
    """The players written beside a challenge, and the challenges that make room for it."""

    players: tuple[tuple[Player, Player], ...] = ()
    displaced: tuple[Challenge, ...] = ()


def is_one_of_many(
    deps: ArbiterDeps, seek: Seek, opponent: str | None, *, is_counted: bool
) -> bool:
    """Whether this player's challenges exceed those of a minute; house players play anybody."""
    if deps.rate_limits is None or opponent in (None, OPEN) or opponent in deps.house_levels:
        return False
    bounds = [(f"challenges-to:{opponent}", CHALLENGES_A_MINUTE)]
    if not seek.has_played:
        bounds.append(("challenges-of-strangers", STRANGERS_A_MINUTE))
    try:
        return not all(
            deps.rate_limits.take(key, most, 60, seek.asked_at_ms, int(is_counted))
            for key, most in bounds
        )
    except Exception:  # noqa: BLE001 - for a count that fails no request waits
        return False


def may_answer(deps: ArbiterDeps, challenge: Challenge, player: str) -> bool:
    is_own = challenge.seek.seat.player == player
    return not is_own and any(map(challenge.is_for, of_level(deps, player)))


def of_level(deps: ArbiterDeps, player: str) -> tuple[str, ...]:
    """This player (64 hex), and of a house player those of the same level after it, in turn."""
    level = deps.house_levels.get(player)
    if level is None:
        return (player,)
    same = [one for one, its in deps.house_levels.items() if its == level]
    at = same.index(player)
    return (*same[at:], *same[:at])


def with_challenges(deps: ArbiterDeps, player: Player, now_ms: int) -> Player:
    if not player.set_aside or player.game_id is None:
        return player
    return with_last_game(deps, player, deps.games.load(player.game_id), now_ms)


def waiting_for(
    deps: ArbiterDeps, player: str, now_ms: int
) -> Iterator[tuple[Challenge, tuple[Player, Player]]]:
    """The challenges that this player can accept, oldest first, and whose: stored, and by now."""
    found = map(deps.lobby.challenge, deps.lobby.player(slot_of_challenges(player)).challenges)
    unexpired = [one for one in found if one and now_ms <= one.expires_at_ms()]
    stored = deps.lobby.load_players({one.seek.slot for one in unexpired})
    for challenge in unexpired:
        before = stored[challenge.seek.slot]
        challenger = with_challenges(deps, before, now_ms)
        if challenge.id in challenger.challenges:
            yield challenge, (before, challenger)


def keep_for_opponent(deps: ArbiterDeps, challenge: Challenge) -> Kept | None:
    """Count the challenge for its opponent; None without room, which a stranger's oldest makes."""
    opponent = challenge.seek.terms.opponent
    if opponent is None or opponent == OPEN:
        return Kept()
    before = deps.lobby.player(slot_of_challenges(opponent))
    ids: tuple[str, ...] = before.challenges
    displaced: tuple[Challenge, ...] = ()
    if opponent in deps.house_levels:
        # Each is told of at once, or waits until the programs are there again.
        ids = ids[1 - MAX_OF_A_PROGRAM :]
    elif len(ids) >= CHALLENGES_AT_ONCE:
        waiting = [one for one, _ in waiting_for(deps, opponent, challenge.seek.asked_at_ms)]
        if len(waiting) >= CHALLENGES_AT_ONCE:
            strangers = [one for one in waiting if not one.seek.has_played]
            if not strangers:
                return None
            displaced = (strangers[0],)
        ids = tuple(one.id for one in waiting if one not in displaced)
    after = replace(before, challenges=(*ids, challenge.id))
    return Kept(((before, after),), displaced)


def slot_of_challenges(player: str) -> str:
    """The slot that holds the challenges to this player, as their own tells who is new."""
    return sha256(f"challenges to {player}".encode()).hexdigest()
