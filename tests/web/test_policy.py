"""The operator's policy as pages and the hot seat show it."""

from dataclasses import replace

import pytest

from arbiter.application.policy import KnownPolicy
from arbiter.core.clocks import Speed
from arbiter.core.game import Seat
from arbiter.core.policy import Closing, Policy
from arbiter.core.ratings import Rating, Standing
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after
from tests.fakes.policy import FixedPolicy
from tests.fakes.stores import FakeGames, FakeRatings
from tests.web.browser import Site


def ruled_by(policy: Policy) -> KnownPolicy:
    return KnownPolicy(FixedPolicy(policy), Site().clock)


HIDDEN = ruled_by(Policy(hidden=frozenset({ALICE.pubkey})))


@pytest.mark.parametrize("limit", ["1", "2"])
def test_who_is_hidden_has_no_rank_and_takes_none(limit: str) -> None:
    ratings = FakeRatings()
    for key, value in ((ALICE, 1900.0), (BOB, 1800.0), (EVE, 1700.0)):
        rating = Rating(value=value, deviation=50, rated_at_ms=NOW_MS)
        ratings.standings[key.pubkey, Speed.BLITZ] = Standing(key.pubkey, Speed.BLITZ, rating, 20)

    ranked = Site(ratings=ratings, policy=HIDDEN).browser().get("/leaderboard/blitz", limit=limit)

    expected = [(1, BOB.pubkey), (2, EVE.pubkey)][: int(limit)]
    assert [(one["rank"], one["player"]["pubkey"]) for one in ranked.json["players"]] == expected


def test_games_of_who_is_hidden_are_in_no_list_and_at_their_own_address() -> None:
    played = after(a_game(), "e4 e5")
    other = replace(
        played, id="9" * 32, white=Seat(EVE.pubkey, "native"), black=Seat(BOB.pubkey, "native")
    )
    browser = Site(games=FakeGames(played, other), policy=HIDDEN).browser()

    assert [game["id"] for game in browser.get("/live").json["games"]] == [other.id]
    assert browser.get(f"/games/{played.id}").status == 200


def test_no_hot_seat_game_begins_while_closed_and_one_under_way_goes_on() -> None:
    site = Site()
    browser = site.browser()
    begun = browser.new_game()
    site.policy = ruled_by(Policy(closed=Closing(NOW_MS, "back at nine")))
    browser = site.browser()

    refused = browser.ask("POST", "/new-game")
    moved = replace(browser, id=begun.id).move("e2e4")

    assert (refused.status, refused.json) == (503, {"error": "back at nine"})
    assert moved.status == 200


def test_the_relay_says_why_it_is_closed_and_which_vacation_there_is() -> None:
    closed = ruled_by(Policy(closed=Closing(NOW_MS, "back at nine"), vacation_days=30))
    site = Site(relay_information={"name": "Arbiter"}, policy=closed)

    document = site.browser().ask("GET", "/", headers={"accept": "application/nostr+json"})

    said = {"closed": "back at nine", "vacation_days": 30}
    assert document.json == {"name": "Arbiter", **said}
