import io
import random
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import read_time, start_clocks
from arbiter.core.game import Game, Outcome, Termination, Variant
from arbiter.core.pgn import pgn
from arbiter.core.ratings import Rating
from tests.builders import NOW_MS, a_game, after


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
        '[ECO "A00"]\n'
        '[Opening "Barnes Opening: Fool\'s Mate"]\n'
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


@pytest.mark.parametrize(
    ("termination", "word"),
    [
        (None, "unterminated"),
        (Termination.RESIGNATION, "normal"),
        (Termination.ILLEGAL_MOVES, "rules infraction"),
        (Termination.TIMEOUT, "time forfeit"),
        (Termination.ABORTED, "abandoned"),
        (Termination.AGREEMENT, "normal"),
        (Termination.THREEFOLD_REPETITION, "normal"),
        (Termination.FIFTY_MOVES, "normal"),
    ],
)
def test_an_end_has_its_word(termination: Termination | None, word: str) -> None:
    game = replace(
        after(a_game(), "e4"), outcome=Outcome(termination, None) if termination else None
    )

    assert headers(game)["Termination"] == word
    assert headers(game)["Result"] == game.result
    assert written(game).endswith(f"\n1. e4 {game.result}\n\n")
    assert written(replace(game, moves=())).endswith(f"\n\n{game.result}\n\n")


def test_a_quote_or_a_backslash_in_a_name_is_written_as_the_standard_says() -> None:
    """PGN standard 7: "a quote inside a string is represented by the backslash"."""
    text = pgn(a_game(), white='"Al" \\ Ice', black="Bob\n\tBuilder", site="-")

    assert '[White "\\"Al\\" \\\\ Ice"]\n' in text
    assert '[Black "Bob  Builder"]\n' in text


_TAG = re.compile(r'\[[A-Za-z]+ "([^"\\]|\\["\\])*"\]')
"""PGN standard 8.1.1, where a quote or a backslash within is escaped."""


@pytest.mark.parametrize("place", ["white", "black", "site"])
@pytest.mark.parametrize(
    "text",
    [
        *('" x', '"]\n[Result "1-0"]\n[White "x', "\\", '\\"', 'x\n\n1-0\n\n[Event "x"]', "x\r\ry"),
        *("\0", "\u202e", "{[%clk 0:00:01]} ; x", "x" * 4_000, "] 1. e4", 'a"] \\ [Result "1-0'),
    ],
)
def test_a_name_cannot_break_out_of_its_tag(place: str, text: str) -> None:
    game = after(a_game(), "f3 e5 g4 Qh4#")
    names: Any = {"white": "w", "black": "b", "site": "s"} | {place: text}
    out = pgn(game, **names)

    stream = io.StringIO(out)
    read = chess.pgn.read_game(stream)
    assert read is not None
    assert not read.errors
    assert (read.headers["Result"], tuple(read.mainline_moves())) == ("0-1", game.moves)
    assert chess.pgn.read_game(stream) is None
    assert all(_TAG.fullmatch(line) for line in out.partition("\n\n")[0].splitlines())


@given(st.randoms(use_true_random=False), st.integers(0, 120))
def test_what_is_written_is_read_back_in_short_lines(random: random.Random, plies: int) -> None:
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
    assert [line for line in lines if len(line) >= 80] == []
    for line, following in pairwise(lines):
        assert len(line) + 1 + len(following.split()[0]) >= 80
    assert re.search(r"[ \n]\*\n\n$", text)


def headers(game: Game) -> dict[str, str]:
    read = chess.pgn.read_game(io.StringIO(written(game)))
    assert read is not None
    assert not read.errors
    assert read.end().board().fen() == game.board().fen()
    return dict(read.headers)


@pytest.mark.parametrize(
    ("time", "rated", "event", "control"),
    [
        ("60+0", True, "Rated bullet game", "60+0"),
        ("180+2", False, "Casual blitz game", "180+2"),
        ("600+0", True, "Rated rapid game", "600+0"),
        ("1800+30", False, "Casual classical game", "1800+30"),
        ("3d", True, "Rated correspondence game", "1/259200"),
    ],
)
def test_a_game_says_its_clock(time: str, *, rated: bool, event: str, control: str) -> None:
    read = read_time(time)
    assert read is not None
    game = replace(after(a_game(), "e4 e5"), rated=rated, clocks=start_clocks(read, NOW_MS))

    assert headers(game)["Event"] == event
    assert headers(game)["TimeControl"] == control


def test_a_chess960_game_is_read_back_with_its_castlings() -> None:
    start = chess.Board.from_chess960_pos(1).fen()
    tags = headers(replace(a_game(start), variant=Variant.CHESS960))
    assert (tags["Variant"], tags["FEN"], tags["SetUp"]) == ("Chess960", start, "1")
    assert not {"Variant", "TimeControl"} & {*headers(a_game())}

    castled = replace(a_game("1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1"), variant=Variant.CHESS960)
    castled = after(castled, "e1b1")

    assert castled.moves[-1].uci() == "e1b1"
    assert "1. O-O-O" in written(castled)
    assert headers(castled)["Variant"] == "Chess960"


def test_the_ratings_that_both_had_are_written_without_fractions() -> None:
    ratings = (Rating(value=1500.4), Rating(value=1999.6))
    text = pgn(a_game(), white="Alice", black="Bob", site="-", ratings=ratings)

    assert '[BlackElo "2000"]\n' in text
    assert '[WhiteElo "1500"]\n' in text
    assert "Elo" not in written(a_game())
