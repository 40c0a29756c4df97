"""Draws, takebacks, rematches and calling off: offered, agreed to, declined, claimed.

One offer stands at a time. It stands until the player it was made to moves, declines or agrees;
agreeing is making the same offer. An offer of a rematch also ends by itself, and when its author
declines it or asks for another game.

Calling a game off: at once before both players have moved, and with a day's notice when the
opponent is silent in a game by days or without a clock.

See docs/decisions/0026-games-that-hardly-began.md.
"""

from dataclasses import replace
from itertools import pairwise
from typing import assert_never

import chess

from arbiter.core.clocks import DAY_MS
from arbiter.core.commands import Abort, ClaimDraw, DeclineOffer, MakeOffer, OfferKind, Quit
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import WHITE, Game, Offer, Outcome, StateVersion, Termination
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

PLIES_BETWEEN_DRAW_OFFERS = 20
"""A player may not wear the other down with offers; lichess asks for as many plies."""

REMEMBERED_BESIDE_MOVES = 2_000
"""A game remembers every event that changed it, offers, answers and moves that were taken back too.
With so many beside its moves nothing more is offered, or two who want to could go on until the game
fits into no item. Two who offer a draw as often as they may, for as long as the seventy-five-move
rule lets them, come to 1,770.
"""

LIVE_REMATCH_MS = 5 * 60_000
"""How long an offer of a rematch stands after a game with a live clock."""

SLOW_REMATCH_MS = DAY_MS
"""And after a game without a clock, or with days for a move."""


def offer(
    game: Game, command: MakeOffer, color: chess.Color, now_ms: int, stood_still_ms: int = 0
) -> Decision:
    """Make an offer, or agree to the opponent's. ``stood_still_ms`` as for ``decide``."""
    agrees = standing_offer(game, now_ms) == Offer(command.kind, not color)
    if agrees and command.kind is OfferKind.TAKEBACK:
        # Two wishes that cross are not one: each player wants another move undone.
        agrees = command.knows(game.changed_at_ms)
    if agrees:
        return _agree(game, command.kind, color, now_ms, stood_still_ms)
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


def decline(game: Game, command: DeclineOffer, color: chess.Color, now_ms: int) -> Decision:
    """Turn the opponent's offer down, or take back one's own offer of a rematch."""
    standing = standing_offer(game, now_ms)
    is_own = command.kind is OfferKind.REMATCH and standing == Offer(command.kind, color)
    if standing != Offer(command.kind, not color) and not is_own:
        text = f"your opponent offers no {command.kind}"
        return Decision(game, (Rejected(command.player, Reason.NO_OFFER, text, game),))
    declined = game.with_offer(None, now_ms)
    return Decision(declined, (GameChanged(declined),))


def claim(game: Game, command: ClaimDraw, now_ms: int) -> Decision:
    """Claim a draw by the position on the board.

    FIDE 9.2 and 9.3 also let a player claim with the move he intends to play. Here he plays it and
    claims then, or leaves it to his opponent: what counts is what stands on the board.
    """
    board = game.board()
    if board.is_repetition(3):
        return end(game, Outcome(Termination.THREEFOLD_REPETITION, None), now_ms)
    if board.is_fifty_moves():
        return end(game, Outcome(Termination.FIFTY_MOVES, None), now_ms)
    text = "neither threefold repetition nor fifty moves stand on the board"
    return Decision(game, (Rejected(command.player, Reason.NO_CLAIM, text, game),))


def standing_offer(game: Game, now_ms: int) -> Offer | None:
    """The offer that can be agreed to now. One made on another network, by an invitation there, is
    kept there and does not end by itself.
    """
    if game.offer is None or game.offer.kind is not OfferKind.REMATCH or game.offer.address:
        return game.offer
    is_live = game.clocks is not None and game.clocks.control.is_live
    stands_ms = LIVE_REMATCH_MS if is_live else SLOW_REMATCH_MS
    return None if now_ms - game.changed_at_ms > stands_ms else game.offer


def without_rematch_of(game: Game | None, player: str, now_ms: int) -> Game | None:
    """The finished game without this player's offer of a rematch; None where they offer none."""
    if game is None or game.outcome is None:
        return None
    color = game.color_of(player)
    if color is None or game.offer != Offer(OfferKind.REMATCH, color):
        return None
    withdrawn = game.with_offer(None, max(now_ms, game.changed_at_ms))
    return replace(withdrawn, item_version=game.item_version + 1)


def offer_after_move(game: Game, color: chess.Color) -> Offer | None:
    """What still stands when this colour has moved: its own offer of a draw, and nothing else."""
    return game.offer if game.offer == Offer(OfferKind.DRAW, color) else None


def end(game: Game, outcome: Outcome, now_ms: int) -> Decision:
    """The game over, with this outcome."""
    over = replace(
        game,
        outcome=outcome,
        offer=None,
        state_version=game.state_version + 1,
        earlier_versions=(),
        changed_at_ms=now_ms,
        ended_at_ms=now_ms,
    )
    return Decision(over, (GameEnded(over),))


def _agree(
    game: Game, kind: OfferKind, color: chess.Color, now_ms: int, stood_still_ms: int
) -> Decision:
    match kind:
        case OfferKind.DRAW:
            return end(game, Outcome(Termination.AGREEMENT, None), now_ms)
        case OfferKind.TAKEBACK:
            # The one who asked is to move again: his last move goes, and the reply to it if any.
            asker = not color
            plies = 2 if game.turn == asker else 1
            undone = game.taken_back(plies, now_ms)
            if game.clocks:
                # Both made their first move before any clock ran.
                earned = [game.mover(ply) for ply in range(max(2, game.ply - plies), game.ply)]
                clocks = game.clocks.taken_back(earned, now_ms)
                if game.turn == asker:
                    # Or whoever thought too long could ask, and have it back.
                    thought_ms = game.clocks.thought_ms(game.ply, now_ms - stood_still_ms)
                    clocks = clocks.charged(thought_ms, white=asker)
                undone = replace(undone, clocks=clocks)
            return Decision(undone, (GameChanged(undone),))
        case OfferKind.REMATCH:
            agreed = game.with_offer(None, now_ms)
            return Decision(agreed, (RematchAgreed(agreed),))
        case OfferKind.ABORT:
            return end(game, Outcome(Termination.ABORTED, None), now_ms)
        case _:
            assert_never(kind)


def _why_not(
    game: Game, kind: OfferKind, color: chess.Color, now_ms: int
) -> tuple[Reason, str] | None:
    """Why this colour may not make this offer now."""
    standing = standing_offer(game, now_ms)
    if standing == Offer(kind, color):
        return Reason.RATE_LIMITED, f"you have offered a {kind} already"
    if standing is not None and standing.color != color:
        return Reason.NOT_OFFERED_HERE, f"answer the offered {standing.kind} first"
    if len(game.applied_ids) - game.ply >= REMEMBERED_BESIDE_MOVES:
        return Reason.RATE_LIMITED, "enough was offered in this game"
    return _why_not_this(game, kind, color)


def _why_not_this(game: Game, kind: OfferKind, color: chess.Color) -> tuple[Reason, str] | None:
    """Why not an offer of this kind, if there is nothing against offers."""
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
            pass  # ``call_off`` has judged that.
        case _:
            assert_never(kind)
    return None


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
