"""Ratings computed again, on each table."""

import io
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from arbiter.application.queries import GameWithRatings, pgn_of
from arbiter.application.re_rating import rate_anew
from arbiter.application.records import RatingToTell
from arbiter.core.clocks import DAY_MS, Speed
from arbiter.core.game import Outcome, Seat, Termination
from arbiter.core.policy import Policy, PolicyCommand, changed, pair_of
from arbiter.core.ratings import Standing
from server.settings import read_settings
from server.wiring import make_parts
from tests.application.random_evening import empty_table
from tests.builders import NOW_MS, SERVER, a_game, after
from tests.fakes.clock import FakeClock
from tests.fakes.queue import FakeRepublishQueue

A, B, C, D = KEYS = ("a1" * 32, "b2" * 32, "c3" * 32, "d4" * 32)
PLAYED = [(A, B, "1-0"), (B, C, "1-0"), (C, A, "0-1"), (A, B, "1/2-1/2"), (C, D, "0-1")]
Played = tuple[str, str, str]
"""White, Black and the result."""
WINNERS = {"1-0": True, "0-1": False, "1/2-1/2": None}


@pytest.fixture(params=("sqlite", "dynamodb"))
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with empty_table(request.param) as table:
        yield table


def rate(ratings: StoredRatings, number: int, played: Sequence[Played] = PLAYED) -> None:
    white, black, result = played[number]
    id_, at_ms = f"{number:032x}", NOW_MS + number * 1000
    rate_game(ratings, id_, Speed.BLITZ, white, black, result, 40, at_ms)


def store_games(table: Table, played: Sequence[Played] = PLAYED) -> None:
    lobby = StoredLobby(table, FakeClock(NOW_MS))
    for number, (white, black, result) in enumerate(played):
        at_ms = NOW_MS + number * 1000
        over = replace(
            after(a_game(), "e4 e5"),
            id=f"{number:032x}",
            white=Seat(white, "native"),
            black=Seat(black, "native"),
            outcome=Outcome(Termination.RESIGNATION, WINNERS[result]),
            changed_at_ms=at_ms,
            ended_at_ms=at_ms,
        )
        assert lobby.commit(LobbyChange(game=over))


def noted(games: StoredGames, number: int) -> Played:
    """White, Black and the result, as the game's note has them."""
    game = games.load(f"{number:032x}")
    assert game is not None
    headers = chess.pgn.read_headers(io.StringIO(pgn_of(GameWithRatings(game), SERVER.pubkey)))
    assert headers is not None
    return headers["White"], headers["Black"], headers["Result"]


@pytest.mark.parametrize("store", ["sqlite", "dynamodb"])
@settings(max_examples=15, deadline=None)
@given(
    played=st.lists(st.tuples(st.permutations(KEYS), st.sampled_from([*WINNERS])), max_size=12),
    void_keys=st.frozensets(st.sampled_from(KEYS), max_size=1),
    pairs=st.frozensets(st.permutations(KEYS).map(lambda it: pair_of(*it[:2])), max_size=2),
)
def test_void_games_no_longer_count_and_count_again(
    store: str,
    played: list[tuple[list[str], str]],
    void_keys: frozenset[str],
    pairs: frozenset[tuple[str, str]],
) -> None:
    """As if they had never been played, by a computation from the notes of the others."""
    games_played = [(white, black, result) for (white, black, *_), result in played]
    void = Policy(void_keys=void_keys, void_pairs=pairs)
    with empty_table(store) as table, empty_table("dynamodb") as another:
        games, ratings, queue = StoredGames(table), StoredRatings(table), FakeRepublishQueue()
        expected = StoredRatings(another)
        store_games(table, games_played)
        for number in range(len(played)):
            rate(ratings, number, games_played)
            white, black, _ = noted(games, number)
            if not {white, black} & void_keys and pair_of(white, black) not in pairs:
                rate(expected, number, [noted(games, it) for it in range(len(played))])
        before = {key: ratings.standing(key, Speed.BLITZ) for key in KEYS}
        after_it = {key: expected.standing(key, Speed.BLITZ) for key in KEYS}
        others = {key for key in KEYS if before[key] != after_it[key]}

        assert rate_anew(games, ratings, queue, void) == len(others)

        assert {key: ratings.standing(key, Speed.BLITZ) for key in KEYS} == after_it
        told = {one.player for one in map(parse, queue.bodies) if isinstance(one, RatingToTell)}
        assert told == others
        assert rate_anew(games, ratings, queue, void) == 0, "the second time nothing changes"
        assert rate_anew(games, ratings, queue, Policy()) == len(others)
        assert {key: ratings.standing(key, Speed.BLITZ) for key in KEYS} == before


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
    told = changed(before, void, NOW_MS, "operator")
    assert isinstance(told, Policy)
    assert policies.commit(before, told)

    parts = make_parts(read_settings({}, {}), SERVER, store, FakeClock(NOW_MS + later_ms))
    parts.finish_rating()
    for thread in threading.enumerate():
        if thread.name == "rating":
            thread.join()

    assert ratings.standing(A, Speed.BLITZ).games == (0 if is_void else 1)
    store.close()
