"""Levels 1 to 8: how deep, and how often a move is left to chance."""

import random
from dataclasses import dataclass

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


def blunder(board: chess.Board, level: Level, chance: random.Random) -> Found | None:
    """A move by chance, as often as the level has it."""
    if chance.random() >= level.blunder:
        return None
    return Found(chance.choice(list(board.legal_moves)), 0)


def choose(board: chess.Board, level: int, seed: int, seconds: float | None = None) -> Found:
    """The level's move; the same for the same seed unless time ran out."""
    chance = random.Random(f"{seed} {board.fen()}")  # noqa: S311
    rule = LEVELS[level]
    return blunder(board, rule, chance) or search(
        board, seconds, depth=rule.depth, nodes=rule.nodes, chance=chance
    )
