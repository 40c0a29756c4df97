"""Whole games through the HTTP API, by a client that knows the wire and the moves."""

import json
from typing import Any

import pytest

from tests.web.browser import Browser, Site

OPERA = (
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 "
    "c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
)
STALEMATE = (
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)
PROMOTING = "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8"
CASTLED_SHORT = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8"
CASTLED_LONG = "d2d4 d7d5 c1f4 c8f5 b1c3 b8c6 d1d2 d8d7 e1c1 e8c8"
BLACK_PROMOTING = "g2g4 h7h5 a2a3 h5g4 a3a4 g4g3 a4a5 g3h2 a5a6 h2g1n"
EN_PASSANT = "e2e4 a7a6 e4e5 d7d5 e5d6"


@pytest.fixture
def browser() -> Browser:
    return Site().browser().new_game()


def pieces(reply: Any, squares: str) -> str:
    """What is on these squares of a reply's board (JSON inside the JSON); `.` for nothing."""
    board = json.loads(reply["board"]["board"])
    return "".join(
        {"W": str.upper, "B": str.lower}[board[at]["color"]](board[at]["piece"])
        if board[at]["piece"]
        else "."
        for at in squares.split()
    )


def test_the_opera_game_is_played_to_mate_loaded_again_and_published() -> None:
    site = Site()
    browser = site.browser().new_game()

    end = browser.play(OPERA).json

    board, score = end["board"], json.loads(end["board"]["score"])
    assert board["move_number"] == 33
    assert board["fen"] == "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17"
    assert (board["result"], board["termination"]) == ("1-0", "checkmate")
    assert (board["check"], end["move"]["piece"]) == (True, "R")
    assert score["W"] == {"P": 3, "N": 1, "B": 1, "R": 1, "Q": 0, "K": 0}
    assert score["B"] == {"P": 1, "N": 2, "B": 1, "R": 1, "Q": 1, "K": 0}
    for uci in ("a7a6", "a2a3", "e8e7"):
        assert browser.move(uci).json == {"error": "Invalid move!"}
    assert browser.get("/legal-moves/a7").json == []
    assert browser.get("/load-game").json["board"] == board
    ((body, _),) = site.republish.waiting
    assert json.loads(body)["republish"]["game_id"] == board["game_id"]


@pytest.mark.parametrize(
    ("moves", "squares", "expected"),
    [
        (CASTLED_SHORT, "e1 f1 g1 h1 e8 f8 g8 h8", ".RK..rk."),
        (CASTLED_LONG, "a1 c1 d1 e1 a8 c8 d8 e8", ".KR..kr."),
        (EN_PASSANT, "d5 d6", ".P"),
        *((f"{PROMOTING} h7g8{it}", "g8", it.upper() or "Q") for it in ("", "q", "n", "R", "b")),
        (BLACK_PROMOTING, "g1", "n"),
        ("g2g3 b7b6 f1g2 h7h6 g2a8", "a8", "B"),
    ],
)
def test_special_moves_change_the_board(
    browser: Browser, moves: str, squares: str, expected: str
) -> None:
    assert pieces(browser.play(moves).json, squares) == expected


@pytest.mark.parametrize(
    ("moves", "move"),
    [
        (CASTLED_LONG, {"piece": "K", "from": "e8", "to": "c8"}),
        (EN_PASSANT, {"flag": "x"}),
        (f"{PROMOTING} h7g8n", {"piece": "P", "promotion": "N"}),
    ],
)
def test_a_special_move_is_described(browser: Browser, moves: str, move: dict[str, str]) -> None:
    made = browser.play(moves).json

    assert {name: made["move"][name] for name in move} == move
    assert moves != EN_PASSANT or json.loads(made["board"]["score"])["W"]["P"] == 1


@pytest.mark.parametrize(
    ("moves", "illegal"),
    [
        ("", "e7e5"),
        ("e2e4", "d2d4"),
        ("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1e2 e8e7 e2e1 e7e8", "e1g1"),
        ("e2e4 a7a6 e4e5 d7d5 h2h3 h7h6", "e5d6"),
        ("e2e4 f7f6 d1h5", "a7a6"),
        (STALEMATE, "g6h6"),
    ],
    ids=["black begins", "twice", "king moved", "too late", "in check", "ended"],
)
def test_an_illegal_move_is_refused(browser: Browser, moves: str, illegal: str) -> None:
    if moves:
        browser.play(moves)

    assert browser.move(illegal).json == {"error": "Invalid move!"}
    assert illegal[2:4] not in browser.get(f"/legal-moves/{illegal[:2]}").json


def test_check_limits_the_legal_moves(browser: Browser) -> None:
    assert browser.play("e2e4 f7f6 d1h5").json["board"]["check"] is True
    assert browser.get("/legal-moves/g7").json == ["g6"]
    assert browser.move("g7g6").status == 200


@pytest.mark.parametrize(
    ("moves", "termination"),
    [(STALEMATE, "stalemate"), ("g1f3 g8f6 f3g1 f6g8 " * 4, "fivefold-repetition")],
)
def test_a_draw_ends_the_game(browser: Browser, moves: str, termination: str) -> None:
    end = browser.play(moves).json["board"]

    assert (end["result"], end["termination"], end["check"]) == ("1/2-1/2", termination, False)
