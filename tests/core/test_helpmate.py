"""Whether a side could still mate (FIDE 6.9): never a draw without a proof.

The positions were made for these tests, at random and by hand, and their labels come from an
exhaustive search of all positions that can follow, by another program.
"""

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.core.helpmate import SearchResult, _can_block, allows_mate, can_mate, search_mate
from arbiter.core.mobility import Mobility

LABELLED = (
    # Walls of pawns: kings alone, a bishop that is shut in, one that is not, knights, a rook.
    ("--", "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 1"),
    ("--", "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/2B5/4K3 w - - 0 1"),
    ("WB", "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/3B4/4K3 w - - 0 1"),
    ("WB", "4k3/5n2/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/2N5/4K3 b - - 0 1"),
    ("WB", "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/R3K3 w - - 0 1"),
    ("--", "1b2k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/2B5/4K3 b - - 0 1"),
    ("--", "4k3/8/1p1p1p2/pPpPpPp1/P1P1P1Pp/7P/8/4K3 b - - 0 1"),
    ("--", "8/p7/8/p1p1p1k1/P1P1P1p1/6P1/P6K/8 w - - 0 1"),
    ("--", "8/k7/2p4p/p1Pp1p1P/P2PpPp1/2K1P1P1/8/8 b - - 0 1"),
    ("--", "8/8/k7/3p4/p1pP1p1p/PpP1pP1P/KP2P3/8 w - - 0 1"),
    ("--", "8/8/8/2p3p1/1pP1pkPp/pP1pPp1P/P2P1P2/4K3 b - - 0 1"),
    # The same walls, which a pawn taken in passing opens.
    ("WB", "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - h6 0 1"),
    ("WB", "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/8/4K3 w - d6 0 1"),
    ("WB", "8/k7/2p4p/p1Pp1p1P/P2PpPp1/2K1P1P1/8/8 b - d3 0 1"),
    # Lines that all end, in stalemate or without material, though it would suffice elsewhere.
    ("--", "5b1k/4p1pP/4P1P1/8/8/8/5P2/K7 w - - 0 1"),
    ("--", "5b1k/2P1p1pP/4P1P1/8/7p/8/7P/K2N4 b - - 0 1"),
    ("--", "5b1k/4p1pP/4P1P1/B7/8/6N1/5P2/K7 w - - 0 1"),
    ("--", "6bk/5p1p/5P1P/8/8/8/8/K5N1 w - - 0 1"),
    ("--", "k1K5/P7/8/8/8/8/8/8 b - - 0 1"),
    ("W-", "7k/5K1P/7P/8/8/8/8/8 b - - 0 1"),
    # Every man helps: a lone knight or bishop mates among the other side's own men.
    ("-B", "8/8/8/8/8/1k6/8/KB5q b - - 0 1"),
    ("WB", "8/8/8/8/2p3p1/k1P3Pp/7P/7K w - - 0 1"),
    ("WB", "b7/1p1k4/1P6/8/8/p7/Pp6/1K6 w - - 0 1"),
    # A knight mates the king that its own pawn shuts in; a king takes the pawn in its pawn's way.
    ("WB", "k7/p7/8/8/8/8/8/1NK5 w - - 0 1"),
    ("WB", "4k3/4p3/8/8/8/4P3/8/4K3 w - - 0 1"),
    ("WB", chess.STARTING_FEN),
)

SIDES = [
    (chess.Board(fen), color, label != "-")
    for labels, fen in LABELLED
    for color, label in zip((chess.WHITE, chess.BLACK), labels, strict=True)
]


@pytest.mark.parametrize(("board", "winner", "expected"), SIDES)
def test_a_side_can_mate_or_not(*, board: chess.Board, winner: chess.Color, expected: bool) -> None:
    assert can_mate(board, winner) is expected


# Two pawns on one file, out of reach for all other men, never pass each other.
TWO_FILES = "6bk/5p1p/5P1P/4p3/8/p1p5/P1P1P3/KB6 w - - 0 1"


@pytest.mark.parametrize("fen", [*(LABELLED[it][1] for it in (1, 6, 7, 8)), TWO_FILES])
def test_a_wall_of_pawns_is_seen_without_a_search(fen: str) -> None:
    for winner in chess.COLORS:
        assert not allows_mate(chess.Board(fen), winner)


@pytest.mark.parametrize(
    ("fen", "winner", "moves", "result"),
    [
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", chess.WHITE, 1000, SearchResult.MATE),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", chess.BLACK, 1000, SearchResult.NO_MATE),
        # What the bound leaves open could be mate.
        (chess.STARTING_FEN, chess.WHITE, 5, SearchResult.UNDECIDED),
        ("5b1k/2P1p1pP/4P1P1/8/7p/8/7P/K2N4 b - - 0 1", chess.WHITE, 20, SearchResult.UNDECIDED),
    ],
)
def test_a_position_is_judged_in_a_bound(
    fen: str, winner: chess.Color, moves: int, result: SearchResult
) -> None:
    board = chess.Board(fen)
    before = board.copy()

    assert search_mate(board, winner, moves=moves) is result
    assert (board, board.move_stack) == (before, before.move_stack)


def _played(seed: int, *, chess960: bool, plies: int) -> list[tuple[chess.Board, chess.Move]]:
    """A game of chance: each position with the move that was made there."""
    chance = random.Random(seed)
    board = chess.Board.from_chess960_pos(chance.randrange(960)) if chess960 else chess.Board()
    game = []
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            break
        rare = [move for move in moves if board.is_castling(move) or board.is_en_passant(move)]
        game.append((board.copy(stack=False), chance.choice(rare or moves)))
        board.push(game[-1][1])
    return game


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), chess960=st.booleans(), begin=st.integers(0, 60))
def test_no_man_is_where_it_can_never_be(*, seed: int, chess960: bool, begin: int) -> None:
    game = _played(seed, chess960=chess960, plies=begin + 120)[begin:]
    if not game:
        return
    mobility = Mobility(game[0][0])
    spans = {
        man.home: man.reach | (mobility._promoted[man.color] if man.promotes else 0)
        for man in mobility._men
    }
    at = {home.bit_length() - 1: home for home in spans}

    for board, move in game:
        mover = at.pop(move.from_square)
        to = move.to_square
        if board.is_castling(move):
            a_side = board.is_queenside_castling(move)
            own = board.occupied_co[board.turn] & board.rooks & board.castling_rights
            (to,) = [one for one in chess.SquareSet(own) if (one < move.from_square) == a_side]
            rook = at.pop(to)
            rank = to & ~7
            to, rook_to = rank + (2 if a_side else 6), rank + (3 if a_side else 5)
            at[rook_to] = rook
            assert spans[rook] & chess.BB_SQUARES[rook_to]
        elif board.is_en_passant(move):
            del at[to - 8 if board.turn else to + 8]
        at[to] = mover
        assert spans[mover] & chess.BB_SQUARES[to], f"{move} in {board.fen()}"


@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), chess960=st.booleans())
def test_any_position_of_any_game_is_judged(*, seed: int, chess960: bool) -> None:
    for board, _ in _played(seed, chess960=chess960, plies=200)[::40]:
        for winner in chess.COLORS:
            result = search_mate(board, winner, moves=200)

            assert allows_mate(board, winner) == allows_mate(board.mirror(), not winner)
            assert {result, search_mate(board.mirror(), not winner, moves=200)} != {
                SearchResult.MATE,
                SearchResult.NO_MATE,
            }


def _mate_exists(start: chess.Board, winner: chess.Color, most: int) -> bool:
    """Whether a plain search of so many positions, in the order they come, finds a mate."""
    seen, ahead = {start.epd()}, [start]
    for board in ahead:
        if board.is_checkmate() and board.turn != winner:
            return True
        for move in board.legal_moves if len(seen) < most else ():
            after = board.copy(stack=False)
            after.push(move)
            if after.epd() not in seen:
                seen.add(after.epd())
                ahead.append(after)
    return False


@st.composite
def few_men(draw: st.DrawFn) -> chess.Board:
    """At most five men in one half of the board, often with pawns that block each other."""
    board = chess.Board.empty()
    squares = iter(draw(st.lists(st.integers(0, 31), min_size=5, max_size=5, unique=True)))
    board.set_piece_at(next(squares), chess.Piece(chess.KING, chess.WHITE))
    board.set_piece_at(next(squares) + 32, chess.Piece(chess.KING, chess.BLACK))
    for square in squares:
        if board.piece_at(square):
            continue
        kind = draw(st.sampled_from([1, 1, 2, 3, 4]))
        board.set_piece_at(square, chess.Piece(kind, draw(st.booleans())))
    board.turn = draw(st.booleans())
    return board


@pytest.mark.parametrize(("blockers", "is_enough"), [([3], False), ([3, 1], True), ([1, 1], False)])
def test_each_square_needs_a_blocker_of_its_own(blockers: list[int], *, is_enough: bool) -> None:
    assert _can_block(3, blockers) is is_enough


@given(few_men(), st.booleans())
def test_no_mate_is_found_where_none_is_said_to_be(board: chess.Board, winner: chess.Color) -> None:
    if not board.is_valid() or search_mate(board, winner, moves=1000) is not SearchResult.NO_MATE:
        return

    assert not _mate_exists(board, winner, most=500), board.fen()
