"""Players who each make for another end of the game. A player says a move, or a signal, for a
position.
"""

import random
from collections.abc import Callable

import chess

Player = Callable[[chess.Board, int], str]

# Sam Loyd's stalemate in ten moves.
LOYD = """
    e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6
""".split()  # noqa: SIM905 - a game reads best on one line


def wanderer(dice: random.Random) -> Player:
    """Any legal move: mate, bare kings or repetition, in the end."""
    return lambda board, tries: str(dice.choice([*board.legal_moves]))


def butcher(dice: random.Random) -> Player:
    """Captures whenever it can: the material runs out."""

    def play(board: chess.Board, tries: int) -> str:
        captures = [*board.generate_legal_captures()]
        return str(dice.choice(captures or [*board.legal_moves]))

    return play


def mater(dice: random.Random) -> Player:
    """Mates in one when it can."""

    def play(board: chess.Board, tries: int) -> str:
        moves = [*board.legal_moves]
        dice.shuffle(moves)
        return str(next((move for move in moves if _mates(board, move)), moves[0]))

    return play


def idler(dice: random.Random) -> Player:
    """Knights out and home again: the fifth repetition."""
    return lambda board, tries: ("g1f3", "g8f6", "f3g1", "f6g8")[board.ply() % 4]


def pacifist(dice: random.Random) -> Player:
    """No captures, no pawn moves, no position it has seen: seventy-five moves."""

    def play(board: chess.Board, tries: int) -> str:
        quiet = [
            move
            for move in board.legal_moves
            if not board.is_zeroing(move) and not _repeats(board, move)
        ]
        return str(dice.choice(quiet or [*board.legal_moves]))

    return play


def claimant(dice: random.Random) -> Player:
    """Knights out and home again, and claims the third repetition."""
    walk = idler(dice)
    return lambda board, tries: "claim" if board.is_repetition(3) else walk(board, tries)


def hermit(dice: random.Random) -> Player:
    """As the pacifist, but claims after fifty moves."""
    walk = pacifist(dice)
    return lambda board, tries: "claim" if board.is_fifty_moves() else walk(board, tries)


def loyd(dice: random.Random) -> Player:
    """Stalemate, by the book."""
    return lambda board, tries: LOYD[board.ply()]


def quitter(dice: random.Random) -> Player:
    """Resigns after a while."""
    walk, patience = wanderer(dice), dice.randrange(4, 30)
    return lambda board, tries: "quit" if board.ply() >= patience else walk(board, tries)


def runaway(dice: random.Random) -> Player:
    """Leaves before the game has begun."""
    return lambda board, tries: "quit" if board.ply() == dice.randrange(2) else "e2e4"


def cheat(dice: random.Random) -> Player:
    """Tries the impossible now and then, until it loses by it."""
    walk = wanderer(dice)
    impossible = ("e2e5", "a1a8", "e8e1", "h7h1")
    return lambda board, tries: dice.choice(impossible) if tries % 3 else walk(board, tries)


PLAYERS: dict[str, Callable[[random.Random], Player]] = {
    player.__name__: player
    for player in (
        mater,
        butcher,
        idler,
        pacifist,
        loyd,
        quitter,
        runaway,
        cheat,
        claimant,
        hermit,
        wanderer,
    )
}


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    mate = board.is_checkmate()
    board.pop()
    return mate


def _repeats(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    repeats = board.is_repetition(2)
    board.pop()
    return repeats
