"""Histories of events of kind 30, a bounded number of moves of which is replayed."""

import chess

from arbiter.dialects.jester.wire import JesterEvent

_FIELDS_COMPARED = 3


def line_of(said: JesterEvent) -> tuple[str, ...] | None:
    """The half-moves of the history (UCI), or a last SAN as is; None if one before is illegal."""
    if said.flaw:
        return None
    board, line = chess.Board(), list[str]()
    for at, san in enumerate(said.history):
        if is_repeated(said, board):
            break
        move = legal(board, san)
        if move is None:
            return (*line, san) if at == len(said.history) - 1 else None
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def is_repeated(said: JesterEvent, board: chess.Board) -> bool:
    """Whether the next SAN is its last one, written twice, as nostr.blue does, and no move."""
    depth = len(board.move_stack)
    if depth == 0 or len(said.history) != depth + 1:
        return False
    if said.history[depth] != said.history[depth - 1]:
        return False
    return (
        matches_fen_without_en_passant(board, said.fen) or legal(board, said.history[depth]) is None
    )


def legal(board: chess.Board, san: str) -> chess.Move | None:
    try:
        move = board.parse_san(san)
    except ValueError:
        return None
    # python-chess reads ``--`` as a null move.
    return move or None


def matches_fen_without_en_passant(board: chess.Board, fen: str) -> bool:
    """Whether pieces, turn and castling rights are those of the FEN."""
    return fen.split()[:_FIELDS_COMPARED] == board.fen().split()[:_FIELDS_COMPARED]
