"""Histories of events of kind 30: replayed, and completed where they are shortened. After a reload
nostr.blue, and sometimes Amethyst, sends only the later moves, the event it answers and a FEN.

Invariant: a bounded number of moves is replayed, and none is null. Only an event whose FEN shows
that its history is short is changed, and only so that it leads to the position of that FEN.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import chess

from arbiter.dialects.jester.wire import MAX_PLIES, JesterEvent

_FIELDS_COMPARED = 3
_FEN_FIELDS = 6


def line_of(said: JesterEvent) -> tuple[str, ...] | None:
    """The half-moves of the history (UCI). The last one is the author's SAN where no legal move is
    written so; None if one before is not legal, or the event has a flaw.
    """
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
    """Whether the next SAN of this event is its last one, written twice, as nostr.blue does: it is
    no move, or the event claims this position. Both sides can castle or take with one spelling.
    """
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


@dataclass(slots=True)
class _History:
    """A history, and the position that it leads to once that was asked for; None: to none."""

    history: tuple[str, ...]
    replayed: bool = False
    board: chess.Board | None = None

    def position(self) -> chess.Board | None:
        if not self.replayed:
            self.replayed, self.board = True, _replayed(self.history)
        return self.board.copy(stack=False) if self.board else None


def complete_histories(start: str, events: Iterable[JesterEvent]) -> tuple[JesterEvent, ...]:
    """The events of the game of this start, each with the history of the event that it answers
    before its last move, where its own begins later.
    """
    known = {start: _History(())}
    whole = []
    # An event answers one of an earlier position, whose history is whole by then.
    for event in sorted(events, key=lambda event: (_claimed_ply(event), event.id)):
        claimed = _claimed_ply(event)
        is_short = len(event.history) < claimed
        continued = _continued(event, known.get(event.head)) if is_short else None
        # A history longer than the position has its last move twice.
        own = event.history[:claimed] if claimed else event.history
        known[event.id] = continued or _History(own)
        whole.append(replace(event, history=continued.history) if continued else event)
    return tuple(whole)


def _claimed_ply(said: JesterEvent) -> int:
    """The half-moves played, by the counters of the FEN; 0 where it has none."""
    fields = [] if said.flaw else said.fen.split()
    if len(fields) != _FEN_FIELDS or not (fields[5].isascii() and fields[5].isdigit()):
        return 0
    return max(2 * (int(fields[5]) - 1) + (fields[1] == "b"), 0)


def _continued(said: JesterEvent, answered: _History | None) -> _History | None:
    """Return the answered history, with this event's move if it has one; None where that leads to
    another position than the event claims.
    """
    board = answered.position() if answered else None
    if answered is None or board is None or len(answered.history) >= MAX_PLIES:
        return None
    if matches_fen_without_en_passant(board, said.fen):
        return answered
    move = legal(board, said.history[-1]) if said.history else None
    if move is None:
        return None
    board.push(move)
    if not matches_fen_without_en_passant(board, said.fen):
        return None
    return _History((*answered.history, said.history[-1]), True, board)


def _replayed(history: Iterable[str]) -> chess.Board | None:
    board = chess.Board()
    for san in history:
        move = legal(board, san)
        if move is None:
            return None
        board.push(move)
    return board
