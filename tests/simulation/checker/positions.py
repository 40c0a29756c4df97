"""The position of a stored game, on another board than the arbiter's."""

import re
from functools import lru_cache

import chess

from tests.simulation.checker.items import Stored

LIVE_REMATCH_MS, SLOW_REMATCH_MS = 5 * 60_000, 24 * 3_600_000

MOVE_SHAPED = re.compile("[a-h][1-8][a-h][1-8][nbrq]?")


def board_of(game: Stored) -> chess.Board:
    """The position that follows from the moves. ValueError for a move that is not legal."""
    board = chess.Board(game.start_fen, chess960=game.is_960)
    for uci in game.moves:
        push(board, uci)
    return board


def fen_of(game: Stored) -> str:
    """The FEN of the position; words that are no FEN where the moves lead nowhere."""
    try:
        return _board(game.start_fen, game.moves, is_960=game.is_960).fen()
    except ValueError as illegal:
        return str(illegal)


@lru_cache(maxsize=2000)
def _board(start_fen: str, moves: tuple[str, ...], *, is_960: bool) -> chess.Board:
    """The position, which is not to be changed."""
    if not moves:
        return chess.Board(start_fen, chess960=is_960)
    board = _board(start_fen, moves[:-1], is_960=is_960).copy(stack=False)
    push(board, moves[-1])
    return board


def push(board: chess.Board, uci: str) -> None:
    """Make a legal move. ValueError for any other."""
    move = chess.Move.from_uci(uci)
    if move not in board.legal_moves:
        raise ValueError(f"{uci} is not legal in {board.fen()}")
    board.push(move)


def same_move(board: chess.Board, one: str, other: str) -> bool:
    """Whether two spellings mean one move here: castling has two of them. A move is two squares and
    perhaps a piece, and nothing else is one.
    """
    if not (MOVE_SHAPED.fullmatch(one) and MOVE_SHAPED.fullmatch(other)):
        return False
    try:
        moves = [board.parse_uci(text) for text in (one, other)]
    except ValueError:
        return False
    return moves[0] == moves[1]


def rematch_is_over(game: Stored, at_ms: int) -> bool:
    stands_ms = LIVE_REMATCH_MS if "+" in (game.time or "") else SLOW_REMATCH_MS
    return at_ms - game.changed_ms > stands_ms


def is_renewed(before: Stored, after: Stored) -> bool:
    is_same = before.offer == after.offer and before.next_game == after.next_game
    is_rematch = before.offer is not None and before.offer[0] == "rematch"
    return is_same and is_rematch and rematch_is_over(before, after.changed_ms)


def is_walled(board: chess.Board) -> bool:
    white, black = (board.pawns & board.occupied_co[color] for color in (chess.WHITE, chess.BLACK))
    return white != 0 and white << 8 == black
