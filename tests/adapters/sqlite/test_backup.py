"""A copy that is made while games go on opens as a file, and has all that was answered before."""

import stat
import threading
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.application.ports import Committed, LobbyChange
from arbiter.core.game import Game
from tests.builders import NOW_MS, a_game
from tests.contract.full_game import a_full_game
from tests.fakes.clock import FakeClock


def started(store: Store, game: Game) -> Game:
    game = replace(game, id=uuid4().hex)
    assert StoredLobby(SqliteTable(store), FakeClock(NOW_MS)).commit(LobbyChange(game=game))
    return game


def test_a_backup_that_is_made_while_games_go_on_is_restored(store: Store, tmp_path: Path) -> None:
    games, others = (
        StoredGames(SqliteTable(store)),
        [started(store, a_full_game(60)) for _ in range(50)],
    )
    played = [started(store, a_game())]
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            after = replace(played[-1], item_version=played[-1].item_version + 1)
            assert games.commit(played[-1], after) == Committed()
            played.append(after)

    thread = threading.Thread(target=play)
    thread.start()
    copies = []
    for number in range(5):
        copy, before = tmp_path / f"copy-{number}.db", len(played)
        store.backup(copy)
        copies.append((copy, before, len(played)))
    stop.set()
    thread.join()

    assert sorted(it.name for it in tmp_path.glob("copy*")) == [it.name for it, _, _ in copies]
    for copy, before, after in copies:
        with Store.open(copy) as restored:
            assert [StoredGames(SqliteTable(restored)).load(game.id) for game in others] == others
            game = StoredGames(SqliteTable(restored)).load(played[0].id)
            assert game in played[before - 1 : after + 1]
            assert game is not None
            next_one = replace(game, item_version=game.item_version + 1)
            assert StoredGames(SqliteTable(restored)).commit(game, next_one) == Committed()


def test_only_its_owner_can_read_a_backup(store: Store, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.touch(mode=0o644)

    store.backup(copy)

    assert stat.S_IMODE(copy.stat().st_mode) == 0o600


def test_a_backup_takes_the_place_of_an_older_one(store: Store, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    store.backup(copy)
    game = started(store, a_game())
    store.backup(copy)

    with Store.open(copy) as restored:
        assert StoredGames(SqliteTable(restored)).load(game.id) == game


def test_a_backup_that_cannot_be_made_leaves_the_older_one(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        store.backup(tmp_path / "nowhere" / "copy.db")
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder"):
        store.backup(tmp_path / "folder")

    assert sorted(it.name for it in tmp_path.glob("*.unfinished")) == []


def test_a_backup_is_never_written_over_a_file_that_is_open_or_was_not_closed(
    store: Store, path: Path
) -> None:
    game = started(store, a_game())

    with pytest.raises(StoreError, match="another name"):
        store.backup(path)

    assert StoredGames(SqliteTable(store)).load(game.id) == game
