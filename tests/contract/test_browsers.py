"""What every implementation of ``Browsers`` does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import uuid4

import pytest

from arbiter.adapters.dynamodb.browsers import DynamoDbBrowsers
from arbiter.adapters.sqlite.browsers import SqliteBrowsers
from arbiter.adapters.sqlite.games import SqliteGames
from arbiter.application.ports import Browsers
from arbiter.core.game import Game
from tests.builders import a_game
from tests.contract.candidates import TABLES, Store
from tests.contract.race import race
from tests.contract.sqlite_file import SqliteFile
from tests.fakes.browsers import FakeBrowsers
from tests.fakes.games import FakeGames


@dataclass(frozen=True)
class Kept:
    """Browsers, and the store that their games stand in."""

    browsers: Browsers
    store: Store


@pytest.fixture
def kept(store: Store, sqlite_file: SqliteFile) -> Kept:
    if isinstance(store.games, FakeGames):
        return Kept(FakeBrowsers(store.games), store)
    if isinstance(store.games, SqliteGames):
        return Kept(SqliteBrowsers(sqlite_file.opened), store)
    return Kept(DynamoDbBrowsers(lambda: store.client, store.table), store)


def new() -> Game:
    return replace(a_game(), id=uuid4().hex)


def test_a_browser_that_started_nothing_has_no_game(kept: Kept) -> None:
    assert kept.browsers.game_of(uuid4().hex) is None


@pytest.mark.parametrize("browser_id", ["", "x" * 5000, "\ud800", "g#", "\x00", "é🦄"])
def test_no_text_that_a_browser_sends_is_a_fault(kept: Kept, browser_id: str) -> None:
    assert kept.browsers.game_of(browser_id) is None


def test_a_game_is_found_again_by_the_browser_that_started_it(kept: Kept) -> None:
    mine, game = uuid4().hex, new()

    assert kept.browsers.start(mine, game)

    assert kept.browsers.game_of(mine) == game.id
    assert kept.store.games.load(game.id) == game


def test_a_browser_id_that_is_taken_starts_nothing(kept: Kept) -> None:
    mine, first, second = uuid4().hex, new(), new()
    kept.browsers.start(mine, first)

    assert not kept.browsers.start(mine, second)

    assert kept.browsers.game_of(mine) == first.id
    assert kept.store.games.load(second.id) is None


def test_of_two_that_take_a_browser_id_at_once_one_gets_it(kept: Kept) -> None:
    mine, games = uuid4().hex, (new(), new())
    got: dict[int, bool] = {}

    def start(at: int) -> None:
        got[at] = kept.browsers.start(mine, games[at])

    race(lambda: start(0), lambda: start(1))

    assert sorted(got.values()) == [False, True]
    winner = 0 if got[0] else 1
    assert kept.browsers.game_of(mine) == games[winner].id
    assert kept.store.games.load(games[1 - winner].id) is None


@pytest.mark.parametrize("store", ["sqlite", *TABLES], indirect=True)
def test_a_start_whose_answer_was_lost_finds_itself(kept: Kept) -> None:
    """The second try of one request, as botocore makes it."""
    mine, game = uuid4().hex, new()
    kept.browsers.start(mine, game)

    assert kept.browsers.start(mine, game)


@pytest.mark.parametrize("store", ["sqlite", *TABLES], indirect=True)
def test_the_table_never_holds_a_browser_id(kept: Kept, tables: Callable[[str], Store]) -> None:
    del tables
    mine, game = uuid4().hex, new()
    kept.browsers.start(mine, game)

    items = kept.store.client.scan(TableName=kept.store.table)["Items"]

    assert any(item.get("g", {}).get("B") == bytes.fromhex(game.id) for item in items)
    assert mine not in repr(items)
