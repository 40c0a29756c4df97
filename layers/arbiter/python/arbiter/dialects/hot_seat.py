"""The JSON of chessgame-backend: two players at one browser, over plain HTTP.

Invariant: names, order and spelling are the original's; additions are extra members
(docs/dialects/hot_seat.md). The dialect has no kinds and sends no events.
"""

from datetime import UTC, datetime

import chess

from arbiter.core.game import BLACK, WHITE, Game, Seat
from arbiter.core.replies import Reply
from arbiter.dialects.base import Dialect, NoSuchGame, ReplyContext
from arbiter.dialects.outgoing import Outgoing
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import placeholder_key
from arbiter.nostr.strict_json import write_ascii

NAME = "hot_seat"

_KEYS_OF = "rest"
"""The source of placeholder keys. It was the name in release 0.1, and games have those keys."""

MOVES_ON_A_PAGE = 100
"""More than most games have, so that clients that know of no pages see the whole game."""

Shape = dict[str, object]

_COLOR_CHARS = {WHITE: "W", BLACK: "B"}
_AT_FIRST = {
    chess.PAWN: 8,
    chess.KNIGHT: 2,
    chess.BISHOP: 2,
    chess.ROOK: 2,
    chess.QUEEN: 1,
    chess.KING: 1,
}
_PROMOTED = {"n": chess.KNIGHT, "b": chess.BISHOP, "r": chess.ROOK, "q": chess.QUEEN}
_ROWS_FROM_THE_TOP = tuple(chess.square(file, 7 - row) for row in range(8) for file in range(8))
_NUMBERS_OF_A_GAME = 2**15
"""15 bits for 17,697 plies, 38 of the game's id: within JavaScript's 53."""


def seats_of(game_id: str, server: str) -> tuple[Seat, Seat]:
    white, black = (
        Seat(placeholder_key(server, _KEYS_OF, f"{game_id} {color}"), NAME)
        for color in ("white", "black")
    )
    return white, black


def read_square(text: str) -> chess.Square | None:
    """The square of this name, ``a1`` to ``h8``; None for any other text."""
    return chess.SQUARE_NAMES.index(text) if text in chess.SQUARE_NAMES else None


def read_promotion(text: str) -> chess.PieceType | None:
    """The piece of this letter, in either case; None for pieces that a pawn cannot become."""
    return _PROMOTED.get(text.lower())


def new_game_reply(game: Game, browser_id: str) -> Shape:
    made = _time(game.created_at_ms)
    shown = {"id": game.id, "updatedAt": made, "createdAt": made, "browser_id": browser_id}
    return {"game": shown, "board": board_shape(game)}


def load_game_reply(game: Game, before: int | None = None) -> Shape:
    """The answer to ``GET /load-game``: the board, and a page of moves, newest first."""
    newest = game.ply if before is None else min(before - 1, game.ply)
    oldest = max(newest - MOVES_ON_A_PAGE, 0) + 1
    return {
        "board": board_shape(game),
        "moves": _moves(game, newest, oldest),
        "next": oldest if oldest > 1 else None,
    }


def make_move_reply(game: Game) -> Shape:
    """The answer to ``GET /make-move``: the board after the last move, and that move."""
    return {"board": board_shape(game), "move": _moves(game, game.ply, game.ply)[0]}


def legal_moves_reply(game: Game, square: chess.Square) -> list[str]:
    """Target squares of the piece on this square, sorted; none if it cannot move now."""
    if game.outcome is not None:
        return []
    moves = game.board().generate_legal_moves(from_mask=chess.BB_SQUARES[square])
    return sorted({chess.square_name(move.to_square) for move in moves})


def board_shape(game: Game) -> Shape:
    board = game.board()
    at = _time(_moved_at_ms(game, game.ply))
    return {
        "id": _number(game, game.ply),
        "game_id": game.id,
        "move_number": game.ply,
        "turn_player": _COLOR_CHARS[game.mover(game.ply - 1)] if game.ply else "",
        "score": _compact(_score(game, board)),
        "board": _compact(_squares(board)),
        "updatedAt": at,
        "createdAt": at,
        "fen": board.fen(),
        "check": board.is_check(),
        "result": game.result,
        "termination": game.outcome.termination.value if game.outcome else None,
    }


def _squares(board: chess.Board) -> Shape:
    pieces = board.piece_map()
    return {chess.SQUARE_NAMES[at]: _square(pieces.get(at)) for at in _ROWS_FROM_THE_TOP}


def _square(piece: chess.Piece | None) -> Shape:
    if piece is None:
        return {"color": "", "piece": None}
    return {"color": _COLOR_CHARS[piece.color], "piece": piece.symbol().upper()}


def _score(game: Game, board: chess.Board) -> dict[str, dict[str, int]]:
    return {_COLOR_CHARS[color]: _lost(game, board, not color) for color in (WHITE, BLACK)}


def _lost(game: Game, board: chess.Board, color: chess.Color) -> dict[str, int]:
    made = [
        move.promotion
        for ply, move in enumerate(game.moves)
        if move.promotion and game.mover(ply) == color
    ]
    had = {kind: count + made.count(kind) for kind, count in _AT_FIRST.items()}
    had[chess.PAWN] -= len(made)
    return {
        chess.piece_symbol(kind).upper(): count - len(board.pieces(kind, color))
        for kind, count in had.items()
    }


def _moves(game: Game, newest: int, oldest: int) -> list[Shape]:
    board = game.board().copy(stack=game.ply - oldest + 1)
    shown: list[Shape] = []
    for number in range(game.ply, oldest - 1, -1):
        move = board.pop()
        if number <= newest:
            shown.append(_move(game, board, move, number))
    return shown


def _move(game: Game, before: chess.Board, move: chess.Move, number: int) -> Shape:
    at = _time(_moved_at_ms(game, number))
    return {
        "id": _number(game, number),
        "game_id": game.id,
        "player": _COLOR_CHARS[game.mover(number - 1)],
        "flag": "x" if before.is_capture(move) else "-",
        "move_number": number,
        "from": chess.square_name(move.from_square),
        "to": chess.square_name(move.to_square),
        "piece": _square(before.piece_at(move.from_square))["piece"],
        "updatedAt": at,
        "createdAt": at,
        "promotion": chess.piece_symbol(move.promotion).upper() if move.promotion else None,
    }


def _moved_at_ms(game: Game, number: int) -> int:
    """The time of the move of this number; the start of the game for number 0."""
    known = 0 < number <= len(game.moved_at_ms)
    return game.moved_at_ms[number - 1] if known else game.created_at_ms


def _number(game: Game, number: int) -> int:
    """The id of a board or of a move. As in the original, an integer that rises."""
    return (int(game.id, 16) >> 90) * _NUMBERS_OF_A_GAME + number


def _time(at_ms: int) -> str:
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03}Z"


def _compact(value: object) -> str:
    return write_ascii(value)


def _decode(event: VerifiedEvent, received_at_ms: int, server: str) -> NoSuchGame:
    del received_at_ms, server
    return NoSuchGame(event.pubkey, "hot-seat games are played over HTTP")


def _encode(reply: Reply, context: ReplyContext) -> tuple[Outgoing, ...]:
    """Nothing: both players see the same screen."""
    del reply, context
    return ()


DIALECT = Dialect(name=NAME, kinds=frozenset(), seeks=frozenset(), decode=_decode, encode=_encode)
