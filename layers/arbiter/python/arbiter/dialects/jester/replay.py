"""The history in an event of kind 30, replayed.

Invariant: a bounded number of moves is replayed, and none is null.
"""

import chess

from arbiter.nostr.jester import Said

_POSITION_FIELDS = 3


def line_of(said: Said) -> tuple[str, ...] | None:
    """The half-moves of the history (UCI). The last one is the author's SAN where no legal move is
    written so; None if one before is not legal, or the event has a flaw.

    nostr.blue writes the last move twice. Both sides can castle or take with one spelling: then the
    claimed position decides.
    """
    if said.flaw:
        return None
    board, line = chess.Board(), list[str]()
    for at, san in enumerate(said.history):
        is_last = at == len(said.history) - 1
        is_repeated = is_last and at > 0 and san == said.history[at - 1]
        move = legal(board, san)
        if is_repeated and (move is None or is_position(board, said.fen)):
            break
        if move is None:
            return (*line, san) if is_last else None
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def legal(board: chess.Board, san: str) -> chess.Move | None:
    """The legal move that is written so."""
    try:
        move = board.parse_san(san)
    except ValueError:
        return None
    # python-chess reads ``--`` as a null move.
    return move or None


def is_position(board: chess.Board, fen: str) -> bool:
    """Whether pieces, turn and castling rights are those of the FEN."""
    return fen.split()[:_POSITION_FIELDS] == board.fen().split()[:_POSITION_FIELDS]
