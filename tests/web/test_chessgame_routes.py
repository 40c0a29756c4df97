"""The routes of chessgame-backend, one by one: what they answer and what they refuse."""

import json
from dataclasses import replace
from typing import Any

import pytest

from arbiter.web.routes.chessgame import BODY_BYTES
from tests.fakes.faults import crash_at
from tests.fakes.games import FakeGames
from tests.web.browser import Answer, Browser, Site

NEEDS_A_GAME = ("/load-game", "/legal-moves/e2", "/make-move/e2/e4", "/legal-moves/xx")


def error(answer: Answer) -> tuple[int, Any]:
    """Status and body of an answer that is an error in the words of chessgame-backend."""
    assert answer.headers["Content-Type"] == "application/json"
    return answer.status, answer.json


def new(**body: Any) -> Answer:
    return Site().browser().ask("POST", "/new-game", body=json.dumps(body))


@pytest.mark.parametrize(
    "body", [None, "", "  ", "{}", '{"browser_id": null}', '{"browser_id":""}']
)
def test_a_new_game_without_a_browser_id_gets_one_of_128_bits(body: str | None) -> None:
    answer = Site().browser().ask("POST", "/new-game", body=body)

    assert answer.status == 200
    assert [*answer.json] == ["game", "board"]
    assert {*answer.json["game"]} == {"id", "updatedAt", "createdAt", "browser_id"}
    assert len(bytes.fromhex(answer.json["game"]["browser_id"])) == 16
    assert answer.json["game"]["browser_id"] != answer.json["game"]["id"]
    assert answer.json["board"]["game_id"] == answer.json["game"]["id"]
    assert (answer.json["board"]["move_number"], answer.json["board"]["turn_player"]) == (0, "")


@pytest.mark.parametrize("mine", ["x", "1579000000000", "$2b$08$abc./DEF", "a b", "~" * 256])
def test_a_client_may_choose_its_browser_id(mine: str) -> None:
    answer = new(browser_id=mine)

    assert answer.json["game"]["browser_id"] == mine


@pytest.mark.parametrize(
    "mine", [" x", "x ", "é", "x\ny", "x\x00", "~" * 257, 7, 1.5, True, ["x"], {"x": 1}]
)
def test_an_id_that_no_header_can_carry_is_refused(mine: object) -> None:
    assert error(new(browser_id=mine)) == (400, {"error": "Invalid browser id"})


@pytest.mark.parametrize("body", ["[]", '"x"', "7", "null"])
def test_a_body_that_is_no_object_is_refused(body: str) -> None:
    answer = Site().browser().ask("POST", "/new-game", body=body)

    assert error(answer) == (400, {"error": "Invalid body"})


def test_a_body_that_is_no_json_is_refused_by_what_it_calls_itself() -> None:
    browser = Site().browser()

    def sent(content_type: str) -> Answer:
        headers = {"Content-Type": content_type}
        return browser.ask("POST", "/new-game", body="browser_id=x", headers=headers)

    assert error(sent("application/json")) == (400, {"error": "Invalid JSON"})
    assert error(sent("text/plain")) == (415, {"error": "The body is not JSON"})


@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_a_key_that_is_given_twice_is_refused(content_type: str) -> None:
    body = '{"browser_id": "one", "browser_id": "other"}'

    answer = (
        Site().browser().ask("POST", "/new-game", body=body, headers={"Content-Type": content_type})
    )

    assert error(answer) == (400, {"error": "Invalid JSON: an object names the same key twice"})


@pytest.mark.parametrize("body", ['{"browser_id": "x", "n": NaN}', '{"browser_id": "\\ud800"}'])
def test_what_only_some_programs_read_as_json_is_refused(body: str) -> None:
    status, said = error(Site().browser().ask("POST", "/new-game", body=body))

    assert (status, said["error"].partition(":")[0]) == (400, "Invalid JSON")


def test_json_of_two_thousand_brackets_is_refused_like_any_other_nonsense() -> None:
    answer = Site().browser().ask("POST", "/new-game", body="[" * 2000 + "]" * 2000)

    assert error(answer) == (400, {"error": "Invalid JSON: nested deeper than 8 brackets"})


def test_json_is_read_whatever_it_calls_itself_and_however_it_was_packed() -> None:
    browser = Site().browser()
    for mine, content_type in (("x", "text/plain;charset=UTF-8"), ("y", "application/json")):
        body = json.dumps({"browser_id": mine}).encode()
        headers = {"Content-Type": content_type}
        answer = browser.ask("POST", "/new-game", body=body, headers=headers)
        assert answer.json["game"]["browser_id"] == mine


def test_a_body_may_be_as_long_as_that_and_no_longer() -> None:
    browser = Site().browser()
    fits = '{"pad":"' + "x" * (BODY_BYTES - 10) + '"}'

    assert browser.ask("POST", "/new-game", body=fits).status == 200
    assert error(browser.ask("POST", "/new-game", body=fits + " "))[0] == 413


def test_a_browser_id_that_is_taken_is_a_conflict_and_leaves_its_game_alone() -> None:
    browser = Site().browser().new_game(browser_id="mine")
    browser.play("e2e4")

    answer = browser.ask("POST", "/new-game", body='{"browser_id": "mine"}')

    assert error(answer) == (409, {"error": "Browser id is taken"})
    assert browser.get("/load-game").json["board"]["move_number"] == 1


@pytest.mark.parametrize("path", NEEDS_A_GAME)
@pytest.mark.parametrize("mine", [None, ""])
def test_whoever_sends_no_browser_id_is_told_so(path: str, mine: str | None) -> None:
    browser = replace(Site().browser(), id=mine)

    assert error(browser.get(path)) == (400, {"error": "No browser id"})


@pytest.mark.parametrize("path", NEEDS_A_GAME)
@pytest.mark.parametrize("mine", ["nobody", "x" * 5000, "é", "\ud800"])
def test_a_browser_id_of_no_game_is_told_so(path: str, mine: str) -> None:
    browser = replace(Site().browser(), id=mine)

    assert error(browser.get(path)) == (400, {"error": "Game not found!"})


def test_the_header_has_an_underscore_or_a_hyphen_and_any_case() -> None:
    browser = Site().browser().new_game()
    assert browser.id is not None

    for name in ("Browser_Id", "BROWSER_ID", "browser-id"):
        stranger = replace(browser, id=None)
        assert stranger.ask("GET", "/load-game", headers={name: browser.id}).status == 200


def test_the_header_with_the_underscore_is_the_one_that_counts() -> None:
    browser = Site().browser().new_game()

    assert browser.ask("GET", "/load-game", headers={"browser-id": "another"}).status == 200


def test_a_loaded_game_is_its_board_and_its_moves_with_the_newest_first() -> None:
    browser = Site().browser().new_game()
    made = browser.play("e2e4 d7d5 e4d5")

    loaded = browser.get("/load-game").json

    assert [*loaded] == ["board", "moves", "next"]
    assert loaded["board"] == made.json["board"]
    assert loaded["moves"][0] == made.json["move"]
    assert [move["move_number"] for move in loaded["moves"]] == [3, 2, 1]
    assert [move["flag"] for move in loaded["moves"]] == ["x", "-", "-"]
    assert [move["player"] for move in loaded["moves"]] == ["W", "B", "W"]


@pytest.mark.parametrize("before", ["0", "-1", "x", "", "1.5", "\u0661", "1" * 10, "1 ", "1,2"])
def test_a_page_before_what_is_no_number_is_refused(before: str) -> None:
    answer = Site().browser().new_game().get("/load-game", before=before)

    assert error(answer) == (400, {"error": "Invalid move number"})


def test_a_page_shows_the_moves_before_a_number() -> None:
    browser = Site().browser().new_game()
    browser.play("e2e4 d7d5 e4d5")

    page = browser.get("/load-game", before="3").json

    assert [move["move_number"] for move in page["moves"]] == [2, 1]
    assert page["board"]["move_number"] == 3


@pytest.mark.parametrize(
    ("square", "targets"),
    [("e2", ["e3", "e4"]), ("g1", ["f3", "h3"]), ("e4", []), ("e7", []), ("a8", []), ("a1", [])],
)
def test_legal_moves_of_a_square(square: str, targets: list[str]) -> None:
    answer = Site().browser().new_game().get(f"/legal-moves/{square}")

    assert (answer.status, answer.json) == (200, targets)


@pytest.mark.parametrize(
    "text", ["11", "E2", "e9", "e", "e22", "%65%32%20", "%2F", "é2", "💥", "..."]
)
def test_legal_moves_of_what_is_no_square(text: str) -> None:
    answer = Site().browser().new_game().get(f"/legal-moves/{text}")

    assert error(answer) == (400, {"error": "Invalid position!"})


def test_a_square_may_come_percent_encoded() -> None:
    browser = Site().browser().new_game()

    assert browser.get("/legal-moves/%65%32").json == ["e3", "e4"]
    assert browser.get("/make-move/%652/e4").json["move"]["to"] == "e4"


@pytest.mark.parametrize("path", ["g11/f3", "g1/f33", "x/y", "G1/f3", "g1/F3", "%20/e4"])
def test_a_move_of_what_is_no_square_is_refused_without_an_exclamation_mark(path: str) -> None:
    answer = Site().browser().new_game().get(f"/make-move/{path}")

    assert error(answer) == (400, {"error": "Invalid position"})


@pytest.mark.parametrize("uci", ["g2f3", "e4e5", "e7e5", "e2e2", "a1a8", "e1g1", "e2e5"])
def test_a_move_that_is_not_legal_is_refused_and_changes_nothing(uci: str) -> None:
    browser = Site().browser().new_game()

    for _ in range(5):
        assert error(browser.move(uci)) == (400, {"error": "Invalid move!"})

    assert browser.get("/load-game").json["board"]["move_number"] == 0


def test_what_nobody_can_promote_to_is_refused_and_what_needs_no_promotion_passes_over_it() -> None:
    browser = Site().browser().new_game()

    for piece in ("k", "p", "x", "Z", "", "queen", "q,n"):
        answer = browser.get("/make-move/e2/e4", promotion=piece)
        assert error(answer) == (400, {"error": "Invalid promotion"})
    assert browser.get("/load-game").json["board"]["move_number"] == 0
    assert browser.get("/make-move/e2/e4", promotion="q").json["move"]["promotion"] is None


def test_what_a_browser_holds_is_kept_by_no_cache() -> None:
    browser = Site().browser().new_game()

    for path in NEEDS_A_GAME:
        assert browser.get(path).headers["Cache-Control"] == "no-store"


def test_games_of_two_browsers_are_two_games() -> None:
    site = Site().browser()
    one, other = site.new_game(), site.new_game()
    one.play("e2e4")

    assert other.get("/load-game").json["board"]["move_number"] == 0
    assert one.id != other.id


@pytest.mark.parametrize("point", ["games.load", "games.commit"])
def test_a_table_that_fails_is_an_error_of_ours_and_the_next_request_is_answered(
    point: str,
) -> None:
    games = FakeGames(hook=crash_at(point))
    browser: Browser = Site(games).browser().new_game()

    failed = browser.move("e2e4")

    assert error(failed) == (500, {"error": "The arbiter failed; try again."})
    assert browser.move("e2e4").status == 200
