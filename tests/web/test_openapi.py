"""The OpenAPI document and the routes are the same, and answers have the shapes it promises."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from arbiter.core.clocks import DAY_MS, Speed, TimeControl, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination, Variant
from arbiter.nostr.nip19 import encode_npub
from arbiter.web.app import ROUTERS
from arbiter.web.openapi import METHODS, document
from arbiter.web.routes.hot_seat import ROUTES as HOT_SEAT_ROUTES
from arbiter.web.routes.transcripts import ROUTES as HANDED_IN
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Site
from tests.web.test_meta_routes import HEALTHY, RELAYS
from tests.web.test_reading_games import SCHOLARS_MATE, a_blitz_game, a_rated_game
from tests.web.test_reading_lists import games_of_alice, rated


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
        *HANDED_IN,
        *(
            (method, re.sub(r"<(\w+)>", "{}", path))
            for path, methods, *_ in rules
            for method in ([methods] if isinstance(methods, str) else methods)
        ),
    }


def test_the_document_and_the_routers_have_the_same_routes() -> None:
    nameless = {(method, re.sub(r"\{\w+\}", "{}", path)) for method, path in documented()}

    assert routed() == nameless


def test_the_document_is_served_as_it_is() -> None:
    answer = Site().browser().get("/openapi.json")

    assert answer.json == document()
    assert answer.json["openapi"].startswith("3.1.")


def test_the_document_is_consistent() -> None:
    operations = [document()["paths"][path][method.lower()] for method, path in documented()]
    names = [operation["operationId"] for operation in operations]

    assert len(set(names)) == len(names)
    assert all({"429", "500"} <= set(operation["responses"]) for operation in operations)
    assert {tag for operation in operations for tag in operation["tags"]} == {
        tag["name"] for tag in document()["tags"]
    }
    for reference in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document())):
        found: Any = document()
        for part in reference.split("/"):
            found = found[part]
    for schema in document()["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_the_documentation_names_every_path_and_runs_no_script() -> None:
    page = Site().browser().get("/docs")

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    for _, path in documented():
        assert path in page.body
    assert "<script" not in page.body
    links = set(re.findall(r'(?:src|href)="(?!data:)([^"#]+)"', page.body))
    assert "/openapi.json" in links
    assert {Site().browser().get(link).status for link in links} == {200}


def breaches(template: str, method: str, answer: Answer) -> list[str]:
    """The differences of the answer from the document's promise for this operation."""
    operation = document()["paths"][template][method.lower()]
    response = operation["responses"][str(answer.status)]
    if "$ref" in response:
        response = document()["components"]["responses"][response["$ref"].rpartition("/")[2]]
    schema = response["content"][answer.headers["Content-Type"]]["schema"]
    whole = {**schema, "components": document()["components"]}
    validator = Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in validator.iter_errors(answer.json)]


DAILY = start_clocks(TimeControl(move_ms=DAY_MS), NOW_MS)

KINDS_OF_GAMES: dict[str, Game] = {
    "new": a_game(),
    "blitz": after(a_blitz_game(), "e4 e5 Nf3"),
    "daily": replace(after(a_game(), "e4"), clocks=DAILY),
    "offered": replace(after(a_game(), "e4"), offer=Offer(OfferKind.TAKEBACK, WHITE)),
    "chess960": replace(a_game(), variant=Variant.CHESS960),
    "from a position": after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q"),
    "a browser's": replace(after(a_game(), "e4"), white=Seat("ab" * 32, "hot_seat")),
    "rematched": replace(
        a_game(), outcome=Outcome(Termination.TIMEOUT, BLACK), next_game_id="ab" * 16
    ),
    **{
        f"ended by {termination}": replace(a_game(), outcome=Outcome(termination, None))
        for termination in Termination
    },
}


@pytest.mark.parametrize("game", KINDS_OF_GAMES.values(), ids=KINDS_OF_GAMES)
def test_a_game_its_players_and_the_live_games_have_the_documented_shapes(game: Game) -> None:
    browser = Site(games=FakeGames(game)).browser()

    assert not breaches("/games/{id}", "GET", browser.get(f"/games/{game.id}"))
    for name in (game.white.player, encode_npub(game.black.player)):
        assert not breaches("/players/{player}", "GET", browser.get(f"/players/{name}"))
        assert not breaches("/players/{player}/games", "GET", browser.get(f"/players/{name}/games"))
    assert not breaches("/live", "GET", browser.get("/live"))


@pytest.mark.parametrize(
    ("template", "path", "query"),
    [
        ("/", "/", {}),
        ("/games/{id}", f"/games/{a_game().id}", {}),
        ("/games/{id}", f"/games/{'f' * 32}", {}),
        ("/games/{id}", "/games/x", {}),
        ("/players/{player}", f"/players/{ALICE.pubkey}", {}),
        ("/players/{player}", "/players/x", {}),
        ("/leaderboard/{speed}", "/leaderboard/blitz", {}),
        ("/leaderboard/{speed}", "/leaderboard/blitz", {"limit": "0"}),
        ("/leaderboard/{speed}", "/leaderboard/x", {}),
        ("/live", "/live", {}),
        ("/live", "/live", {"limit": "x"}),
        ("/healthz", "/healthz", {}),
        ("/.well-known/nostr.json", "/.well-known/nostr.json", {}),
        ("/.well-known/nostr.json", "/.well-known/nostr.json", {"name": "x"}),
        ("/legal-moves/{position}", "/legal-moves/xx", {}),
        ("/make-move/{origin}/{target}", "/make-move/e2/e5", {}),
        ("/make-move/{origin}/{target}", "/make-move/e2/x", {}),
    ],
)
def test_answers_of_a_rated_game_and_refusals_have_the_documented_shapes(
    template: str, path: str, query: dict[str, str]
) -> None:
    game = after(a_blitz_game(), SCHOLARS_MATE)
    site = Site(FakeGames(game, *games_of_alice(30)), health=HEALTHY, relays=RELAYS)
    site.ratings.games[game.id] = a_rated_game(game)
    standing = rated(ALICE.pubkey, Speed.BLITZ, 1600)
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = standing

    assert not breaches(template, "GET", site.browser().new_game().get(path, **query))


@pytest.mark.parametrize(
    "moves", ["", "e2e4 d7d5 e4d5", "f2f3 e7e5 g2g4 d8h4", "g1f3 g8f6 f3g1 f6g8 " * 4]
)
def test_a_browsers_game_has_the_documented_shapes(moves: str) -> None:
    browser = Site().browser().new_game()
    made = [browser.move(uci) for uci in moves.split()]

    for answer in made:
        assert not breaches("/make-move/{origin}/{target}", "GET", answer)
    assert not breaches("/load-game", "GET", browser.get("/load-game"))
    for square in ("e2", "e4", "h7"):
        assert not breaches("/legal-moves/{position}", "GET", browser.get(f"/legal-moves/{square}"))


def test_new_games_and_their_refusals_have_the_documented_shapes() -> None:
    browser = Site().browser()
    mine = '{"browser_id": "mine"}'
    for body in (None, mine, mine, '{"browser_id": 7}', "not JSON", " " * 5000):
        assert not breaches("/new-game", "POST", browser.ask("POST", "/new-game", body=body))
