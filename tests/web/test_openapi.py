"""The OpenAPI document and the routes are the same, and answers have the shapes it promises."""

import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from arbiter.web.app import ROUTERS
from arbiter.web.openapi import METHODS, document, methods_of
from arbiter.web.routes.chessgame import ROUTES as HOT_SEAT_ROUTES
from tests.web.browser import Answer, Browser, Site

STALEMATE = (
    "e2e3 a7a5 d1h5 a8a6 h5a5 h7h5 h2h4 a6h6 a5c7 f7f6 c7d7 e8f7 d7b7 d8d3 b7b8 d3h7 b8c8 f7g6 c8e6"
)


def documented() -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, item in document()["paths"].items()
        for method in METHODS
        if method in item
    }


def routed() -> set[tuple[str, str]]:
    """Every route that some router has, its parameters in the document's brackets."""
    deps = Site().deps()
    rules = [rule for router in ROUTERS for rule in router(deps)._routes]
    return {
        *HOT_SEAT_ROUTES,
        *(
            (method, re.sub(r"<(\w+)>", "{}", path))
            for path, methods, *_ in rules
            for method in ([methods] if isinstance(methods, str) else methods)
        ),
    }


def test_every_route_is_in_the_document_and_the_reverse() -> None:
    nameless = {(method, re.sub(r"\{\w+\}", "{}", path)) for method, path in documented()}

    assert routed() == nameless


def test_the_document_is_served_as_it_is() -> None:
    answer = Site().browser().get("/openapi.json")

    assert answer.json == document()
    assert answer.json["openapi"].startswith("3.1.")


def test_every_operation_has_a_name_of_its_own_and_says_what_may_go_wrong() -> None:
    operations = [document()["paths"][path][method.lower()] for method, path in documented()]
    names = [operation["operationId"] for operation in operations]

    assert len(set(names)) == len(names)
    assert [
        operation for operation in operations if not ({"429", "500"} <= set(operation["responses"]))
    ] == []
    assert {tag for operation in operations for tag in operation["tags"]} == {
        tag["name"] for tag in document()["tags"]
    }


def test_every_reference_in_the_document_leads_somewhere() -> None:
    names = re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document()))

    assert names
    for name in names:
        found: Any = document()
        for part in name.split("/"):
            found = found[part]


def test_every_schema_is_one() -> None:
    for schema in document()["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/", ("GET",)),
        ("/new-game", ("POST",)),
        ("/make-move/e2/e4", ("GET",)),
        ("/make-move/e2", ()),
        ("/make-move/e2/e4/", ()),
        ("/new-gamex", ()),
        ("/games/x.pgn", ("GET",)),
        ("", ()),
    ],
)
def test_the_methods_of_a_path(path: str, methods: tuple[str, ...]) -> None:
    assert methods_of(path) == methods


def test_the_page_names_every_path_and_loads_nothing() -> None:
    page = Site().browser().get("/docs")

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for _, path in documented():
        assert path in page.body
    assert "<script" not in page.body
    links = set(re.findall(r'(?:src|href)="([^"#]+)"', page.body))
    assert "/openapi.json" in links
    assert {Site().browser().get(link).status for link in links} == {200}


def breaches(template: str, method: str, answer: Answer) -> list[str]:
    """How the answer differs from what the document promises for this operation."""
    operation = document()["paths"][template][method.lower()]
    response = operation["responses"][str(answer.status)]
    if "$ref" in response:
        response = document()["components"]["responses"][response["$ref"].rpartition("/")[2]]
    schema = response["content"][answer.headers["Content-Type"]]["schema"]
    whole = {**schema, "components": document()["components"]}
    validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in validator.iter_errors(answer.json)]


@pytest.fixture
def browser() -> Browser:
    return Site().browser().new_game()


@pytest.mark.parametrize(
    "moves", ["", "e2e4", "e2e4 d7d5 e4d5", "f2f3 e7e5 g2g4 d8h4", STALEMATE, "g1f3 g8f6 " * 2]
)
def test_a_game_has_the_shapes_that_are_promised(browser: Browser, moves: str) -> None:
    made = [browser.move(uci) for uci in moves.split()]

    for answer in made:
        assert not breaches("/make-move/{origin}/{target}", "GET", answer)
    assert not breaches("/load-game", "GET", browser.get("/load-game"))
    for square in ("e2", "e4", "h7"):
        assert not breaches("/legal-moves/{position}", "GET", browser.get(f"/legal-moves/{square}"))


def test_new_games_and_errors_have_the_shapes_that_are_promised(browser: Browser) -> None:
    def asked(template: str, path: str, method: str = "GET", body: str | None = None) -> list[str]:
        return breaches(template, method, browser.ask(method, path, body=body))

    assert not asked("/new-game", "/new-game", "POST")
    assert not asked("/new-game", "/new-game", "POST", '{"browser_id": "mine"}')
    assert not asked("/new-game", "/new-game", "POST", '{"browser_id": "mine"}')
    assert not asked("/new-game", "/new-game", "POST", '{"browser_id": 7}')
    assert not asked("/new-game", "/new-game", "POST", "not JSON")
    assert not asked("/new-game", "/new-game", "POST", " " * 5000)
    assert not asked("/legal-moves/{position}", "/legal-moves/xx")
    assert not asked("/make-move/{origin}/{target}", "/make-move/e2/e5")
    assert not asked("/make-move/{origin}/{target}", "/make-move/e2/x")
    assert not asked("/", "/")
