"""Draw, takeback, rematch and abort offers, and draw claims.

At most one offer is open, until its recipient moves, declines or makes the same. A rematch offer
also expires or is withdrawn. Before both have moved a game is aborted at once; later by agreement,
or with a day's notice in a slow game (docs/decisions/0026-games-that-hardly-began.md).
"""

from dataclasses import replace
from itertools import pairwise
from typing import assert_never

import chess

from arbiter.core.clocks import DAY_MS
from arbiter.core.commands import Abort, ClaimDraw, DeclineOffer, MakeOffer, OfferKind, Quit
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import (
    EVENT_KEY_BYTES,
    WHITE,
    Game,
    Offer,
    Outcome,
    StateVersion,
    Termination,
)
from arbiter.core.lines import NO_LINES
from arbiter.core.replies import (
    Decision,
    GameChanged,
    GameEnded,
    Reason,
    Rejected,
    RematchAgreed,
    refuse,
)
from arbiter.core.rules import STALE_AFTER_MS, Rules
from arbiter.core.vacations import ends_ms, rested

PLIES_BETWEEN_DRAW_OFFERS = 20
"""Keeps a player from wearing the opponent down with offers, as on lichess."""

REMEMBERED_BESIDE_MOVES = 2_000
"""Applied events other than moves that a game may have before offers are refused. Each is stored,
and an item must not outgrow DynamoDB's limit. Draw offers as often as the rules allow, until the
seventy-five-move rule, come to 1,770.
"""

LIVE_REMATCH_MS = 5 * 60_000
"""Time for which a rematch offer stays open after a live game."""

SLOW_REMATCH_MS = DAY_MS
"""The same after a game by days or without a clock."""


def make_offer(
    game: Game, command: MakeOffer, color: chess.Color, now_ms: int, paused_ms: int = 0
) -> Decision:
    """Make an offer, or agree to the opponent's. ``paused_ms`` as for ``decide``."""
    agrees = open_offer(game, now_ms) == Offer(command.kind, not color)
    if agrees and command.kind is OfferKind.TAKEBACK:
        # Takeback offers that cross ask for different moves, so they are no agreement.
        agrees = command.knows(game.changed_at_ms)
    if agrees:
        return _agree(game, command.kind, color, now_ms, paused_ms)
    if command.only_after_own_move and not (game.ply and game.turn != color):
        text = f"offer a {command.kind} right after your own move"
        return Decision(game, (Rejected(command.player, Reason.NOT_OFFERED_HERE, text, game),))
    if refusal := _why_not(game, command.kind, color, now_ms):
        return Decision(game, (Rejected(command.player, *refusal, game),))
    offered = game.with_offer(Offer(command.kind, color, command.address), now_ms)
    if command.kind is OfferKind.DRAW and color == WHITE:
        offered = replace(offered, white_offered_at=game.ply)
    elif command.kind is OfferKind.DRAW:
        offered = replace(offered, black_offered_at=game.ply)
    return Decision(offered, (GameChanged(offered),))


def decline_offer(game: Game, command: DeclineOffer, color: chess.Color, now_ms: int) -> Decision:
    """Decline the opponent's offer, or withdraw one's own rematch offer."""
    current = open_offer(game, now_ms)
    is_own = command.kind is OfferKind.REMATCH and current == Offer(command.kind, color)
    if current != Offer(command.kind, not color) and not is_own:
        text = f"your opponent has not offered a {command.kind}"
        return Decision(game, (Rejected(command.player, Reason.NO_OFFER, text, game),))
    declined = game.with_offer(None, now_ms)
    return Decision(declined, (GameChanged(declined),))


def claim_draw(game: Game, command: ClaimDraw, now_ms: int, paused_ms: int = 0) -> Decision:
    """Claim a draw by the position on the board; an intended move (FIDE 9.2) is played first."""
    board = game.board()
    if board.is_repetition(3):
        return end_game(game, Outcome(Termination.THREEFOLD_REPETITION, None), now_ms, paused_ms)
    if board.is_fifty_moves():
        return end_game(game, Outcome(Termination.FIFTY_MOVES, None), now_ms, paused_ms)
    text = "the position is no threefold repetition, nor have fifty moves passed (FIDE 9.2, 9.3)"
    return Decision(game, (Rejected(command.player, Reason.NO_CLAIM, text, game),))


def open_offer(game: Game, now_ms: int) -> Offer | None:
    """The offer that can be agreed to now. A rematch offered on another network does not expire."""
    if game.offer is None or game.offer.kind is not OfferKind.REMATCH or game.offer.address:
        return game.offer
    is_live = game.clocks is not None and game.clocks.control.is_live
    open_ms = LIVE_REMATCH_MS if is_live else SLOW_REMATCH_MS
    return None if now_ms - game.changed_at_ms > open_ms else game.offer


def without_rematch_of(
    game: Game | None, player: str, event_key: bytes, now_ms: int
) -> Game | None:
    """The finished game with this player's rematch offer withdrawn; None if they have none."""
    if game is None or game.outcome is None:
        return None
    color = game.color_of(player)
    if color is None or game.offer != Offer(OfferKind.REMATCH, color):
        return None
    withdrawn = game.with_offer(None, max(now_ms, game.changed_at_ms))
    return replace(
        withdrawn,
        applied_ids=(*game.applied_ids, event_key[:EVENT_KEY_BYTES]),
        item_version=game.item_version + 1,
    )


def offer_after_move(game: Game, color: chess.Color) -> Offer | None:
    """The offer that stays open when this colour has moved: its own draw offer, if any."""
    return game.offer if game.offer == Offer(OfferKind.DRAW, color) else None


def end_game(game: Game, outcome: Outcome, now_ms: int, paused_ms: int = 0) -> Decision:
    """The game ended with this outcome, clocks stopped, ``paused_ms`` not charged."""
    clocks = game.clocks
    if clocks:
        at_ms = now_ms - paused_ms
        if outcome.termination is Termination.TIMEOUT:
            # Our clock may be behind that of the listener which found the time up.
            at_ms = clocks.deadline_ms(game.ply, white=game.turn)
        clocks = replace(clocks.at(game.ply, at_ms, white=game.turn), since_ms=now_ms)
    over = replace(
        game,
        outcome=outcome,
        clocks=clocks,
        offer=None,
        state_version=game.state_version + 1,
        earlier_versions=(),
        changed_at_ms=now_ms,
        ended_at_ms=now_ms,
        lines=NO_LINES,
    )
    return Decision(over, (GameEnded(over),))


def _agree(
    game: Game, kind: OfferKind, color: chess.Color, now_ms: int, paused_ms: int
) -> Decision:
    match kind:
        case OfferKind.DRAW:
            return end_game(game, Outcome(Termination.AGREEMENT, None), now_ms, paused_ms)
        case OfferKind.TAKEBACK:
            # The player who asked is to move again: undo their last move and any reply to it.
            asker = not color
            plies = 2 if game.turn == asker else 1
            undone = game.taken_back(plies, now_ms)
            if game.clocks:
                # Both made their first move before any clock ran.
                earned = [game.mover(ply) for ply in range(max(2, game.ply - plies), game.ply)]
                clocks = game.clocks.taken_back(earned, now_ms)
                if game.turn == asker:
                    # A takeback must not give back the time that its author has thought since.
                    thought_ms = game.clocks.thought_ms(game.ply, now_ms - paused_ms)
                    clocks = clocks.charged(thought_ms, white=asker)
                clocks = rested(game, clocks, now_ms, white=asker)
                undone = replace(undone, clocks=clocks)
            return Decision(undone, (GameChanged(undone),))
        case OfferKind.REMATCH:
            agreed = game.with_offer(None, now_ms)
            return Decision(agreed, (RematchAgreed(agreed),))
        case OfferKind.ABORT:
            return end_game(game, Outcome(Termination.ABORTED, None), now_ms, paused_ms)
        case _:
            assert_never(kind)


def _why_not(
    game: Game, kind: OfferKind, color: chess.Color, now_ms: int
) -> tuple[Reason, str] | None:
    current = open_offer(game, now_ms)
    if current == Offer(kind, color):
        return Reason.RATE_LIMITED, f"you have already offered a {kind}"
    if current is not None and current.color != color:
        return Reason.NOT_OFFERED_HERE, f"answer the offered {current.kind} first"
    if len(game.applied_ids) - game.ply >= REMEMBERED_BESIDE_MOVES:
        return Reason.RATE_LIMITED, "too many offers in this game"
    return _why_not_this(game, kind, color)


def _why_not_this(game: Game, kind: OfferKind, color: chess.Color) -> tuple[Reason, str] | None:
    """Return the reason against an offer of this kind, when offers are allowed at all."""
    match kind:
        case OfferKind.DRAW:
            last = game.offered_at(color)
            if last is not None and game.ply - last < PLIES_BETWEEN_DRAW_OFFERS:
                return Reason.RATE_LIMITED, "one offer of a draw in twenty plies"
        case OfferKind.TAKEBACK:
            if game.rated:
                return Reason.NOT_OFFERED_HERE, "no takebacks in a rated game"
            if game.ply < (1 if game.turn != color else 2):
                return Reason.NOT_OFFERED_HERE, "you have no move to take back"
        case OfferKind.REMATCH:
            if game.next_game_id is not None:
                return Reason.NOT_OFFERED_HERE, "the rematch has begun"
        case OfferKind.ABORT:
            pass  # ``call_off`` has checked it.
        case _:
            assert_never(kind)
    return None


NOTICE_MS = DAY_MS
"""Time for the opponent to move, or to decline, after a notice of abort."""


def call_off(
    game: Game,
    command: Abort | Quit | MakeOffer,
    color: chess.Color,
    now_ms: int,
    paused_ms: int,
    rules: Rules,
) -> Decision:
    """Abort the game, offer that, or agree to it. ``paused_ms`` as for ``decide``."""
    if game.ply < OPENING_PLIES:
        return end_game(game, Outcome(Termination.ABORTED, None, aborted_by=color), now_ms)
    made_at_ms = now_ms
    if command.made_at_ms is not None:
        # An event that is held back must not mean more than when it was signed.
        made_at_ms = min(now_ms, command.made_at_ms + STALE_AFTER_MS)
    if game.offer == Offer(OfferKind.ABORT, color):
        # Some of the pause may lie before the notice: the opponent has at least a day.
        since_ms = max(game.changed_at_ms, ends_ms(game, not color))
        if made_at_ms - since_ms - paused_ms < NOTICE_MS:
            text = "your opponent has a day to move: abort again after that"
            return refuse(game, command, Reason.RATE_LIMITED, text)
        return end_game(game, Outcome(Termination.ABORTED, None), now_ms, paused_ms)
    agrees = game.offer == Offer(OfferKind.ABORT, not color) and made_at_ms >= game.changed_at_ms
    if not agrees and (text := _why_no_notice(game, color, made_at_ms - paused_ms, rules)):
        return refuse(game, command, Reason.TOO_LATE, text)
    notice = MakeOffer(command.player, OfferKind.ABORT, made_at_ms)
    return make_offer(game, notice, color, now_ms, paused_ms)


def _why_no_notice(game: Game, color: chess.Color, until_ms: int, rules: Rules) -> str:
    """Return the reason why this player may not offer to abort yet; empty if they may."""
    if game.clocks is not None and game.clocks.control.move_ms <= rules.silent_ms:
        return "both of you have moved: resign instead"
    if game.turn == color or until_ms - _silent_since_ms(game, color) <= rules.silent_ms:
        days = rules.silent_ms // DAY_MS
        return f"both of you have moved: resign, or abort after {days} days without a move"
    return ""


def _silent_since_ms(game: Game, color: chess.Color) -> int:
    """When the opponent began to think; or when this offer to abort or their vacation ended."""
    versions = (
        *game.earlier_versions,
        StateVersion(game.state_version, game.changed_at_ms, game.offer),
    )
    notice = Offer(OfferKind.ABORT, color)
    ended = [later.since_ms for one, later in pairwise(versions) if one.offer == notice]
    since_ms = game.clocks.since_ms if game.clocks else game.position_since_ms
    return max([since_ms, ends_ms(game, not color), *ended])
