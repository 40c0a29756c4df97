"""Decide one move by the rules of chess, and compare it with what its author claims."""

from dataclasses import replace

import chess

from arbiter.core.commands import (
    AnsweredState,
    ClaimDraw,
    Ends,
    MakeOffer,
    OfferKind,
    PlayMove,
    line_key,
)
from arbiter.core.game import WHITE, Game, Outcome, Termination
from arbiter.core.helpmate import is_dead_wall
from arbiter.core.move_claims import differences
from arbiter.core.offers import claim_draw, end_game, make_offer, offer_after_move
from arbiter.core.replies import ClaimRejected, Decision, MovePlayed, Reason, Rejected, refuse
from arbiter.core.rules import FUTURE_MS, STALE_AFTER_MS, STATE_KNOWN_MS, Rules
from arbiter.core.spent_time import with_time_spent
from arbiter.core.vacations import rested

FIVE_TIMES_PLIES = 16
"""Half-moves without a pawn move or a capture from a position to its fifth occurrence, at least."""


def play_move(
    game: Game, command: PlayMove, color: chess.Color, now_ms: int, rules: Rules, paused_ms: int
) -> Decision:
    """The decision on a move of this colour in a live game; a paused clock is not charged."""
    if command.offers_draw and _is_played(game, command):
        return _offer_draw(Decision(game, ()), command, color, now_ms)
    if refusal := _untimely(game, command, color):
        return refuse(game, command, *refusal)
    board = game.board()
    move = legal_move(board, command.uci)
    if move is None:
        return _illegal(game, command, color, board, now_ms, rules, paused_ms)
    clocks = game.clocks
    if clocks:
        charged_to_ms = command.received_at_ms - paused_ms
        clocks = clocks.after_move(game.ply, charged_to_ms, now_ms, white=color)
        clocks = rested(game, clocks, now_ms, white=not color)
    played = with_time_spent(game.after(move, now_ms, offer_after_move(game, color), clocks))
    decision = _after_move(played, now_ms)
    if command.ends is not None:
        decision = _claimed(decision, command.ends, command.player, now_ms)
        if not _ended(decision.game, command.ends):
            text = (
                f"the move does not end the game by {command.ends.name.lower()}: it was not played"
            )
            return refuse(game, command, Reason.WRONG_RESULT, text)
    if command.claims:
        claimed = differences(decision.game, command.claims)
        disputed = (ClaimRejected(decision.game, command.player, text) for text in claimed)
        decision = replace(decision, replies=(*disputed, *decision.replies))
    if command.offers_draw and decision.game.outcome is None:
        return _offer_draw(decision, command, color, now_ms)
    return decision


def _is_played(game: Game, command: PlayMove) -> bool:
    """Whether this is the last half-move of the game, after the same moves."""
    return (
        command.ply == game.ply > 0
        and command.uci == game.moves[-1].uci()
        and command.line == line_key(game.uci_moves()[:-1])
    )


def _offer_draw(decision: Decision, command: PlayMove, color: chess.Color, now_ms: int) -> Decision:
    place = decision.game.tournament
    if place and decision.game.ply < place.draws_from_ply:
        return decision
    wanted = MakeOffer(command.player, OfferKind.DRAW, command.received_at_ms)
    offered = make_offer(decision.game, wanted, color, now_ms)
    return replace(offered, replies=(*decision.replies, *offered.replies))


def restates_end(game: Game, command: PlayMove, color: chess.Color) -> bool:
    """Whether this repeats the author's own last move, with which the game ended as claimed."""
    return (
        command.ends is not None
        and command.ply == game.ply > 0
        and game.turn != color
        and game.moves[-1].uci() == command.uci
        and _ended(game, command.ends)
    )


def _untimely(game: Game, command: PlayMove, color: chess.Color) -> tuple[Reason, str] | None:
    """Why this move is not for the present position, or not for its author to make."""
    if command.made_at_ms > command.received_at_ms + FUTURE_MS:
        return Reason.BAD_TIME, "created_at lies in the future: set your clock"
    if command.answers is AnsweredState.OLDER:
        return (
            Reason.STALE,
            "that answers another position than the present one: look at the latest state",
        )
    if command.ply is not None and (refusal := _misplaced(game, command, command.ply, color)):
        return refusal
    if color != game.turn:
        return Reason.NOT_YOUR_TURN, "it is your opponent's turn"
    if command.ply is None:
        return signed_long_before(game, command.answers, command.made_at_ms)
    return None


def signed_long_before(
    game: Game, answers: AnsweredState, made_at_ms: int
) -> tuple[Reason, str] | None:
    """Why a command dated ``made_at_ms`` is stale where its state cannot decide: a state that is no
    longer known may be another position's, and what was stale stays stale.
    """
    since_ms = game.position_since_ms
    if answers is AnsweredState.UNPLACED:
        since_ms += STATE_KNOWN_MS
    if (
        answers in (AnsweredState.LATEST, AnsweredState.EARLIER_VERSION)
        or made_at_ms >= since_ms - STALE_AFTER_MS
    ):
        return None
    text = "signed long before this position: name it in an e tag, or set your clock"
    return Reason.STALE, text


def _misplaced(
    game: Game, command: PlayMove, ply: int, color: chess.Color
) -> tuple[Reason, str] | None:
    """Return the reason why a move that claims to be half-move ``ply`` is not the next one."""
    if ply > game.ply + 1:
        return Reason.EARLY, f"half-move {ply} came before half-move {game.ply + 1}"
    if ply == game.ply + 1:
        if command.line in (None, line_key(game.uci_moves())):
            return None
        return Reason.FORKED, f"half-move {ply} follows other moves than those played"
    if ply < 1 or game.mover(ply - 1) != color:
        return Reason.NOT_YOUR_TURN, f"half-move {ply} is your opponent's"
    if (played := game.moves[ply - 1].uci()) != command.uci:
        return Reason.FORKED, f"you have played {played} as half-move {ply}"
    return Reason.STALE, f"half-move {ply} has been played"


def _after_move(played: Game, now_ms: int) -> Decision:
    found = _end_on_board(played.board())
    if found is not None:
        outcome = Outcome(_TERMINATIONS[found.termination], found.winner)
    elif is_dead_wall(played.board()):
        outcome = Outcome(Termination.INSUFFICIENT_MATERIAL, None)
    else:
        return Decision(played, (MovePlayed(played),))
    # The opponent's clock may run since before now, and had nothing to run for.
    waited_ms = now_ms - played.clocks.since_ms if played.clocks else 0
    return end_game(played, outcome, now_ms, waited_ms)


def _end_on_board(board: chess.Board) -> chess.Outcome | None:
    """The same as ``board.outcome()``, which looks through the whole game for a fifth occurrence of
    the position: 3 % of what a move costs, and there is none before ``FIVE_TIMES_PLIES``.
    """
    may_recur = board.halfmove_clock >= FIVE_TIMES_PLIES
    if may_recur or not board.legal_moves or board.is_insufficient_material():
        return board.outcome()
    return None


def _claimed(decision: Decision, ends: Ends, player: str, now_ms: int) -> Decision:
    """A move sent with a draw claims it where FIDE 9.2 or 9.3 allows."""
    if ends is not Ends.DRAW or decision.game.outcome is not None:
        return decision
    return claim_draw(decision.game, ClaimDraw(player, now_ms), now_ms)


def _ended(game: Game, ends: Ends) -> bool:
    if ends is Ends.CHECKMATE:
        return game.outcome is not None and game.outcome.termination is Termination.CHECKMATE
    return game.result == "1/2-1/2"


_TERMINATIONS = {
    # FIDE 5.1.1 checkmate, 5.2.1 stalemate, 5.2.2 dead position (by material), 9.6.1 fivefold,
    # 9.6.2 seventy-five moves.
    chess.Termination.CHECKMATE: Termination.CHECKMATE,
    chess.Termination.STALEMATE: Termination.STALEMATE,
    chess.Termination.INSUFFICIENT_MATERIAL: Termination.INSUFFICIENT_MATERIAL,
    chess.Termination.FIVEFOLD_REPETITION: Termination.FIVEFOLD_REPETITION,
    chess.Termination.SEVENTYFIVE_MOVES: Termination.SEVENTYFIVE_MOVES,
}

ENDS_BY_A_MOVE = frozenset(_TERMINATIONS.values())
"""The ends that a player sees on the board after the last move."""


def legal_move(board: chess.Board, uci: str) -> chess.Move | None:
    """The legal move, castling as ``e1g1``; None for others, ``0000``, drops and ``e1h1``."""
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        return None
    if not move or move.drop is not None or not board.is_legal(move):
        return None
    return board.parse_uci(board.uci(move)) if board.is_castling(move) else move


def _illegal(
    game: Game,
    command: PlayMove,
    color: chess.Color,
    board: chess.Board,
    now_ms: int,
    rules: Rules,
    paused_ms: int,
) -> Decision:
    # Without a known state and signed before the position appeared, it is a late copy rather than
    # a mistake in this position.
    late = command.answers is AnsweredState.UNPLACED or (
        command.answers is AnsweredState.UNSAID
        and command.made_at_ms // 1000 < game.position_since_ms // 1000
    )
    if late or not rules.illegal_moves_to_lose:
        return refuse(
            game, command, Reason.ILLEGAL_MOVE, f"{command.uci} is not legal here; not counted"
        )
    strikes = game.strikes(color) + 1
    struck = (
        replace(game, white_strikes=strikes)
        if color == WHITE
        else replace(game, black_strikes=strikes)
    )
    text = f"{command.uci} is not legal here ({strikes} of {rules.illegal_moves_to_lose})"
    refusal = Rejected(command.player, Reason.ILLEGAL_MOVE, text, struck, is_strike=True)
    if strikes < rules.illegal_moves_to_lose:
        return Decision(struck, (refusal,))
    # FIDE 7.5.5: "However, the game is drawn if the position is such that the opponent cannot
    # checkmate the player's king by any possible series of legal moves."
    winner = not color if rules.can_mate(board, not color) else None
    ended = end_game(struck, Outcome(Termination.ILLEGAL_MOVES, winner), now_ms, paused_ms)
    return Decision(ended.game, (replace(refusal, game=ended.game), *ended.replies))
