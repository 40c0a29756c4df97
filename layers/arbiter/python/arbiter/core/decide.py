"""One command, one game, one answer: the arbiter's whole judgement.

The law: **a refusal is a value**. Nothing here raises for what a player did; a refusal carries its
reason, and leaves the very same game unless it counts as a strike
(docs/decisions/0002-refusals-are-values.md).
"""

from dataclasses import dataclass, replace
from typing import assert_never

import chess

from arbiter.core.commands import (
    Abort,
    Answers,
    CallFlag,
    ClaimDraw,
    Command,
    DeclineOffer,
    MakeOffer,
    Mumble,
    PlayMove,
    Quit,
    Resign,
    ShowState,
    Tick,
)
from arbiter.core.flag import fallen
from arbiter.core.model import WHITE, Game, OfferKind, Outcome, Termination
from arbiter.core.offers import claim, decline, end, offer, offer_after_move
from arbiter.core.replies import Decision, MovePlayed, Reason, Rejected, StateShown

STALE_AFTER_MS = 60_000
"""A move that names no state and was signed this long before the state it would answer is taken
for a replay.
"""

FUTURE_MS = 15 * 60_000
"""A move signed this far in the future is refused: its date would outlive every memory of it."""

PLIES_TO_ABORT = 2
"""A game can be aborted while fewer plies than this were played."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What an operator may choose.

    ``illegal_moves_to_lose``: the n-th illegal move of a player loses the game; 0 never.
    ``work_of_strangers``: the bits of NIP-13 work that somebody never seen before must show.
    """

    illegal_moves_to_lose: int = 3
    work_of_strangers: int = 0


def decide(
    game: Game,
    command: Command,
    now_ms: int,
    rules: Rules = Rules(),
    received_at_ms: int | None = None,
) -> Decision:
    """Judge one command.

    ``now_ms`` (unix milliseconds) is when this is decided and becomes the time of the state it
    makes. ``received_at_ms`` is when our listener had it, and now if not given: a flag is judged by
    that, for behind a command that waited in the queue a move in time may wait as well. Never
    raises for anything a player can do.
    """
    received_at_ms = now_ms if received_at_ms is None else received_at_ms
    # Whoever decided the state before may have a faster clock: no state is dated before the one it
    # follows.
    now_ms = max(now_ms, game.changed_at_ms)
    color = game.color_of(command.player)
    if isinstance(command, ShowState):
        return Decision(game, (StateShown(game, color),))
    if color is None and not isinstance(command, Tick):
        return _refuse(game, command, Reason.NOT_A_PLAYER, "you have no seat in this game")
    if game.outcome is not None:
        return _after_the_end(game, command, color, now_ms)
    if outcome := fallen(game, command, received_at_ms):
        return _too_slow(game, command, outcome, now_ms)
    if color is None:
        return Decision(game, ())
    return _judge(game, command, color, now_ms, rules)


def _judge(game: Game, command: Command, color: chess.Color, now_ms: int, rules: Rules) -> Decision:
    """Judge a player's command in a game that goes on."""
    match command:
        case PlayMove():
            return _play(game, command, color, now_ms, rules)
        case Abort():
            return _abort(game, command, now_ms)
        case Resign():
            return end(game, Outcome(Termination.RESIGNATION, not color), now_ms)
        case Quit():
            if game.ply < PLIES_TO_ABORT:
                return _abort(game, command, now_ms)
            return end(game, Outcome(Termination.RESIGNATION, not color), now_ms)
        case MakeOffer() | DeclineOffer() | ClaimDraw():
            return _talk(game, command, color, now_ms)
        case CallFlag():
            return _refuse(game, command, Reason.TIME_LEFT, "nobody has run out of time")
        case Mumble():
            text = "neither a move such as e2e4 or e7e8q nor a known signal"
            return _refuse(game, command, Reason.MALFORMED, text)
        case ShowState() | Tick():
            return Decision(game, ())
        case _:
            assert_never(command)


def _talk(
    game: Game, command: MakeOffer | DeclineOffer | ClaimDraw, color: chess.Color, now_ms: int
) -> Decision:
    if refusal := _untimely(game, command, now_ms):
        return _refuse(game, command, *refusal)
    match command:
        case MakeOffer(kind=OfferKind.REMATCH):
            return _refuse(game, command, Reason.NOT_OFFERED_HERE, "the game goes on")
        case MakeOffer():
            return offer(game, command, color, now_ms)
        case DeclineOffer():
            return decline(game, command, color, now_ms)
        case ClaimDraw():
            return claim(game, command, now_ms)
        case _:
            assert_never(command)


def _untimely(
    game: Game, command: MakeOffer | DeclineOffer | ClaimDraw, now_ms: int
) -> tuple[Reason, str] | None:
    if command.made_at_ms > now_ms + FUTURE_MS:
        return Reason.BAD_TIME, "created_at lies in the future: set your clock"
    if command.made_at_ms < game.position_since_ms - STALE_AFTER_MS:
        return Reason.STALE, "signed long before this position"
    return None


def _after_the_end(
    game: Game, command: Command, color: chess.Color | None, now_ms: int
) -> Decision:
    match command:
        case MakeOffer(kind=OfferKind.REMATCH) | DeclineOffer(kind=OfferKind.REMATCH) if (
            refusal := _untimely(game, command, now_ms)
        ):
            return _refuse(game, command, *refusal)
        case MakeOffer(kind=OfferKind.REMATCH) if color is not None:
            return offer(game, command, color, now_ms)
        case DeclineOffer(kind=OfferKind.REMATCH) if color is not None:
            return decline(game, command, color, now_ms)
        case Tick():
            return Decision(game, ())
        case _:
            ended = game.outcome.termination if game.outcome else ""
            return _refuse(
                game, command, Reason.GAME_OVER, f"the game is over: {game.result}, {ended}"
            )


def _too_slow(game: Game, command: Command, outcome: Outcome, now_ms: int) -> Decision:
    """The flag fell before this command came."""
    ended = end(game, outcome, now_ms)
    if isinstance(command, Tick | CallFlag):
        return ended
    refusal = Rejected(
        command.player, Reason.GAME_OVER, f"time is up: {ended.game.result}", ended.game
    )
    return Decision(ended.game, (refusal, *ended.replies))


def _play(game: Game, command: PlayMove, color: chess.Color, now_ms: int, rules: Rules) -> Decision:
    if command.made_at_ms > command.received_at_ms + FUTURE_MS:
        return _refuse(
            game, command, Reason.BAD_TIME, "created_at lies in the future: set your clock"
        )
    if command.answers is Answers.OLDER:
        return _refuse(
            game, command, Reason.STALE, "that answers an older state; look at the latest one"
        )
    if color != game.turn:
        return _refuse(game, command, Reason.NOT_YOUR_TURN, "it is your opponent's turn")
    if (
        command.answers is Answers.UNSAID
        and command.made_at_ms < game.position_since_ms - STALE_AFTER_MS
    ):
        return _refuse(
            game,
            command,
            Reason.STALE,
            "signed long before this position: name it in an e tag, or set your clock",
        )
    board = game.board()
    move = legal_move(board, command.uci)
    if move is None:
        return _illegal(game, command, color, board, now_ms, rules)
    played = replace(game.after(move, now_ms), offer=offer_after_move(game, color))
    if game.clocks:
        clocks = game.clocks.after_move(game.ply, command.received_at_ms, now_ms, white=color)
        played = replace(played, clocks=clocks)
    outcome = played.board().outcome()
    if outcome is not None:
        return end(played, Outcome(_TERMINATIONS[outcome.termination], outcome.winner), now_ms)
    return Decision(played, (MovePlayed(played),))


_TERMINATIONS = {
    # FIDE 5.1.1 checkmate, 5.2.1 stalemate, 5.2.2 dead position (by material), 9.6.1 fivefold,
    # 9.6.2 seventy-five moves.
    chess.Termination.CHECKMATE: Termination.CHECKMATE,
    chess.Termination.STALEMATE: Termination.STALEMATE,
    chess.Termination.INSUFFICIENT_MATERIAL: Termination.INSUFFICIENT_MATERIAL,
    chess.Termination.FIVEFOLD_REPETITION: Termination.FIVEFOLD_REPETITION,
    chess.Termination.SEVENTYFIVE_MOVES: Termination.SEVENTYFIVE_MOVES,
}


def legal_move(board: chess.Board, uci: str) -> chess.Move | None:
    """The legal move this text names, in its one stored spelling, or None.

    python-chess reads ``0000`` as a null move that passes the turn, ``Q@e4`` as a drop and
    ``e1h1`` as castling: the first two are never legal, and the third is stored as ``e1g1``.
    """
    try:
        move = chess.Move.from_uci(uci)
    except ValueError:
        return None
    if not move or move.drop is not None or not board.is_legal(move):
        return None
    return board.parse_uci(board.uci(move))


def _illegal(
    game: Game, command: PlayMove, color: chess.Color, board: chess.Board, now_ms: int, rules: Rules
) -> Decision:
    # Signed before the position appeared and naming none: a late copy, not a player's mistake
    # about this position.
    late = (
        command.answers is Answers.UNSAID
        and command.made_at_ms // 1000 < game.position_since_ms // 1000
    )
    if late or not rules.illegal_moves_to_lose:
        return _refuse(
            game, command, Reason.ILLEGAL_MOVE, f"{command.uci} is not legal here; not counted"
        )
    strikes = game.strikes(color) + 1
    struck = (
        replace(game, white_strikes=strikes)
        if color == WHITE
        else replace(game, black_strikes=strikes)
    )
    text = f"{command.uci} is not legal here ({strikes} of {rules.illegal_moves_to_lose})"
    refusal = Rejected(command.player, Reason.ILLEGAL_MOVE, text, struck)
    if strikes < rules.illegal_moves_to_lose:
        return Decision(struck, (refusal,))
    # FIDE 7.5.5: "However, the game is drawn if the position is such that the opponent cannot
    # checkmate the player's king by any possible series of legal moves."
    winner = None if board.has_insufficient_material(not color) else not color
    ended = end(struck, Outcome(Termination.ILLEGAL_MOVES, winner), now_ms)
    return Decision(ended.game, (replace(refusal, game=ended.game), *ended.replies))


def _abort(game: Game, command: Abort | Quit, now_ms: int) -> Decision:
    if game.ply >= PLIES_TO_ABORT:
        return _refuse(game, command, Reason.TOO_LATE, "two plies were played: resign instead")
    return end(game, Outcome(Termination.ABORTED, None), now_ms)


def _refuse(game: Game, command: Command, reason: Reason, text: str) -> Decision:
    seated = game.color_of(command.player) is not None
    refusal = Rejected(command.player, reason, text, game if seated else None)
    if seated and reason is Reason.STALE:
        # Whoever answers an older state has missed the present one.
        return Decision(game, (StateShown(game, None), refusal))
    return Decision(game, (refusal,))
