"""Ratings computed again, on each table."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.table import Table
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.intake.queue_messages import parse
from arbiter.application.play.ratings import rate_game
from arbiter.application.ports import LobbyChange
from arbiter.application.re_rating import rate_anew
from arbiter.application.records import RatingToTell
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.game import Outcome, Seat, Termination
from arbiter.core.policy import Policy, PolicyCommand, changed, pair_of
from arbiter.core.ratings import Standing
from server.settings import read_settings
from server.wiring import make_parts
from tests.application.random_evening import empty_table
from tests.builders import NOW_MS, SERVER, a_game
from tests.builders import after as played
from tests.fakes.clock import FakeClock
from tests.fakes.queue import FakeRepublishQueue

A, B, C, D = ("a1" * 32, "b2" * 32, "c3" * 32, "d4" * 32)
PLAYED = [(A, B, "1-0"), (B, C, "1-0"), (C, A, "0-1"), (A, B, "1/2-1/2"), (C, D, "0-1")]
WINNERS = {"1-0": True, "0-1": False, "1/2-1/2": None}


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


def rate(ratings: StoredRatings, number: int) -> None:
    white, black, result = PLAYED[number]
    id_, at_ms = f"{number:032x}", NOW_MS + number * 1000
    rate_game(ratings, id_, Speed.BLITZ, white, black, result, 40, at_ms)


def store_games(table: Table) -> None:
    lobby = StoredLobby(table, FakeClock(NOW_MS))
    for number, (white, black, result) in enumerate(PLAYED):
        at_ms = NOW_MS + number * 1000
        over = replace(
            played(a_game(), "e4 e5"),
            id=f"{number:032x}",
            white=Seat(white, "native"),
            black=Seat(black, "native"),
            outcome=Outcome(Termination.RESIGNATION, WINNERS[result]),
            changed_at_ms=at_ms,
            ended_at_ms=at_ms,
        )
        assert lobby.commit(LobbyChange(game=over))


def test_void_games_no_longer_count_and_count_again(table: Table) -> None:
    games, ratings, queue = StoredGames(table), StoredRatings(table), FakeRepublishQueue()
    store_games(table)
    for number in range(len(PLAYED)):
        rate(ratings, number)
    all_of_them = {key: ratings.standing(key, Speed.BLITZ) for key in (A, B, C, D)}
    void = Policy(void_pairs=frozenset({pair_of(A, B)}), void_keys=frozenset({D}))

    changed = rate_anew(games, ratings, queue, void)

    with empty_table("dynamodb") as another:
        expected = StoredRatings(another)
        for number in (1, 2):
            rate(expected, number)
        for key in (A, B, C, D):
            assert ratings.standing(key, Speed.BLITZ) == expected.standing(key, Speed.BLITZ)
    assert changed == 4
    told = {one.player for one in map(parse, queue.bodies) if isinstance(one, RatingToTell)}
    assert told == {A, B, C, D}
    assert rate_anew(games, ratings, queue, void) == 0, "the second time nothing changes"
    assert rate_anew(games, ratings, queue, Policy()) == 4
    assert all_of_them == {key: ratings.standing(key, Speed.BLITZ) for key in (A, B, C, D)}


def test_a_game_that_is_rated_meanwhile_is_not_lost(table: Table) -> None:
    games, ratings, queue = StoredGames(table), StoredRatings(table), FakeRepublishQueue()
    store_games(table)
    for number in range(4):
        rate(ratings, number)
    late = [4]

    class Meanwhile(StoredRatings):
        def replace(self, before: Standing, after: Standing) -> bool:
            while late:
                rate(ratings, late.pop())
            return super().replace(before, after)

    rate_anew(games, Meanwhile(table), queue, Policy(void_pairs=frozenset({pair_of(A, B)})))

    assert ratings.standing(D, Speed.BLITZ).games == 1
    assert ratings.standing(C, Speed.BLITZ).games == 3


@pytest.mark.parametrize(("later_ms", "is_void"), [(1000, True), (2 * DAY_MS, False)])
async def test_ratings_are_computed_at_a_start_soon_after_games_were_made_void(
    tmp_path: Path, later_ms: int, *, is_void: bool
) -> None:
    """The process that said so may have died before it had computed them."""
    store = Store.open(tmp_path / "arbiter.sqlite3")
    table = SqliteTable(store)
    ratings, policies = StoredRatings(table), StoredPolicy(table)
    store_games(table)
    rate(ratings, 0)
    before, void = Policy(), PolicyCommand(word="void", keys=(A,))
    after = changed(before, void, NOW_MS, "operator")
    assert isinstance(after, Policy)
    assert policies.commit(before, after)

    parts = make_parts(read_settings({}, {}), SERVER, store, FakeClock(NOW_MS + later_ms))
    parts.finish_rating()
    for thread in threading.enumerate():
        if thread.name == "rating":
            thread.join()

    assert ratings.standing(A, Speed.BLITZ).games == (0 if is_void else 1)
    store.close()
