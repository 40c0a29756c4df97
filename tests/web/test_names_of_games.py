"""A game of kind 30 is found by the id of the start event with which its players know it."""

from dataclasses import replace

import pytest

from arbiter.dialects.jester import wire as jester
from arbiter.nostr.nip19 import encode_jester, encode_npub
from tests.application.jester_player import JesterPlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, a_game, after
from tests.fakes.stores import FakeGames
from tests.web.browser import Site
from tests.web.test_game_page import Read

START = "5f" * 32
OF_KIND_30 = replace(after(a_game(), "e4 e5"), id=jester.game_id(START))


@pytest.mark.parametrize(
    "name", [OF_KIND_30.id, START, encode_jester(START), encode_jester(START).upper()]
)
def test_a_game_of_kind_30_has_a_page_under_each_of_its_names(name: str) -> None:
    answer = Site(games=FakeGames(OF_KIND_30)).browser().get(f"/g/{name}")

    assert answer.status == 200
    assert f"/g/{OF_KIND_30.id}" in str(Read(answer.body).meta()["og:url"])


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("6f" * 32, 404),
        (encode_jester("6f" * 32), 404),
        # No other game has its id in a start's place.
        (OF_KIND_30.id * 2, 404),
        (OF_KIND_30.id + "0" * 32, 404),
        *((START.upper(), 400), (START[1:], 400), (encode_jester(START)[:-1] + "b", 400)),
        *((encode_npub(START), 400), ("jester1", 400), ("jester1" + "q" * 10_000, 400)),
    ],
)
def test_a_name_of_no_game_here_is_a_problem(name: str, status: int) -> None:
    browser = Site(games=FakeGames(OF_KIND_30)).browser()

    assert browser.get(f"/g/{name}").status == status


@pytest.mark.parametrize("way", ["", ".pgn", "/board.svg", "/spectators"])
def test_whatever_is_told_of_a_game_answers_to_the_names_of_kind_30(way: str) -> None:
    browser = Site(games=FakeGames(OF_KIND_30)).browser()
    by_id = browser.get(f"/games/{OF_KIND_30.id}{way}")

    for name in (START, encode_jester(START)):
        assert browser.get(f"/games/{name}{way}").body == by_id.body


def test_a_game_with_an_opponent_of_the_arbiter_is_found_by_each_start() -> None:
    world = World()
    alice, bob = JesterPlayer(world, ALICE), JesterPlayer(world, BOB, "black")
    site = Site(games=world.games, lobby=world.lobby).browser()

    alice.connect()
    assert site.get(f"/g/{alice.start}").status == 404
    bob.connect()

    for start in (alice.start, bob.start):
        found = site.get(f"/games/{encode_jester(start)}")
        assert found.json["id"] == alice.game.id
