"""Requests of players with a slot for each: how many there may be; and invitations, whose game
begins at once because the invited player reads another dialect, in which to move is to accept.
"""

from dataclasses import replace
from hashlib import sha256

from arbiter.application.abandonment import with_closing_timer
from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import LobbyChange
from arbiter.application.results import LobbyResult, leave_pools, slot_of
from arbiter.core.game import Seat
from arbiter.core.new_games import new_game
from arbiter.core.pairing import Player, must_wait, seated
from arbiter.core.replies import GameStarted, Reason, RequestRefused
from arbiter.core.seeks import Seek
from arbiter.core.terms import OPEN, PLAIN, ColorPreference
from arbiter.dialects.base import Invitation, LobbyRequest, RequestToPlay
from arbiter.dialects.registry import DIALECTS

INVITATIONS_OF_ONE, INVITATION_SECONDS = 32, 24 * 60 * 60
"""Where a player has many slots, each request is answered in a log that forgets nothing."""


def invite(
    deps: ArbiterDeps, asked: Invitation, player: Player, remembered: Player, seek: Seek
) -> LobbyResult:
    """Begin a game with the player that the terms name, who has Black; or refuse it."""
    dialect, opponent = DIALECTS.get(asked.dialect), asked.terms.opponent
    refusal = must_wait(remembered, seek, seek.asked_at_ms)
    text = _flaw(asked)
    if refusal or text or dialect is None or dialect.invited is None or opponent is None:
        refusal = refusal or RequestRefused(
            asked.seat, Reason.BAD_TERMS, text or "dialect: no player is invited there"
        )
        return LobbyResult(f"request-{refusal.reason}", (refusal,))
    white = replace(seek, terms=replace(PLAIN, color=ColorPreference.WHITE))
    black = Seek(
        request_id=sha256(f"invited:{seek.request_id}".encode()).hexdigest(),
        seat=Seat(opponent, dialect.name),
        asked_at_ms=seek.asked_at_ms,
    )
    game = new_game(white, black, seek.asked_at_ms, deps.pairing_key)
    game = replace(game, black=dialect.invited(game, False, deps.server))
    game = with_closing_timer(game, deps.rules)
    guest = deps.lobby.player(slot_of(game.black))
    change = LobbyChange(
        pools=leave_pools(deps.lobby, player, guest),
        players=((player, seated(remembered, game)), (guest, seated(guest, game))),
        game=game,
    )
    return LobbyResult("paired", (GameStarted(game),), change, game)


def _flaw(asked: Invitation) -> str | None:
    opponent = asked.terms.opponent
    if opponent in (None, OPEN, asked.seat.player):
        return "dialect: only with a challenge to one player"
    color = asked.terms.color
    if (
        color is ColorPreference.BLACK
        or replace(asked.terms, opponent=None, color=PLAIN.color) != PLAIN
    ):
        return "dialect: only for a casual game without a clock, with White"
    return None


def is_flood(deps: ArbiterDeps, asked: LobbyRequest, player: Player, now_ms: int) -> bool:
    """Whether this is one request too many of a player who has a slot for each. What waits can
    always be withdrawn; a withdrawal that comes before its request is counted.
    """
    if player.item_version and not isinstance(asked, RequestToPlay):
        return False
    key = f"invitations-of:{asked.seat.player}"
    return deps.rate_limits is not None and not deps.rate_limits.take(
        key, INVITATIONS_OF_ONE, INVITATION_SECONDS, now_ms
    )
