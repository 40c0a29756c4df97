"""A published game, read back by python-chess."""

import io
from functools import lru_cache

import chess.pgn


@lru_cache(maxsize=1_000)
def moves_of_note(pgn: str) -> tuple[str, ...] | None:
    """The moves of a PGN text, in UCI; None if it cannot be read to its end."""
    game = chess.pgn.read_game(io.StringIO(pgn))
    if game is None or game.errors:
        return None
    return tuple(move.uci() for move in game.mainline_moves())
