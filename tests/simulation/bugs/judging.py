"""Bugs of judgement: what the core lets happen on the board."""

from dataclasses import replace
from typing import Any

import chess

from arbiter.core import decide, moves, offers
from arbiter.core.commands import AnsweredState, MakeOffer, OfferKind, PlayMove, Resign
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.replies import Decision, MovePlayed, Reason
from tests.simulation.bugs.bug import Bug


def _stranger_sits_in(real: Any) -> Any:
    def color_of(game: Game, player: str) -> Any:
        color = real(game, player)
        return game.turn if color is None else color

    return color_of


def _whoever_comes(real: Any) -> Any:
    def play_move(game: Game, command: PlayMove, color: bool, *rest: Any) -> Any:  # noqa: FBT001 - as there
        del color
        return real(game, command, game.turn, *rest)

    return play_move


def _any_two_squares(_: Any) -> Any:
    def legal_move(board: chess.Board, uci: str) -> chess.Move | None:
        move = chess.Move.from_uci(uci) if len(uci) in {4, 5} else None
        is_own = move is not None and board.color_at(move.from_square) == board.turn
        is_off = move is not None and board.color_at(move.to_square) == board.turn
        return move if is_own and not is_off else None

    return legal_move


def _any_state(real: Any) -> Any:
    def play_move(game: Game, command: PlayMove, *rest: Any) -> Any:
        if command.answers is AnsweredState.OLDER:
            command = replace(command, answers=AnsweredState.LATEST)
        return real(game, command, *rest)

    return play_move


def _no_end(_: Any) -> Any:
    return lambda played, _now_ms: Decision(played, (MovePlayed(played),))


def _loser_wins(real: Any) -> Any:
    def judge(game: Game, command: Any, color: bool, now_ms: int, *rest: Any) -> Any:  # noqa: FBT001 - as there
        if isinstance(command, Resign):
            return offers.end(game, Outcome(Termination.RESIGNATION, color), now_ms)
        return real(game, command, color, now_ms, *rest)

    return judge


def _struck_out_of_turn(real: Any) -> Any:
    def untimely(game: Game, command: PlayMove, color: bool) -> Any:  # noqa: FBT001 - as there
        found = real(game, command, color)
        is_early = found is not None and found[0] is Reason.NOT_YOUR_TURN
        return None if is_early and _is_nowhere_legal(game, command) else found

    return untimely


def _is_nowhere_legal(game: Game, command: PlayMove) -> bool:
    return moves.legal_move(game.board(), command.uci) is None


def _agreed_with_himself(real: Any) -> Any:
    def offer(
        game: Game,
        command: MakeOffer,
        color: bool,  # noqa: FBT001
        now_ms: int,
        paused_ms: int = 0,
    ) -> Any:
        if game.offer is not None and (game.offer.kind, game.offer.color) == (command.kind, color):
            return offers._agree(game, command.kind, not color, now_ms, paused_ms)
        return real(game, command, color, now_ms, paused_ms)

    return offer


def _all_taken_back(real: Any) -> Any:
    def taken_back(game: Game, plies: int, now_ms: int) -> Any:
        return real(game, min(plies + 1, game.ply), now_ms)

    return taken_back


def _first_offer_agrees(real: Any) -> Any:
    def offer(
        game: Game,
        command: MakeOffer,
        color: bool,  # noqa: FBT001
        now_ms: int,
        paused_ms: int = 0,
    ) -> Any:
        if command.kind is OfferKind.DRAW and game.outcome is None:
            return offers.end(game, Outcome(Termination.AGREEMENT, None), now_ms)
        return real(game, command, color, now_ms)

    return offer


BUGS = (
    Bug(
        "spectators-move",
        "Whoever has no seat plays for the side to move.",
        ((Game, "color_of", _stranger_sits_in),),
        needs=frozenset({"meddlers", "H02"}),
    ),
    Bug(
        "either-colour-moves",
        "A player moves for his opponent, too.",
        ((decide, "play_move", _whoever_comes),),
        needs=frozenset({"careless", "H44"}),
    ),
    Bug(
        "no-rules",
        "One's own piece may go to any square that has none of one's own.",
        ((moves, "legal_move", _any_two_squares),),
        needs=frozenset({"careless", "H50"}),
    ),
    Bug(
        "older-state-is-latest",
        "A move is played though it answers an older state.",
        ((decide, "play_move", _any_state),),
        needs=frozenset({"careless", "H46"}),
    ),
    Bug(
        "mate-not-seen",
        "The game goes on after mate and stalemate.",
        ((moves, "_after_move", _no_end),),
        needs=frozenset({"challenges"}),
    ),
    Bug(
        "resignation-wins",
        "Whoever resigns has won.",
        ((decide, "_judge", _loser_wins),),
    ),
    Bug(
        "strike-out-of-turn",
        "An illegal move out of turn counts as a strike.",
        ((moves, "_untimely", _struck_out_of_turn),),
        needs=frozenset({"careless", "H50"}),
    ),
    Bug(
        "agrees-with-himself",
        "Who offers twice has agreed to his own offer.",
        ((decide, "offer", _agreed_with_himself),),
        needs=frozenset({"careless", "H53"}),
    ),
    Bug(
        "offer-is-agreement",
        "A draw is agreed to as soon as it is offered.",
        ((decide, "offer", _first_offer_agrees),),
    ),
    Bug(
        "takeback-takes-one-more",
        "A takeback takes one ply too many.",
        ((Game, "taken_back", _all_taken_back),),
        needs=frozenset({"careless", "takeback", "casual"}),
    ),
    Bug(
        "offer-outlives-answer",
        "An offer stands though the opponent has moved.",
        ((moves, "offer_after_move", lambda _: lambda game, _color: game.offer),),
    ),
)
