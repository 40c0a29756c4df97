"""The routes of chessgame-backend: what they answer and what they refuse."""

import json
from dataclasses import replace

import pytest

from arbiter.web.routes.hot_seat import BODY_BYTES
from tests.fakes.faults import crash_at
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Browser, Site

NEEDS_A_GAME = ("/load-game", "/legal-moves/e2", "/make-move/e2/e4", "/legal-moves/xx")


def error(answer: Answer) -> tuple[int, str]:
    """Status and text of an answer that is an error of chessgame-backend."""
    assert answer.headers["Content-Type"] == "application/json"
    assert [*answer.json] == ["error"]
    return answer.status, answer.json["error"]


def new(body: str | bytes | None, content_type: str = "application/json") -> Answer:
    headers = {"Content-Type": content_type}
    return Site().browser().ask("POST", "/new-game", body=body, headers=headers)


@pytest.mark.parametrize(
    "body", [None, "", "  ", "{}", '{"browser_id": null}', '{"browser_id":""}']
)
def test_a_new_game_without_a_browser_id_gets_one_of_128_bits(body: str | None) -> None:
    answer = new(body)

    game, board = answer.json["game"], answer.json["board"]
    assert answer.status == 200
    assert [*answer.json] == ["game", "board"]
    assert {*game} == {"id", "updatedAt", "createdAt", "browser_id"}
    assert len(bytes.fromhex(game["browser_id"])) == 16
    assert game["browser_id"] != game["id"] == board["game_id"]
    assert (board["move_number"], board["turn_player"]) == (0, "")


@pytest.mark.parametrize("chosen", ["x", "1579000000000", "$2b$08$abc./DEF", "a b", "~" * 256])
def test_a_client_may_choose_its_browser_id(chosen: str) -> None:
    body = json.dumps({"browser_id": chosen})

    for answer in (new(body), new(body.encode(), "text/plain;charset=UTF-8")):
        assert answer.json["game"]["browser_id"] == chosen


_LONGEST = '{"pad":"' + "x" * (BODY_BYTES - 10) + '"}'


def test_a_body_that_does_not_claim_to_be_json_is_refused_by_its_type() -> None:
    assert error(new("browser_id=x", "text/plain")) == (415, "The body is not JSON")
    assert new(_LONGEST).status == 200


def test_a_browser_id_that_is_taken_is_a_conflict_and_its_game_stays() -> None:
    browser = Site().browser().new_game(browser_id="mine")
    browser.play("e2e4")

    answer = browser.ask("POST", "/new-game", body='{"browser_id": "mine"}')

    assert error(answer) == (409, "Browser id is taken")
    assert browser.get("/load-game").json["board"]["move_number"] == 1


@pytest.mark.parametrize("path", NEEDS_A_GAME)
@pytest.mark.parametrize(
    ("browser_id", "message"),
    [
        *((missing, "No browser id") for missing in (None, "")),
        *((unknown, "Game not found!") for unknown in ("no one", "x" * 5000, "é", "\ud800")),
    ],
)
def test_a_request_without_the_id_of_a_game_is_refused(
    path: str, browser_id: str | None, message: str
) -> None:
    browser = replace(Site().browser(), id=browser_id)

    assert error(browser.get(path)) == (400, message)


def test_the_header_has_an_underscore_or_a_hyphen_in_any_case_and_the_underscore_wins() -> None:
    browser = Site().browser().new_game()
    assert browser.id is not None

    for name in ("Browser_Id", "BROWSER_ID", "browser-id"):
        stranger = replace(browser, id=None)
        assert stranger.ask("GET", "/load-game", headers={name: browser.id}).status == 200
    assert browser.ask("GET", "/load-game", headers={"browser-id": "another"}).status == 200


def test_a_loaded_game_is_its_board_and_its_moves_newest_first_in_pages() -> None:
    browser = Site().browser().new_game()
    made = browser.play("e2e4 d7d5 e4d5")

    loaded = browser.get("/load-game")
    page = browser.get("/load-game", before="3").json

    assert loaded.headers["Cache-Control"] == "no-store"
    assert [*loaded.json] == ["board", "moves", "next"]
    assert loaded.json["board"] == page["board"] == made.json["board"]
    assert loaded.json["moves"][0] == made.json["move"]
    moves = [(it["move_number"], it["flag"], it["player"]) for it in loaded.json["moves"]]
    assert moves == [(3, "x", "W"), (2, "-", "B"), (1, "-", "W")]
    assert page["moves"] == loaded.json["moves"][1:]


@pytest.mark.parametrize("piece", ["k", "p", "x", "Z", "", "queen", "q,n"])
def test_an_impossible_promotion_is_refused(piece: str) -> None:
    browser = Site().browser().new_game()

    assert error(browser.get("/make-move/e2/e4", promotion=piece)) == (400, "Invalid promotion")
    assert browser.get("/make-move/%652/e4", promotion="q").json["move"]["promotion"] is None


@pytest.mark.parametrize("point", ["games.load", "games.commit"])
def test_after_a_failure_of_the_table_the_next_request_is_answered(point: str) -> None:
    browser: Browser = Site(FakeGames(hook=crash_at(point))).browser().new_game()

    failed = error(browser.move("e2e4"))

    assert failed == (500, "The arbiter failed; try again.")
    assert browser.move("e2e4").status == 200
