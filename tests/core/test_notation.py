import io
import random
import re
from dataclasses import replace
from itertools import pairwise

import chess
import chess.pgn
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.commands import Quit
from arbiter.core.decide import decide
from arbiter.core.model import Game, Outcome, Termination
from arbiter.core.notation import pgn
from tests.builders import ALICE, NOW_MS, a_game, after


def written(game: Game) -> str:
    return pgn(game, white="Alice", black="Bob", site="nostr:npub1server")


def test_a_finished_game_is_written_in_the_strict_export_format() -> None:
    game = after(a_game(), "f3 e5 g4 Qh4#")

    assert written(game) == (
        '[Event "Casual game"]\n'
        '[Site "nostr:npub1server"]\n'
        '[Date "2027.01.15"]\n'
        '[Round "-"]\n'
        '[White "Alice"]\n'
        '[Black "Bob"]\n'
        '[Result "0-1"]\n'
        '[PlyCount "4"]\n'
        '[Termination "normal"]\n'
        '[UTCDate "2027.01.15"]\n'
        '[UTCTime "08:00:00"]\n'
        "\n"
        "1. f3 e5 2. g4 Qh4# 0-1\n"
        "\n"
    )


def test_the_tags_beyond_the_seven_stand_in_the_order_of_ascii() -> None:
    """The PGN standard on export format: "appear in ASCII order by tag name"."""
    text = written(after(a_game("7k/8/8/8/8/8/R7/K7 b - - 0 60"), "Kg8"))

    names = [line[1:].split()[0] for line in text.splitlines() if line.startswith("[")]
    assert names[7:] == sorted(names[7:])
    assert {"FEN", "SetUp"} < {*names[7:]}
    assert text.endswith("\n60... Kg8 *\n\n")


def test_an_unfinished_game_says_so() -> None:
    assert written(after(a_game(), "e4")).endswith("\n1. e4 *\n\n")


def test_a_resignation_is_a_normal_end_and_illegal_moves_are_an_infraction() -> None:
    resigned = decide(after(a_game(), "e4 e5"), Quit(ALICE.pubkey), NOW_MS).game
    illegal = replace(resigned, outcome=Outcome(Termination.ILLEGAL_MOVES, chess.BLACK))

    assert '[Termination "normal"]' in written(resigned)
    assert '[Termination "rules infraction"]' in written(illegal)


def test_a_game_that_was_called_off_is_abandoned_without_a_result() -> None:
    text = written(decide(a_game(), Quit(ALICE.pubkey), NOW_MS).game)

    assert '[Termination "abandoned"]' in text
    assert '[Result "*"]' in text
    assert text.endswith("\n\n*\n\n")


def test_a_name_cannot_break_out_of_its_tag() -> None:
    text = pgn(after(a_game(), "f3 e5 g4 Qh4#"), white='a"] \\ [Result "1-0', black="b", site="s")

    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None
    assert game.headers["Result"] == "0-1"


@given(st.randoms(use_true_random=False), st.integers(0, 120))
def test_what_is_written_is_read_back_and_no_line_is_over_long(
    random: random.Random, plies: int
) -> None:
    board = chess.Board()
    while board.ply() < plies and not board.is_game_over():
        board.push(random.choice(list(board.legal_moves)))
    text = written(replace(a_game(), moves=tuple(board.move_stack)))

    read = chess.pgn.read_game(io.StringIO(text))

    assert read is not None
    assert not read.errors
    assert read.end().board().fen() == board.fen()
    # PGN standard 8.2.1: "less than 80 printing characters", and as many tokens as fit.
    lines = text.split("\n\n")[1].splitlines()
    assert all(len(line) < 80 for line in lines)
    for line, following in pairwise(lines):
        assert len(line) + 1 + len(following.split()[0]) >= 80
    assert re.search(r"[ \n]\*\n\n$", text)
