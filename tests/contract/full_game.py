"""Games with as much in them as a game can hold."""

import random
from dataclasses import replace

import chess

from arbiter.core.game import REFUSED_IDS_PER_SEAT, Game, Outcome, Termination
from tests.builders import NOW_MS, a_game


def random_moves(seed: int, plies: int) -> tuple[chess.Move, ...]:
    """Legal moves from the start; fewer than asked for if the game ends."""
    dice = random.Random(seed)
    board = chess.Board()
    while len(board.move_stack) < plies and (legal := sorted(board.legal_moves, key=str)):
        board.push(dice.choice(legal))
    return tuple(board.move_stack)


def a_full_game(plies: int) -> Game:
    """As much as a game of so many plies can come to hold, short of being lost by illegal moves."""
    dice = random.Random(plies)
    moves = next(m for m in (random_moves(s, plies) for s in range(99)) if len(m) == plies)
    strikes = 4
    event_keys = [dice.randbytes(8) for _ in range(plies + strikes + 1 + 2 * REFUSED_IDS_PER_SEAT)]
    rings = [event_keys.pop() for _ in range(2 * REFUSED_IDS_PER_SEAT)]
    return replace(
        a_game(),
        changed_at_ms=NOW_MS + 1_234_567,
        moves=moves,
        outcome=Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        white_strikes=strikes // 2,
        black_strikes=strikes // 2,
        applied_ids=tuple(event_keys),
        white_refused_ids=tuple(rings[:REFUSED_IDS_PER_SEAT]),
        black_refused_ids=tuple(rings[REFUSED_IDS_PER_SEAT:]),
        item_version=999,
    )
