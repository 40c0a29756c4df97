"""The board, square by square."""

import re

import chess
import pytest

from clients.terminal.board import Style, board_lines, captured
from clients.terminal.text import cells

ASCII = Style(color=False, unicode=False)
UNICODE = Style(color=False, unicode=True)
COLOR = Style(color=True, unicode=True)

SCHOLARS_MATE = ("e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#")


def after(*sans: str) -> chess.Board:
    board = chess.Board()
    for san in sans:
        board.push_san(san)
    return board


def test_letters_mark_the_last_move_and_the_check() -> None:
    assert board_lines(after(*SCHOLARS_MATE), chess.WHITE, ASCII) == [
        " 8  r  .  b  q +k+ b     r  ",
        " 7  p  p  p  p  . [Q] p  p  ",
        " 6     .  n  .     n     .  ",
        " 5  .     .     p     . [ ] ",
        " 4     .  B  .  P  .     .  ",
        " 3  .     .     .     .     ",
        " 2  P  P  P  P     P  P  P  ",
        " 1  R  N  B     K     N  R  ",
        "    a  b  c  d  e  f  g  h  ",
    ]


def test_colour_says_what_letters_had_to() -> None:
    top, seventh = board_lines(after(*SCHOLARS_MATE), chess.WHITE, COLOR)[:2]
    black, white = "38;5;16;1m", "38;5;231;1m"
    assert top == (
        f" 8 \x1b[48;5;67;{black} ♜ \x1b[48;5;24m   \x1b[48;5;67;{black} ♝ \x1b[48;5;24;{black} ♛ "
        f"\x1b[48;5;160;{black} ♚ \x1b[48;5;24;{black} ♝ \x1b[48;5;67m   \x1b[48;5;24;{black} ♜ "
        "\x1b[0m "
    )
    assert f"\x1b[48;5;24m   \x1b[48;5;136;{white} ♛ " in seventh


@pytest.mark.parametrize("style", [ASCII, UNICODE, COLOR])
def test_every_line_is_equally_wide_and_leaves_no_colour_behind(style: Style) -> None:
    for line in board_lines(after(*SCHOLARS_MATE), chess.WHITE, style):
        assert cells(re.sub(r"\x1b\[[0-9;]*m", "", line)) == 28
        assert "\x1b" not in line or line.rstrip().endswith("\x1b[0m")


def test_captures_are_counted_and_a_promoted_pawn_was_not_captured() -> None:
    board = after("e4", "d5", "exd5")
    assert captured(board, chess.WHITE, ASCII) == "p +1"
    assert captured(board, chess.BLACK, ASCII) == ""
    promoted = chess.Board("rnbqkbn1/ppppppp1/8/8/8/8/1PPPPPPP/RNBQKBNQ w Qq - 0 9")
    assert captured(promoted, chess.BLACK, ASCII) == "R"
    assert captured(promoted, chess.WHITE, ASCII) == "rp +9"
