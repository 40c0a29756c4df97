"""Laws of every route: CORS, methods, HEAD, errors, and requests made up by a stranger."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.nip11 import relay_information
from arbiter.web.app import make_app
from tests.builders import SERVER
from tests.fakes.faults import Crash
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Site, an_invocation

PATHS = ("/", "/new-game", "/load-game", "/make-move/e2/e4", "/openapi.json", "/docs", "/nowhere")
A_NOSTR_CLIENT = {"Accept": "application/nostr+json"}


def problem(answer: Answer) -> tuple[int, str]:
    """Status and title of an answer in problem details (RFC 9457)."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json["status"] == answer.status
    assert answer.json["detail"]
    title: str = answer.json["title"]
    return answer.status, title


def test_the_root_is_the_relays_document_for_nostr_clients_and_the_status_for_others() -> None:
    known = relay_information("Arbiter", SERVER.pubkey, "1", (64,))
    relay = Site(relay_information=known).browser()

    nostr = relay.ask("GET", "/", headers=A_NOSTR_CLIENT)
    without_a_relay = Site().browser().ask("GET", "/", headers=A_NOSTR_CLIENT)

    assert (nostr.headers["Content-Type"], nostr.json) == ("application/nostr+json", known)
    assert "Accept" in nostr.headers["Vary"]
    for answer in (relay.get("/"), without_a_relay):
        assert (answer.status, answer.body) == (200, '{"message":"Api OK!"}')
        assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("path", PATHS)
def test_a_page_of_any_origin_may_read_every_answer(path: str) -> None:
    browser = Site().browser()
    asked = {"Origin": "https://a.example", "Access-Control-Request-Headers": "browser_id,x-mine"}

    preflight = browser.ask("OPTIONS", path, headers=asked)

    assert browser.get(path).headers["Access-Control-Allow-Origin"] == "*"
    assert (preflight.status, preflight.body) == (204, "")
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"
    assert preflight.headers["Access-Control-Allow-Headers"] == "browser_id,x-mine"
    assert "GET" in preflight.headers["Access-Control-Allow-Methods"]


@pytest.mark.parametrize("asked", [None, "", "x\r\nSet-Cookie: a=b", "é", "x" * 600])
def test_a_preflight_repeats_only_a_list_of_header_names(asked: str | None) -> None:
    headers = {} if asked is None else {"Access-Control-Request-Headers": asked}

    answer = Site().browser().ask("OPTIONS", "/load-game", headers=headers)

    assert "browser_id" in answer.headers["Access-Control-Allow-Headers"]
    assert "\n" not in "".join(answer.headers.values())


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("GET", "/new-game", "POST, OPTIONS"),
        ("POST", "/load-game", "GET, HEAD, OPTIONS"),
        ("DELETE", "/legal-moves/e2", "GET, HEAD, OPTIONS"),
        ("HEAD", "/make-move/e2/e4", "GET, OPTIONS"),
        ("PUT", "/docs", "GET, HEAD, OPTIONS"),
        ("BREW", "/", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_wrong_method_is_answered_with_the_right_ones(method: str, path: str, allow: str) -> None:
    answer = Site().browser().ask(method, path)

    assert (answer.status, answer.headers["Allow"]) == (405, allow)


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/openapi.json",
        "/docs",
        "/nowhere",
        "/live",
        "/leaderboard/blitz",
        "/healthz",
        "/load-game/",
    ],
)
def test_head_answers_the_headers_of_get_and_the_length_of_its_body(path: str, accept: str) -> None:
    browser = Site(name="Schiedsrichter für alle").browser().new_game()

    get, head = (browser.ask(it, path, headers={"Accept": accept}) for it in ("GET", "HEAD"))

    assert get.body
    assert (head.status, head.body) == (get.status, "")
    assert head.headers == {**get.headers, "Content-Length": str(len(get.body.encode()))}


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
def test_the_contract_is_not_sent_again_to_a_client_that_has_it(path: str, method: str) -> None:
    browser = Site().browser()
    tag = browser.get(path).headers["ETag"]

    held = browser.ask(method, path, headers={"If-None-Match": tag})

    assert (held.status, held.body, held.headers["ETag"]) == (304, "", tag)
    assert "Content-Length" not in held.headers
    assert held.headers["Cache-Control"] == "public, max-age=3600"
    assert browser.ask(method, path, headers={"If-None-Match": '"x"'}).status == 200


def test_a_failure_is_a_problem_that_does_not_quote_the_error() -> None:
    def fail(point: str) -> None:
        raise Crash(f"secret of {point}")

    answer = Site(FakeGames(hook=fail)).browser().get("/games/" + "ab" * 16)

    assert problem(answer) == (500, "Internal Server Error")
    assert "secret" not in answer.body


_TEXT = st.text(max_size=60)
_HEADERS = st.dictionaries(
    st.sampled_from(["browser_id", "accept", "content-type", "if-none-match", "origin"]) | _TEXT,
    _TEXT,
    max_size=4,
)
_PATHS = st.one_of(
    st.sampled_from(PATHS),
    _TEXT.map(lambda text: f"/{text}"),
    _TEXT.map(lambda text: f"/legal-moves/{text}"),
    st.tuples(_TEXT, _TEXT).map(lambda two: f"/make-move/{two[0]}/{two[1]}"),
    _TEXT,
    st.characters(categories=["Cs"]),
)
_METHODS = st.sampled_from(["GET", "POST", "HEAD", "OPTIONS", "PUT"]) | _TEXT
_BODIES = st.none() | st.binary(max_size=60) | _TEXT
_APP = make_app(Site().deps())


@given(_METHODS, _PATHS, _HEADERS, st.dictionaries(_TEXT, _TEXT, max_size=3), _BODIES)
def test_no_request_is_answered_as_a_failure(
    method: str, path: str, headers: Any, query: Any, body: Any
) -> None:
    invocation = an_invocation(method, path, "192.0.2.7", query, None, body)
    invocation["headers"] = headers

    answer = _APP(invocation, object())

    assert answer["statusCode"] < 500
    json.dumps(answer).encode()


@pytest.mark.parametrize(
    ("invocation", "status"),
    [
        ({}, 200),
        ({"requestContext": None, "headers": None, "rawPath": None, "body": None}, 200),
        ({"requestContext": {"http": {"method": "GET"}}, "rawPath": "/load-game"}, 400),
        ({**an_invocation("POST", "/new-game", body="***"), "isBase64Encoded": True}, 400),
    ],
)
def test_an_incomplete_invocation_is_answered(invocation: Any, status: int) -> None:
    assert _APP(invocation, object())["statusCode"] == status
