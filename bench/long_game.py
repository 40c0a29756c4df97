"""A legal game of any requested length, always the same.

A fivefold position ends a game, and 75 moves without a pawn move or a capture. So pieces wander to
positions that are new or were seen once, and a pawn moves before fifty moves are full.
"""

import random
from collections import Counter

import chess

_SEED = 1858
_QUIET_PLIES = 90
_SIGHTINGS = 2


def long_game(plies: int) -> tuple[str, ...]:
    """The moves in UCI, without promotions; no position allows to claim a draw."""
    chance = random.Random(_SEED)  # noqa: S311 - nothing is secret, and it repeats
    board = chess.Board()
    seen = Counter({board.epd(): 1})
    while board.ply() < plies:
        board.push(_next_move(board, seen, chance))
        seen[board.epd()] += 1
    return tuple(move.uci() for move in board.move_stack)


def _next_move(board: chess.Board, seen: Counter[str], chance: random.Random) -> chess.Move:
    moves = [m for m in board.legal_moves if m.promotion is None and not board.is_capture(m)]
    chance.shuffle(moves)
    restless = board.halfmove_clock >= _QUIET_PLIES
    # A stable sort: the shuffled order within each kind stays.
    moves.sort(key=lambda move: (board.piece_type_at(move.from_square) == chess.PAWN) != restless)
    for move in moves:
        board.push(move)
        goes_on = not board.is_check() and any(board.legal_moves) and seen[board.epd()] < _SIGHTINGS
        board.pop()
        if goes_on:
            return move
    raise AssertionError("the game has nowhere to go: choose another seed")
