"""Levels 1 to 8: how deep, and how often a move is left to chance."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import chess

from clients.bot.engine.search import DEEPEST, Found, search


@dataclass(frozen=True, slots=True)
class Level:
    """Limits besides time."""

    depth: int
    nodes: int | None
    blunder: float


LEVELS = {
    1: Level(1, 300, 0.40),
    2: Level(1, 500, 0.20),
    3: Level(2, 2_000, 0.12),
    4: Level(2, 4_000, 0.05),
    5: Level(3, 10_000, 0.02),
    6: Level(4, 30_000, 0),
    7: Level(6, 100_000, 0),
    8: Level(DEEPEST, None, 0),
}


def choose(
    board: chess.Board,
    level: int,
    seed: str,
    seconds: float | None = None,
    moves: Sequence[chess.Move] = (),
    *,
    depth: int | None = None,
    nodes: int | None = None,
    **more: Any,  # noqa: ANN401 - as `search` has them
) -> Found:
    """The level's move, of ``moves`` if given, which leaves nothing to chance; the same for the
    same seed unless time ran out. Raises ValueError if there is no legal move.
    """
    rule, chance = LEVELS[level], random.Random(seed)  # noqa: S311
    legal = [*board.legal_moves]
    if legal and not moves and chance.random() < rule.blunder:
        return Found(chance.choice(legal), 0)
    nodes = min(filter(None, (rule.nodes, nodes)), default=None)
    depth = min(rule.depth, depth or DEEPEST)
    return search(board, seconds, moves, depth=depth, nodes=nodes, chance=chance, **more)
