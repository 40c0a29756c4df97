"""What is read has the shapes that the OpenAPI document promises, whatever the game."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import DAY_MS, Speed, TimeControl, start_clocks
from arbiter.core.commands import OfferKind
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Seat, Termination, Variant
from arbiter.nostr.nip19 import encode_npub
from tests.builders import ALICE, NOW_MS, a_game, after
from tests.fakes.games import FakeGames
from tests.web.browser import Site
from tests.web.test_meta_routes import HEALTHY, RELAYS
from tests.web.test_openapi import breaches
from tests.web.test_reading_games import SCHOLARS_MATE, a_blitz_game, a_rated_game
from tests.web.test_reading_lists import games_of_alice, rated

DAILY = start_clocks(TimeControl(move_ms=DAY_MS), NOW_MS)

KINDS_OF_GAMES: dict[str, Game] = {
    "new": a_game(),
    "blitz": after(a_blitz_game(), "e4 e5 Nf3"),
    "daily": replace(after(a_game(), "e4"), clocks=DAILY),
    "offered": replace(after(a_game(), "e4"), offer=Offer(OfferKind.TAKEBACK, WHITE)),
    "chess960": replace(a_game(), variant=Variant.CHESS960),
    "from a position": after(a_game("8/P6k/8/8/8/8/8/K7 w - - 0 1"), "a8=Q"),
    "a browser's": replace(after(a_game(), "e4"), white=Seat("ab" * 32, "rest")),
    "rematched": replace(
        a_game(), outcome=Outcome(Termination.TIMEOUT, BLACK), next_game_id="ab" * 16
    ),
    **{
        f"ended by {termination}": replace(a_game(), outcome=Outcome(termination, None))
        for termination in Termination
    },
}


@pytest.mark.parametrize("game", KINDS_OF_GAMES.values(), ids=KINDS_OF_GAMES)
def test_a_game_is_told_as_promised(game: Game) -> None:
    browser = Site(games=FakeGames(game)).browser()

    assert not breaches("/games/{id}", "GET", browser.get(f"/games/{game.id}"))
    for name in (game.white.player, encode_npub(game.black.player)):
        assert not breaches("/players/{player}", "GET", browser.get(f"/players/{name}"))
        assert not breaches("/players/{player}/games", "GET", browser.get(f"/players/{name}/games"))
    assert not breaches("/live", "GET", browser.get("/live"))


def test_a_rated_game_and_its_players_are_told_as_promised() -> None:
    game = after(a_blitz_game(), SCHOLARS_MATE)
    site = Site(games=FakeGames(game))
    site.ratings.games[game.id] = a_rated_game(game)
    standing = rated(ALICE.pubkey, Speed.BLITZ, 1600)
    site.ratings.standings[ALICE.pubkey, Speed.BLITZ] = standing
    browser = site.browser()

    assert not breaches("/games/{id}", "GET", browser.get(f"/games/{game.id}"))
    assert not breaches("/players/{player}", "GET", browser.get(f"/players/{ALICE.pubkey}"))
    assert not breaches("/leaderboard/{speed}", "GET", browser.get("/leaderboard/blitz"))


def test_pages_and_errors_are_told_as_promised() -> None:
    browser = Site(games=FakeGames(*games_of_alice(30))).browser()

    assert not breaches("/live", "GET", browser.get("/live"))
    assert not breaches("/live", "GET", browser.get("/live", limit="x"))
    assert not breaches("/games/{id}", "GET", browser.get(f"/games/{'f' * 32}"))
    assert not breaches("/games/{id}", "GET", browser.get("/games/x"))
    assert not breaches("/players/{player}", "GET", browser.get("/players/x"))
    assert not breaches("/leaderboard/{speed}", "GET", browser.get("/leaderboard/x"))
    assert not breaches("/leaderboard/{speed}", "GET", browser.get("/leaderboard/blitz", limit="0"))


def test_the_arbiter_tells_of_itself_as_promised() -> None:
    browser = Site(vitals=HEALTHY, relays=RELAYS).browser()

    assert not breaches("/healthz", "GET", browser.get("/healthz"))
    assert not breaches("/.well-known/nostr.json", "GET", browser.get("/.well-known/nostr.json"))
    assert not breaches(
        "/.well-known/nostr.json", "GET", browser.get("/.well-known/nostr.json", name="x")
    )
