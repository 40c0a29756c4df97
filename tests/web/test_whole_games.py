"""Whole games through the HTTP API, by a client that knows the wire and the moves."""

import json

import pytest

from tests.web.browser import Browser, Site

OPERA = (
    "e2e4 e7e5 g1f3 d7d6 d2d4 c8g4 d4e5 g4f3 d1f3 d6e5 f1c4 g8f6 f3b3 d8e7 b1c3 c7c6 c1g5 b7b5 "
    "c3b5 c6b5 c4b5 b8d7 e1c1 a8d8 d1d7 d8d7 h1d1 e7e6 b5d7 f6d7 b3b8 d7b8 d1d8"
)
STALEMATE = (
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)


@pytest.fixture
def browser() -> Browser:
    return Site().browser().new_game()


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
