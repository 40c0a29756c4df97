"""Histories that a page forgot, made whole: opened again, nostr.blue always, and Amethyst after any
difference, writes the moves since then alone, the event that it answers, and the position.

Invariant: only an event whose FEN says that its history is short is changed, and only so that it
leads to the position that it claims. The cost is that of replaying each event once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import chess

from arbiter.dialects.jester.replay import is_position, legal
from arbiter.nostr.jester import MAX_PLIES, Said

_FEN_FIELDS = 6


@dataclass(slots=True)
class _Told:
    """A history, and the position that it leads to once that was asked for; None: to none."""

    history: tuple[str, ...]
    replayed: bool = False
    board: chess.Board | None = None

    def position(self) -> chess.Board | None:
        if not self.replayed:
            self.replayed, self.board = True, _replayed(self.history)
        return self.board.copy(stack=False) if self.board else None


def joined(start: str, events: Iterable[Said]) -> tuple[Said, ...]:
    """The events of the game of this start, each with the history of the event that it answers
    before its last move, where its own begins later.
    """
    told = {start: _Told(())}
    whole = []
    # An event answers one of an earlier position, whose history is whole by then.
    for it in sorted(events, key=lambda it: (_claimed_ply(it), it.id)):
        claimed = _claimed_ply(it)
        continued = _continued(it, told.get(it.head)) if len(it.history) < claimed else None
        # What is longer than the position has its last move twice.
        told[it.id] = continued or _Told(it.history[:claimed] if claimed else it.history)
        whole.append(replace(it, history=continued.history) if continued else it)
    return tuple(whole)


def _claimed_ply(said: Said) -> int:
    """How many half-moves were played, by the counters of the FEN; 0 where it has none."""
    fields = [] if said.flaw else said.fen.split()
    if len(fields) != _FEN_FIELDS or not (fields[5].isascii() and fields[5].isdigit()):
        return 0
    return max(2 * (int(fields[5]) - 1) + (fields[1] == "b"), 0)


def _continued(said: Said, answered: _Told | None) -> _Told | None:
    """What is answered, with this event's move if it has one; None where that leads to another
    position than it claims.
    """
    board = answered.position() if answered else None
    if answered is None or board is None or len(answered.history) >= MAX_PLIES:
        return None
    if is_position(board, said.fen):
        return answered
    move = legal(board, said.history[-1]) if said.history else None
    if move is None:
        return None
    board.push(move)
    if not is_position(board, said.fen):
        return None
    return _Told((*answered.history, said.history[-1]), True, board)


def _replayed(history: Iterable[str]) -> chess.Board | None:
    board = chess.Board()
    for san in history:
        move = legal(board, san)
        if move is None:
            return None
        board.push(move)
    return board
