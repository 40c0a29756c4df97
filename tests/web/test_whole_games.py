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


def squares(reply: Any) -> Any:
    """The board of a reply: JSON inside the JSON."""
    board: str = reply["board"]["board"]
    return json.loads(board)


@pytest.fixture
def browser() -> Browser:
    return Site().browser().new_game()


def test_the_opera_game_is_played_to_mate_and_is_there_when_the_browser_comes_back(
    browser: Browser,
) -> None:
    end = browser.play(OPERA).json

    assert end["board"]["move_number"] == 33
    assert end["board"]["fen"] == "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17"
    assert (end["board"]["result"], end["board"]["termination"]) == ("1-0", "checkmate")
    assert end["board"]["check"] is True
    assert end["move"]["piece"] == "R"
    score = json.loads(end["board"]["score"])
    assert score["W"] == {"P": 3, "N": 1, "B": 1, "R": 1, "Q": 0, "K": 0}
    assert score["B"] == {"P": 1, "N": 2, "B": 1, "R": 1, "Q": 1, "K": 0}
    assert browser.get("/load-game").json["board"] == end["board"]


def test_nothing_moves_after_the_end(browser: Browser) -> None:
    browser.play(OPERA)

    for uci in ("a7a6", "a2a3", "e8e7"):
        assert (browser.move(uci).status, browser.move(uci).json) == (
            400,
            {"error": "Invalid move!"},
        )
    assert browser.get("/legal-moves/a7").json == []
    assert browser.get("/load-game").json["board"]["move_number"] == 33


def test_castling_moves_king_and_rook_on_either_wing() -> None:
    short, long = Site().browser().new_game(), Site().browser().new_game()

    at_once = short.play("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8").json
    later = long.play("d2d4 d7d5 c1f4 c8f5 b1c3 b8c6 d1d2 d8d7 e1c1 e8c8").json

    assert [squares(at_once)[at]["piece"] for at in ("e1", "f1", "g1", "h1")] == [
        None,
        "R",
        "K",
        None,
    ]
    assert [squares(at_once)[at]["piece"] for at in ("e8", "f8", "g8", "h8")] == [
        None,
        "R",
        "K",
        None,
    ]
    assert [squares(later)[at]["piece"] for at in ("a1", "c1", "d1", "e1")] == [
        None,
        "K",
        "R",
        None,
    ]
    assert [squares(later)[at]["piece"] for at in ("a8", "c8", "d8", "e8")] == [
        None,
        "K",
        "R",
        None,
    ]
    assert (later["move"]["piece"], later["move"]["from"], later["move"]["to"]) == ("K", "e8", "c8")


def test_a_king_who_has_moved_or_would_pass_through_check_does_not_castle(
    browser: Browser,
) -> None:
    browser.play("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1e2 e8e7 e2e1 e7e8")

    assert browser.move("e1g1").status == 400
    assert "g1" not in browser.get("/legal-moves/e1").json


def test_a_pawn_is_taken_in_passing_at_once_or_never(browser: Browser) -> None:
    taken = browser.play("e2e4 a7a6 e4e5 d7d5 e5d6").json

    assert squares(taken)["d5"] == {"color": "", "piece": None}
    assert taken["move"]["flag"] == "x"
    assert json.loads(taken["board"]["score"])["W"]["P"] == 1
    late = Site().browser().new_game()
    late.play("e2e4 a7a6 e4e5 d7d5 h2h3 h7h6")
    assert late.move("e5d6").json == {"error": "Invalid move!"}


@pytest.mark.parametrize(
    ("asked", "piece"), [("", "Q"), ("q", "Q"), ("n", "N"), ("R", "R"), ("b", "B")]
)
def test_a_pawn_becomes_what_is_asked_for(browser: Browser, asked: str, piece: str) -> None:
    browser.play("h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 h8g8")

    made = browser.move(f"h7g8{asked}").json

    assert squares(made)["g8"] == {"color": "W", "piece": piece}
    assert (made["move"]["piece"], made["move"]["promotion"]) == ("P", piece)


def test_black_promotes_too(browser: Browser) -> None:
    made = browser.play("g2g4 h7h5 a2a3 h5g4 a3a4 g4g3 a4a5 g3h2 a5a6 h2g1n").json

    assert squares(made)["g1"] == {"color": "B", "piece": "N"}


def test_stalemate_is_a_draw(browser: Browser) -> None:
    end = browser.play(STALEMATE).json["board"]

    assert (end["result"], end["termination"], end["check"]) == ("1/2-1/2", "stalemate", False)
    assert browser.move("g6h6").status == 400


def test_a_king_in_check_must_get_out_of_it(browser: Browser) -> None:
    browser.play("e2e4 f7f6 d1h5")

    assert browser.get("/load-game").json["board"]["check"] is True
    assert browser.move("a7a6").status == 400
    assert browser.get("/legal-moves/g7").json == ["g6"]
    assert browser.move("g7g6").status == 200


def test_black_does_not_begin_and_nobody_moves_twice(browser: Browser) -> None:
    assert browser.move("e7e5").status == 400
    browser.play("e2e4")
    assert browser.move("d2d4").status == 400


def test_the_fifth_time_of_a_position_ends_the_game(browser: Browser) -> None:
    end = browser.play("g1f3 g8f6 f3g1 f6g8 " * 4).json["board"]

    assert (end["move_number"], end["termination"]) == (16, "fivefold-repetition")


def test_the_squares_of_the_corner_a8_can_be_reached(browser: Browser) -> None:
    taken = browser.play("g2g3 b7b6 f1g2 h7h6 g2a8").json

    assert squares(taken)["a8"] == {"color": "W", "piece": "B"}


def test_a_finished_game_is_queued_for_its_note() -> None:
    site = Site()
    browser = site.browser().new_game()

    browser.play(OPERA)

    ((body, _),) = site.republish.waiting
    game_id = browser.get("/load-game").json["board"]["game_id"]
    assert json.loads(body)["republish"]["game_id"] == game_id
