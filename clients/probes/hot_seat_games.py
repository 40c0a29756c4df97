"""Whole games on the chessgame-backend API, compared move by move with python-chess."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import chess

from clients.probes.hot_seat_client import BoardRow, ChessgameClient, Moved, MoveRow, Refused


class Browse(Protocol):
    """Opens a browser: a new one, or one that comes back with its id."""

    def __call__(self, browser_id: str | None = None) -> ChessgameClient: ...


INVALID_MOVE = Refused(400, "Invalid move!")


def started(browse: Browse) -> ChessgameClient:
    browser = browse()
    assert not isinstance(browser.new_game(), Refused)
    return browser


def play(browser: ChessgameClient, script: Sequence[str]) -> chess.Board:
    """Play a game from its first move, and check every answer by the rules; the last position."""
    board = chess.Board()
    captures: Counter[tuple[str, str]] = Counter()
    for uci in script:
        move = chess.Move.from_uci(uci)
        query = f"?promotion={uci[4]}" if len(uci) > 4 else ""
        moved = browser.make_move(uci[:2], uci[2:4], query)
        assert isinstance(moved, Moved), f"{uci}: {moved}"
        _check_move(moved.move, board, move)
        if board.is_capture(move):
            captures[_color(board), _taken(board, move)] += 1
        board.push(move)
        check_board(moved.board, board, captures)
        check_extras(moved.extra, board)
    return board


def check_board(row: BoardRow, board: chess.Board, captures: Counter[tuple[str, str]]) -> None:
    """The row shows this position, and these captures by colour and piece."""
    assert row.placement == board.board_fen()
    assert row.move_number == board.ply()
    assert row.turn_player == ("" if board.ply() == 0 else "BW"[board.turn == chess.BLACK])
    counted = {
        (color, piece): count
        for color, pieces in row.score.items()
        for piece, count in pieces.items()
        if count
    }
    assert counted == dict(captures)
    check_extras(row.extra, board)


def check_extras(extra: Mapping[str, Any], board: chess.Board) -> None:
    """Fields that the original lacks are true where they are there."""
    if "fen" in extra:
        assert chess.Board(extra["fen"]).epd() == board.epd()
    if "check" in extra:
        assert extra["check"] is board.is_check()
    over = board.outcome(claim_draw=False)
    if "result" in extra:
        assert extra["result"] == (over.result() if over else "*")
    if "termination" in extra:
        expected = over.termination.name.lower().replace("_", "-") if over else None
        assert extra["termination"] == expected


def replayed(loaded: tuple[BoardRow, tuple[MoveRow, ...]] | Refused) -> chess.Board:
    """The position that the whole list of moves, newest first, leads to; the board agrees."""
    assert not isinstance(loaded, Refused), loaded
    shown, moves = loaded
    board = chess.Board()
    captures: Counter[tuple[str, str]] = Counter()
    for row in reversed(moves):
        move = board.find_move(
            chess.parse_square(row.from_square), chess.parse_square(row.to_square)
        )
        _check_move(row, board, move)
        if board.is_capture(move):
            captures[_color(board), _taken(board, move)] += 1
        board.push(move)
    check_board(shown, board, captures)
    return board


def _check_move(row: MoveRow, board: chess.Board, move: chess.Move) -> None:
    piece = board.piece_at(move.from_square)
    assert piece is not None
    assert row.player == _color(board)
    assert row.move_number == board.ply() + 1
    assert row.piece == piece.symbol().upper()
    assert row.flag == ("x" if board.is_capture(move) else "-")
    assert (row.from_square, row.to_square) == (
        chess.square_name(move.from_square),
        chess.square_name(move.to_square),
    )


def _color(board: chess.Board) -> str:
    return "W" if board.turn == chess.WHITE else "B"


def _taken(board: chess.Board, move: chess.Move) -> str:
    taken = board.piece_at(move.to_square)
    return "P" if taken is None else taken.symbol().upper()
