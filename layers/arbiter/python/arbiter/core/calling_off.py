"""Calling a game off: at once before both players have moved, and with a day's notice when the
opponent is silent in a game by days or without a clock.

See docs/decisions/0026-games-that-hardly-began.md.
"""

from itertools import pairwise

import chess

from arbiter.core.commands import Abort, MakeOffer, Quit
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.model import Game, Offer, OfferKind, Outcome, StateVersion, Termination
from arbiter.core.moving import refuse
from arbiter.core.offers import end, offer
from arbiter.core.replies import Decision, Reason
from arbiter.core.rules import STALE_AFTER_MS, Rules
from arbiter.core.timing import DAY_MS

NOTICE_MS = DAY_MS
"""How long the opponent has to move after that; a move, or a refusal, keeps the game."""


def call_off(
    game: Game,
    command: Abort | Quit | MakeOffer,
    color: chess.Color,
    now_ms: int,
    stood_still_ms: int,
    rules: Rules,
) -> Decision:
    """Call the game off, offer to, or agree to that. ``stood_still_ms`` as for ``decide``."""
    if game.ply < OPENING_PLIES:
        return end(game, Outcome(Termination.ABORTED, None, aborted_by=color), now_ms)
    said_ms = now_ms
    if command.made_at_ms is not None:
        # An event that somebody holds back must not mean more later than when it was signed.
        said_ms = min(now_ms, command.made_at_ms + STALE_AFTER_MS)
    if game.offer == Offer(OfferKind.ABORT, color):
        # Some of the standstill may lie before the notice: the opponent has a day at least.
        if said_ms - game.changed_at_ms - stood_still_ms < NOTICE_MS:
            text = "your opponent has a day to move: abort again after that"
            return refuse(game, command, Reason.RATE_LIMITED, text)
        return end(game, Outcome(Termination.ABORTED, None), now_ms)
    agrees = game.offer == Offer(OfferKind.ABORT, not color) and said_ms >= game.changed_at_ms
    if not agrees and (text := _why_no_notice(game, color, said_ms - stood_still_ms, rules)):
        return refuse(game, command, Reason.TOO_LATE, text)
    return offer(game, MakeOffer(command.player, OfferKind.ABORT, said_ms), color, now_ms)


def _why_no_notice(game: Game, color: chess.Color, until_ms: int, rules: Rules) -> str:
    """Why this player may not yet offer to call the game off; empty if they may."""
    if game.clocks is not None and game.clocks.control.move_ms <= rules.silent_ms:
        return "two plies were played: resign instead"
    if game.turn == color or until_ms - _silent_since_ms(game, color) <= rules.silent_ms:
        days = rules.silent_ms // DAY_MS
        return f"two plies were played: resign, or abort when your opponent thinks for {days} days"
    return ""


def _silent_since_ms(game: Game, color: chess.Color) -> int:
    """When the opponent began to think; or when the player's last such offer ended, if later."""
    editions = (
        *game.earlier_versions,
        StateVersion(game.state_version, game.changed_at_ms, game.offer),
    )
    notice = Offer(OfferKind.ABORT, color)
    ended = [later.since_ms for one, later in pairwise(editions) if one.offer == notice]
    since_ms = game.clocks.since_ms if game.clocks else game.position_since_ms
    return max([since_ms, *ended])
