"""Players, pools and challenges in SQLite, among the same items as the games."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace

from arbiter.adapters.dynamodb.game_items import item_of_game
from arbiter.adapters.dynamodb.items import Item, log_conflict
from arbiter.adapters.dynamodb.lobby_items import (
    challenge_key,
    challenge_of_item,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_key,
    player_of_item,
    pool_key,
    pool_of_item,
)
from arbiter.adapters.sqlite.items import change, delete, exists, find, has_version, put
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import keep_timer
from arbiter.application.ports import Clock, LobbyChange
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge


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
