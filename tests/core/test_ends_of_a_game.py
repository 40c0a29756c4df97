"""Every way in which chess itself ends a game, and the rules' odd corners (chess reference §6)."""

import chess
import pytest

from arbiter.core.game import BLACK, WHITE, Outcome, Termination
from arbiter.core.replies import GameEnded, MovePlayed
from tests.builders import a_game, after, decided

START_KNIGHTS = "Nf3 Nf6 Ng1 Ng8"


def test_fools_mate_is_won_by_black() -> None:
    game = after(a_game(), "f3 e5 g4 Qh4#")

    assert game.outcome == Outcome(Termination.CHECKMATE, BLACK)
    assert game.result == "0-1"


def test_a_move_that_ends_nothing_is_said_to_be_played() -> None:
    decision = decided(a_game(), "e2e4")

    assert decision.replies == (MovePlayed(decision.game),)
    assert (
        decision.game.board().fen() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"
    )


@pytest.mark.parametrize(
    ("fen", "uci", "expected"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", "f7g7", Outcome(Termination.CHECKMATE, WHITE)),
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "f6f7", Outcome(Termination.STALEMATE, None)),
        ("8/8/8/8/8/2k5/1p6/1K6 w - - 0 1", "b1a2", None),
        # Kings alone, a lone knight, a lone bishop: FIDE 5.2.2, a dead position by material.
        (
            "8/8/8/8/8/3k4/1q6/1K6 w - - 0 1",
            "b1b2",
            Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        ),
        (
            "8/8/8/8/3k4/8/1q5N/1K6 w - - 0 1",
            "b1b2",
            Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        ),
        (
            "8/8/8/8/3k4/8/1q5B/1K6 w - - 0 1",
            "b1b2",
            Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        ),
        # Two knights against a bare king cannot force mate, but mate is possible: not dead.
        ("8/8/8/8/3k4/8/1q4NN/1K6 w - - 0 1", "b1b2", None),
        # Bishops on squares of one colour can never mate; on both colours they can.
        (
            "5b2/8/8/8/3k4/8/1q5B/1K6 w - - 0 1",
            "b1b2",
            Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        ),
        ("2b5/8/8/8/3k4/8/1q5B/1K6 w - - 0 1", "b1b2", None),
        # A wall of pawns that lock each other: dead, though each has eight men.
        (
            "4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K3/8 w - - 0 1",
            "e2e3",
            Outcome(Termination.INSUFFICIENT_MATERIAL, None),
        ),
        # The same wall, and a rook that can take from behind; and one that a king walks around.
        ("4k3/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4K2R/8 w - - 0 1", "e2e3", None),
        ("4k3/8/4p3/3pP3/3P4/8/4K3/8 w - - 0 1", "e2e3", None),
        # Stalemate and too little material at once: python-chess says material, and a draw it is.
        ("8/8/8/8/8/5k2/7p/7K w - - 0 1", "h1h2", Outcome(Termination.INSUFFICIENT_MATERIAL, None)),
    ],
)
def test_a_position_ends_or_goes_on_as_fide_has_it(
    fen: str, uci: str, expected: Outcome | None
) -> None:
    if chess.Move.from_uci(uci) not in chess.Board(fen).legal_moves:
        pytest.fail(f"the case itself is wrong: {uci} in {fen}")

    assert decided(a_game(fen), uci).game.outcome == expected


def test_the_third_time_a_position_stands_nothing_ends_by_itself() -> None:
    game = after(a_game(), f"{START_KNIGHTS} {START_KNIGHTS}")

    assert game.board().is_repetition(3)
    assert game.outcome is None


def test_the_fifth_time_a_position_stands_the_game_is_drawn() -> None:
    game = after(a_game(), " ".join([START_KNIGHTS] * 4))

    assert game.ply == 16
    assert game.outcome == Outcome(Termination.FIVEFOLD_REPETITION, None)


def test_an_en_passant_square_that_nobody_can_use_does_not_make_another_position() -> None:
    """FIDE 9.2.3 in its trickiest form: the capture would be illegal, so the positions are the
    same.
    """
    game = after(
        a_game("8/8/8/8/4p3/8/R2P3k/K7 w - - 0 37"), "d2d4 h2h3 a2a3 h3h2 a3a2 h2h1 a2a3 h1h2 a3a2"
    )

    assert game.board().is_repetition(3)


def test_seventy_five_moves_without_pawn_or_capture_draw() -> None:
    decision = decided(a_game("7k/8/8/8/8/8/R7/K7 w - - 149 200"), "a2b2")

    assert decision.game.outcome == Outcome(Termination.SEVENTYFIVE_MOVES, None)


def test_mate_on_the_seventy_fifth_move_wins() -> None:
    """FIDE 9.6.2: "If the last move resulted in checkmate, that shall take precedence"."""
    decision = decided(a_game("7k/R7/6K1/8/8/8/8/8 w - - 149 200"), "a7a8")

    assert decision.game.outcome == Outcome(Termination.CHECKMATE, WHITE)


def test_the_hundredth_ply_without_progress_ends_nothing_by_itself() -> None:
    assert decided(a_game("7k/8/8/8/8/8/R7/K7 w - - 99 200"), "a2b2").game.outcome is None


@pytest.mark.parametrize("piece", "qrbn")
def test_a_pawn_is_promoted_to_each_piece(piece: str) -> None:
    decision = decided(a_game("8/P6k/8/8/8/8/7p/K7 w - - 0 1"), f"a7a8{piece}")

    assert decision.game.board().piece_at(chess.A8) == chess.Piece.from_symbol(piece.upper())


def test_castling_as_the_king_taking_his_rook_is_stored_as_the_kings_two_squares() -> None:
    decision = decided(a_game("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"), "e1h1")

    assert decision.game.moves[-1].uci() == "e1g1"


@pytest.mark.parametrize(
    ("fen", "uci", "why"),
    [
        ("r3k2r/8/8/8/8/8/8/R2QK2R w KQkq - 0 1", "e1c1", "a queen stands between"),
        ("4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "e1g1", "out of check"),
        ("4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1g1", "through check"),
        ("4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "e1g1", "into check"),
        ("4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1g1", "the right is gone"),
        ("1b1k4/8/8/1rPpK3/8/8/8/8 w - d6 0 1", "c5d6", "both pawns shield the king"),
        ("8/P6k/8/8/8/8/7p/K7 w - - 0 1", "a7a8", "a promotion must name its piece"),
        ("8/P6k/8/8/8/8/7p/K7 w - - 0 1", "a7a8k", "nobody becomes a king"),
        ("8/P6k/8/8/8/8/7p/K7 w - - 0 1", "a1b1q", "only pawns are promoted"),
        (chess.STARTING_FEN, "0000", "a null move passes the turn"),
        (chess.STARTING_FEN, "Q@e4", "a drop is another game"),
        (chess.STARTING_FEN, "a1a1", "a move goes somewhere"),
        (chess.STARTING_FEN, "e2e5", "pawns are slow"),
        (chess.STARTING_FEN, "e7e5", "Black's pawn"),
        (chess.STARTING_FEN, "--", "python-chess's other null move"),
        (chess.STARTING_FEN, "", "nothing"),
        (chess.STARTING_FEN, "e2e4" * 1000, "too much"),
    ],
)
def test_what_is_not_legal_is_refused(fen: str, uci: str, why: str) -> None:
    game = a_game(fen)

    assert decided(game, uci).game.moves == (), why


def test_the_last_move_is_told_with_the_end_and_not_twice() -> None:
    game = after(a_game(), "f3 e5 g4")

    decision = decided(game, "d8h4")

    assert decision.replies == (GameEnded(decision.game),)
