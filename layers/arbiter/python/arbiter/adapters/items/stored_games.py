"""Games as items of a table. Invariant: a move costs one strongly consistent read and one
conditional write of one item; a refused commit gets the stored item with its refusal.

botocore retries a call without an answer, and finds a new version if the first was written: the
stored game then remembers the event. A lobby is read again and remembers the request too.
"""

from collections.abc import Collection, Mapping

from arbiter.adapters.items.attributes import Item, log_conflict
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.games import (
    PLAYERS,
    game_key,
    game_of_item,
    item_of_game,
    players_of_item,
)
from arbiter.adapters.items.table import Table
from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game, is_game_id


class StoredGames:
    """The games of one table. All methods raise its errors."""

    def __init__(self, table: Table, cache: GameCache | None = None) -> None:
        self._table = table
        self._cache = cache or GameCache()

    def load(self, game_id: str) -> Game | None:
        """The game as last committed, or None; an invalid id costs no read."""
        if not is_game_id(game_id):
            return None
        item = self._table.find(game_key(game_id))
        return self._game(item) if item else None

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        """Each of these games that could be read now. Raises ValueError for an invalid id."""
        found = self._table.find_all({game_id: game_key(game_id) for game_id in game_ids})
        return {game_id: self._game(item) if item else None for game_id, item in found.items()}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        """The players of each game that could be read now. ValueError as above."""
        keys = {game_id: game_key(game_id) for game_id in game_ids}
        return {
            game_id: players_of_item(item)[1] if item else frozenset()
            for game_id, item in self._table.find_all(keys, PLAYERS).items()
        }

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """Write what changed, if ``before``'s version is stored. ValueError if misused."""
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        item_before = self._cache.item_of(before)
        item = item_of_game(after, (before, item_before))
        update = (before.item_version, item_before, item)
        timed = after if after.timer_at_ms != before.timer_at_ms else None
        is_written, stored = self._table.update(update, timed)
        if not is_written:
            log_conflict("game", after.id)
            return Conflict(game_of_item(stored) if stored else None)
        self._cache.keep(item, after)
        return Committed()

    def _game(self, item: Item) -> Game:
        return self._cache.take(item) or game_of_item(item)
