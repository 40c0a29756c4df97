"""Players whom a player has blocked: they are never paired or heard; two who play go on."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import LobbyChange
from arbiter.application.results import LobbyResult
from arbiter.core.pairing import MAX_BLOCKED, Player
from arbiter.core.replies import Blocked, Reason, RequestRefused
from arbiter.core.seeks import Seek
from arbiter.dialects.base import BlockPlayer


def block(asked: BlockPlayer, player: Player, remembered: Player) -> LobbyResult:
    """Add a key to those that this player blocks, or take it out; there already is no error."""
    kept = tuple(one for one in remembered.blocked if one != asked.whom)
    blocked = (*kept, asked.whom) if asked.blocks else kept
    if asked.blocks and asked.whom == asked.seat.player:
        refusal = RequestRefused(asked.seat, Reason.BAD_TERMS, "you cannot block yourself")
        return LobbyResult("request-bad-terms", (refusal,))
    if len(blocked) > MAX_BLOCKED:
        text = f"you block {MAX_BLOCKED} players: unblock one first"
        refusal = RequestRefused(asked.seat, Reason.RATE_LIMITED, text)
        return LobbyResult("request-rate-limited", (refusal,))
    change = LobbyChange(players=((player, replace(remembered, blocked=blocked)),))
    return LobbyResult("blocked", (Blocked(asked.seat, blocked),), change)


def is_apart_from(
    deps: ArbiterDeps, player: Player, seek: Seek, other: Seek, stored: Player
) -> bool:
    """Whether the players of two seeks block each other; with many slots in their own."""
    me, them = seek.seat.player, other.seat.player
    own = player if player.id == me else deps.lobby.player(me)
    theirs = stored if stored.id == them else deps.lobby.player(them)
    return them in own.blocked or me in theirs.blocked
