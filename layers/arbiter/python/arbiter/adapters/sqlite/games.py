"""Games, the lobby and relay outages in SQLite: the items of DynamoDB, and one conditional write a
change. A browser's item has only a hash of its id, because the id is a password.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from arbiter.adapters.items.attributes import Item, log_conflict
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import (
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.items.lobby import (
    browser_key,
    challenge_key,
    challenge_of_item,
    game_id_of_browser,
    item_of_browser,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_key,
    player_of_item,
    pool_key,
    pool_of_item,
)
from arbiter.adapters.items.outages import KEY, item_of_uptime, uptime_of_item
from arbiter.adapters.sqlite.items import change, delete, exists, find, has_version, put
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.application.ports import Clock, Committed, Conflict, LobbyChange
from arbiter.core.game import Game, is_game_id
from arbiter.core.outages import FOR_GOOD_MS, RelayUptime
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge


class SqliteGames:
    """The games of one file. All methods raise StoreError."""

    def __init__(self, store: Store, cache: GameCache | None = None) -> None:
        """``cache`` is used by nothing else."""
        self._store = store
        self._cache = cache or GameCache()

    def load(self, game_id: str) -> Game | None:
        """The game as last committed, or None, also for what is no id."""
        if not is_game_id(game_id):
            return None
        item = self._store.read(lambda cursor: find(cursor, game_key(game_id)))
        return self._cache.take(item) or game_of_item(item) if item else None

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        """Each of these games."""
        return {game_id: self.load(game_id) for game_id in game_ids}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The players of each of these games, empty for an unknown one. Raises ValueError for an
        invalid id.
        """
        keys = {game_id: game_key(game_id) for game_id in game_ids}

        def players(cursor: sqlite3.Cursor) -> Mapping[str, frozenset[str]]:
            found = {game_id: find(cursor, key) for game_id, key in keys.items()}
            return {
                game_id: players_of_item(item)[1] if item else frozenset()
                for game_id, item in found.items()
            }

        return self._store.read(players)

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write what changed, and the game's timer, if the stored version is still ``before``'s.
        Raises ValueError unless the two are one version of one game apart.
        """
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        old, new = self._cache.item_of(before), item_of_game(after)

        def commit(cursor: sqlite3.Cursor) -> tuple[bool, Item | None]:
            stored = find(cursor, new)
            if stored is None or not has_version(stored, before.item_version):
                return False, stored
            if after.timer_at_ms != before.timer_at_ms:
                keep_timer(cursor, after)
            return True, change(cursor, stored, old, new)

        is_written, stored = self._store.write(commit)
        if not is_written:
            log_conflict("game", after.id)
            return Conflict(game_of_item(stored) if stored else None)
        if stored:
            self._cache.keep(new, after)
        return Committed()


class SqliteBrowsers:
    """The browsers of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def game_of(self, browser_id: str) -> str | None:
        """The id of this browser's game, or None."""
        item = self._store.read(lambda cursor: find(cursor, browser_key(browser_id)))
        return game_id_of_browser(item) if item else None

    def start(self, browser_id: str, game: Game) -> bool:
        """Write game and browser together; False if the browser id is taken by another game."""
        browser, new = item_of_browser(browser_id, game.id), item_of_game(game)

        def start(cursor: sqlite3.Cursor) -> bool:
            if stored := find(cursor, browser):
                return game_id_of_browser(stored) == game.id
            if exists(cursor, new):
                return False
            put(cursor, browser)
            put(cursor, new)
            keep_timer(cursor, game)
            return True

        return self._store.write(start)


class SqliteLobby:
    """The lobby of one file. All methods raise StoreError."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """``clock`` is for the expiry of players' items."""
        self._store = store
        self._clock = clock

    def player(self, player_id: str) -> Player:
        """The player; version 0 if unknown."""
        item = self._find(player_key(player_id))
        return player_of_item(item) if item else Player(player_id)

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        """Each of these players."""
        return {player_id: self.player(player_id) for player_id in player_ids}

    def pool(self, name: str) -> Pool:
        """The pool; empty and of version 0 if unknown."""
        item = self._find(pool_key(name))
        return pool_of_item(item) if item else Pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        """The challenge, or None."""
        item = self._find(challenge_key(challenge_id))
        return challenge_of_item(item) if item else None

    def commit(self, change: LobbyChange) -> bool:
        """The whole change, or nothing: False if a version changed or the game exists. Raises
        ValueError for a player given twice.
        """
        if len({was.id for was, _ in change.players}) < len(change.players):
            raise ValueError("a change may name a player once")
        if change == LobbyChange():
            return True
        updates = [*_updates(change, self._clock.now_ms())]
        if not self._store.write(lambda cursor: _commit(cursor, change, updates)):
            log_conflict("lobby")
            return False
        return True

    def _find(self, key: Item) -> Item | None:
        return self._store.read(lambda cursor: find(cursor, key))


_Update = tuple[int, Item, Item]
"""The version that must be stored, the item before and the item after."""


def _commit(cursor: sqlite3.Cursor, it: LobbyChange, updates: list[_Update]) -> bool:
    stored = [find(cursor, after) for _, _, after in updates]
    has_moved = any(
        not has_version(found, version)
        for found, (version, _, _) in zip(stored, updates, strict=True)
    )
    made = [item_of_challenge(after) for _, after in it.challenges if after]
    gone = [challenge_key(was.id) for was, after in it.challenges if was and not after]
    made += map(item_of_game, it.new_games)
    if (
        has_moved
        or any(exists(cursor, item) for item in made)
        or not all(exists(cursor, key) for key in gone)
    ):
        return False
    for found, (_, before, after) in zip(stored, updates, strict=True):
        change(cursor, found, before, after)
    for item in made:
        put(cursor, item)
    for key in gone:
        delete(cursor, key)
    for game in it.new_games:
        keep_timer(cursor, game)
    return True


def _updates(it: LobbyChange, now_ms: int) -> Iterator[_Update]:
    for pool, pool_after in it.pools:
        stamped = replace(pool_after, item_version=pool.item_version + 1)
        yield pool.item_version, item_of_pool(pool), item_of_pool(stamped)
    for was, becomes in it.players:
        player = replace(becomes, item_version=was.item_version + 1)
        # The old item's expiry is unknown: any other date makes a renewal a change.
        yield was.item_version, item_of_player(was, 0), item_of_player(player, now_ms)
    if it.finished:
        game, ended = it.finished
        yield game.item_version, item_of_game(game), item_of_game(ended)


class SqliteOutages:
    """The outages of one file. All methods raise StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def uptime(self) -> RelayUptime | None:
        """The uptime; None before the first heartbeat."""
        item = self._store.read(lambda cursor: find(cursor, KEY))
        return uptime_of_item(item) if item else None

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        """A relay is connected now."""
        self._store.write(lambda cursor: _report_connected(cursor, now_ms, active_until_ms))


def _report_connected(cursor: sqlite3.Cursor, now_ms: int, active_until_ms: int) -> None:
    stored = find(cursor, KEY)
    before = uptime_of_item(stored) if stored else None
    after = RelayUptime(now_ms, active_until_ms=active_until_ms)
    if before:
        after = before.after_report(now_ms, active_until_ms)
    if before != after:
        old = item_of_uptime(before) if before else {}
        change(cursor, stored, old, item_of_uptime(after))
