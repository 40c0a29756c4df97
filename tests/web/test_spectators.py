"""The number of spectators: sockets of our gateway that follow a game, its players' apart."""

from dataclasses import replace
from itertools import count

import pytest

from arbiter.application.connections import Connection, Subscriber
from arbiter.application.gateway.subscriptions import topics_of_filters
from arbiter.application.queries import MAX_SPECTATORS
from arbiter.core.game import Game, Seat
from arbiter.nostr.filters import Filter
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game
from tests.fakes.connections import FakeConnections
from tests.fakes.stores import FakeGames
from tests.web.browser import Answer, Site
from tests.web.test_app import problem
from tests.web.test_openapi import breaches

GAME = a_game()
STATES = (20302, 64)
FOLLOWS = Filter(kinds=STATES, tags={"d": (GAME.id,)})
NAMES = Filter(kinds=(0,), authors=(ALICE.pubkey, BOB.pubkey))
RATINGS = Filter(kinds=(30300,), tags={"p": (ALICE.pubkey, BOB.pubkey)})
PLAYS = Filter(kinds=STATES, tags={"p": (ALICE.pubkey,)})
NOTES_OF_A_PLAYER_S_GAME = Filter(kinds=(64,), tags={"d": (GAME.id,), "p": (BOB.pubkey,)})


class Gateway:
    """Sockets with subscriptions, filed as the gateway files them."""

    def __init__(self) -> None:
        self.connections = FakeConnections()
        self._ids = count()

    def opens(self, *subscriptions: tuple[Filter, ...]) -> str:
        """A socket with these subscriptions; its id."""
        id_ = f"socket {next(self._ids)}"
        opened = Connection(id=id_, address="192.0.2.7", challenge="c", opened_at_ms=NOW_MS)
        self.connections.add(opened, NOW_MS)
        for number, filters in enumerate(subscriptions):
            filed = Subscriber(id_, f"sub:{number}", filters)
            self.connections.subscribe(id_, filed, topics_of_filters(filters), NOW_MS)
        return id_

    def ask(self, game: Game = GAME) -> Answer:
        """The API's answer about this game."""
        site = Site(FakeGames(game), connections=self.connections)
        answer = site.browser().get(f"/games/{game.id}/spectators")
        assert not breaches("/games/{id}/spectators", "GET", answer)
        return answer

    def count(self, game: Game = GAME) -> int:
        counted: int = self.ask(game).json["spectators"]
        return counted


def test_no_one_watches_a_game_that_no_socket_follows() -> None:
    gateway = Gateway()
    gateway.opens((replace(FOLLOWS, tags={"d": ("f" * 32,)}),))
    gateway.opens((Filter(kinds=STATES),), (NAMES, RATINGS))

    assert gateway.count() == 0


def test_each_socket_counts_once_however_many_subscriptions_it_has() -> None:
    gateway = Gateway()
    gateway.opens((FOLLOWS, replace(FOLLOWS, kinds=(20306,))), (FOLLOWS,))
    gone = gateway.opens((FOLLOWS,))

    assert gateway.count() == 2
    gateway.connections.remove(gone)
    assert gateway.count() == 1


def test_players_who_follow_their_own_game_are_no_spectators() -> None:
    gateway = Gateway()
    gateway.opens((PLAYS,), (FOLLOWS,), (NAMES, RATINGS))
    gateway.opens((FOLLOWS,), (Filter(tags={"p": (EVE.pubkey, BOB.pubkey)}),))
    gateway.opens((PLAYS,))

    assert gateway.count() == 0


def test_who_reads_the_players_ratings_or_plays_elsewhere_still_watches() -> None:
    gateway = Gateway()
    gateway.opens((FOLLOWS,), (NAMES, RATINGS))
    gateway.opens((FOLLOWS,), (replace(PLAYS, tags={"p": (EVE.pubkey,)}),))
    gateway.opens((NOTES_OF_A_PLAYER_S_GAME,))
    # Filed under a player for the ratings; only the other filter wants something else.
    gateway.opens((FOLLOWS,), (RATINGS, replace(PLAYS, tags={"p": (EVE.pubkey,)})))

    assert gateway.count() == 4


def test_a_hundred_are_counted_and_no_more() -> None:
    gateway = Gateway()
    for _ in range(3):
        gateway.opens((PLAYS,), (FOLLOWS,))
    for _ in range(MAX_SPECTATORS - 1):
        gateway.opens((FOLLOWS,))

    assert gateway.count() == MAX_SPECTATORS - 1
    gateway.opens((FOLLOWS,))
    assert gateway.count() == MAX_SPECTATORS
    gateway.opens((FOLLOWS,))
    assert gateway.count() == MAX_SPECTATORS


def test_players_at_one_browser_have_no_socket_to_leave_out() -> None:
    gateway = Gateway()
    white, black = Seat(ALICE.pubkey, "hot_seat"), Seat(BOB.pubkey, "hot_seat")
    at_a_browser = replace(GAME, white=white, black=black)
    gateway.opens((FOLLOWS,), (PLAYS,))

    assert gateway.count(at_a_browser) == 1


def test_the_count_is_cached_for_ten_seconds() -> None:
    gateway = Gateway()
    gateway.opens((FOLLOWS,))

    answer = gateway.ask()

    assert answer.headers["Cache-Control"] == "public, max-age=10"
    site = Site(FakeGames(GAME), connections=gateway.connections)
    asked = f"/games/{GAME.id}/spectators"
    known = {"if-none-match": answer.headers["ETag"]}
    assert site.browser().ask("GET", asked, headers=known).status == 304
    gateway.opens((FOLLOWS,))
    assert site.browser().ask("GET", asked, headers=known).json == {"spectators": 2}


def test_an_arbiter_without_a_gateway_does_not_know() -> None:
    answer = Site(FakeGames(GAME)).browser().get(f"/games/{GAME.id}/spectators")

    assert (answer.status, answer.json) == (200, {"spectators": None})
    assert not breaches("/games/{id}/spectators", "GET", answer)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("f" * 32, (404, "Not Found")), ("x", (400, "Bad Request")), ("%00", (400, "Bad Request"))],
)
def test_what_is_no_game_has_no_spectators(name: str, expected: tuple[int, str]) -> None:
    site = Site(FakeGames(GAME), connections=FakeConnections())

    assert problem(site.browser().get(f"/games/{name}/spectators")) == expected
