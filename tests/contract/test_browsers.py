from dataclasses import dataclass, replace
from uuid import uuid4

import pytest

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_lobby import StoredBrowsers
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import Browsers
from arbiter.core.game import Game
from tests.builders import a_game
from tests.contract.candidates import TABLES, Store
from tests.contract.race import race
from tests.contract.sqlite_file import Items, SqliteFile
from tests.fakes.stores import FakeBrowsers, FakeGames


@dataclass(frozen=True)
class Kept:
    """Browsers, and the store that their games stand in."""

    browsers: Browsers
    store: Store


@pytest.fixture
def kept(store: Store, sqlite_file: SqliteFile) -> Kept:
    if isinstance(store.games, FakeGames):
        return Kept(FakeBrowsers(store.games), store)
    if isinstance(store.client, Items):
        return Kept(StoredBrowsers(SqliteTable(sqlite_file.opened)), store)
    return Kept(StoredBrowsers(DynamoDbTable(lambda: store.client, store.table)), store)


def new() -> Game:
    return replace(a_game(), id=uuid4().hex)


def test_no_other_text_than_the_id_of_a_browser_that_started_a_game_finds_one(kept: Kept) -> None:
    for browser_id in (uuid4().hex, "", "x" * 5000, "\ud800", "g#", "\x00", "é🦄"):
        assert kept.browsers.game_of(browser_id) is None


def test_a_browser_finds_the_game_it_started_and_starts_no_second_one(kept: Kept) -> None:
    mine, first, second = uuid4().hex, new(), new()

    assert kept.browsers.start(mine, first)
    assert not kept.browsers.start(mine, second)

    assert kept.browsers.game_of(mine) == first.id
    assert kept.store.games.load(first.id) == first
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
def test_a_start_tried_again_finds_itself_and_no_table_holds_a_browser_id(kept: Kept) -> None:
    mine, game = uuid4().hex, new()
    for _ in range(2):
        assert kept.browsers.start(mine, game)

    items = kept.store.client.scan(TableName=kept.store.table)["Items"]

    assert any(item.get("g", {}).get("B") == bytes.fromhex(game.id) for item in items)
    assert mine not in repr(items)
