"""The stores over a table in memory, under the same contract suite as DynamoDB's and SQLite's."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from threading import RLock
from typing import Any, TypeVar

from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import game_of_item, item_of_game
from arbiter.adapters.items.lobby import (
    challenge_of_item,
    item_of_challenge,
    item_of_player,
    item_of_pool,
    player_of_item,
    pool_of_item,
)
from arbiter.adapters.items.ratings import (
    item_of_rated_game,
    item_of_standing,
    rated_game_of_item,
    standing_of_item,
)
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.items.table import Update, Writes
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.ratings import Standing
from tests.fakes.clock import FakeClock
from tests.fakes.faults import Hook, quiet, with_points

V = TypeVar("V")


class MemoryTable:
    """As `items.table.Table`. Timers are kept elsewhere."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self._lock = RLock()

    def find(self, key: Item) -> Item | None:
        return self.items.get(key["pk"]["S"])

    def find_all(self, keys: Mapping[str, Item], only: str = "") -> Mapping[str, Item | None]:
        del only
        return {name: self.find(key) for name, key in keys.items()}

    def update(self, update: Update, timed: Game | None) -> tuple[bool, Item | None]:
        del timed
        stored = self.find(update[2])
        is_written = stored is not None and self.write(Writes(updates=[update]))
        return is_written, self.find(update[2])

    def write(self, writes: Writes) -> bool:
        made = [*writes.made, *map(item_of_game, writes.games)]
        with self._lock:
            if (
                any(self._version(after) != version for version, _, after in writes.updates)
                or any(map(self.find, made))
                or not all(map(self.find, writes.gone))
            ):
                return False
            for _, before, after in writes.updates:
                stored = self.find(after) or {}
                kept = {name: it for name, it in stored.items() if name not in before}
                self.put({**kept, **after})
            for item in made:
                self.put(item)
            for key in writes.gone:
                del self.items[key["pk"]["S"]]
        return True

    def begin_with(self, prefix: str) -> Iterator[Item]:
        return iter([item for pk, item in self.items.items() if pk.startswith(prefix)])

    def best(self, speed: Speed, limit: int, now_ms: int) -> tuple[Standing, ...]:
        ranked = [
            standing
            for standing in Standings(self).values()
            if standing.speed is speed and not standing.rating.is_provisional(now_ms)
        ]
        ranked.sort(key=lambda one: one.rating.value, reverse=True)
        return tuple(ranked[:limit])

    def put(self, item: Item) -> None:
        self.items[item["pk"]["S"]] = item

    def _version(self, key: Item) -> int:
        stored = self.find(key)
        return int(stored["v"]["N"]) if stored else 0


class View(MutableMapping[Any, V]):
    """The items of one sort as what they hold, by name, for tests that look past the port."""

    def __init__(
        self,
        table: MemoryTable,
        sort: str,
        value: Callable[[Item], V],
        item: Callable[[V], Item],
        name: Callable[[str], object] = str,
    ) -> None:
        self._table, self._sort, self._value, self._item = table, sort, value, item
        self._name = name

    def __getitem__(self, name: Any) -> V:
        return self._value(self._table.items[self._keys()[name]])

    def __setitem__(self, name: Any, value: V) -> None:
        self._table.put(self._item(value))

    def __delitem__(self, name: Any) -> None:
        del self._table.items[self._keys()[name]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._keys())

    def _keys(self) -> dict[Any, str]:
        keys = [pk for pk in self._table.items if pk.startswith(self._sort)]
        return {self._name(pk.removeprefix(self._sort)): pk for pk in keys}


def Standings(table: MemoryTable) -> View[Standing]:  # noqa: N802 - a view
    return View(
        table, "r#", standing_of_item, item_of_standing, lambda name: (*name.split("#", 1)[::-1],)
    )


@with_points("games")
class FakeGames(StoredGames):
    def __init__(self, *games: Game, hook: Hook = quiet) -> None:
        self.table, self.hook = MemoryTable(), hook
        super().__init__(self.table)
        self.by_id = View(self.table, "g#", game_of_item, item_of_game)
        for game in games:
            self.by_id[game.id] = game


@with_points("lobby")
class FakeLobby(StoredLobby):
    """The lobby beside the games that it starts."""

    def __init__(self, games: FakeGames, hook: Hook = quiet) -> None:
        self.hook = hook
        super().__init__(games.table, FakeClock(0))
        self.players = View(
            games.table, "p#", player_of_item, lambda player: item_of_player(player, 0)
        )
        self.pools = View(games.table, "q#", pool_of_item, item_of_pool)
        self.challenges = View(games.table, "c#", challenge_of_item, item_of_challenge)


@with_points("ratings")
class FakeRatings(StoredRatings):
    def __init__(self, *standings: Standing, hook: Hook = quiet) -> None:
        self.table, self.hook = MemoryTable(), hook
        super().__init__(self.table)
        self.standings = Standings(self.table)
        self.games = View(self.table, "rated#", rated_game_of_item, item_of_rated_game)
        for one in standings:
            self.standings[one.player, one.speed] = one


@with_points("tournaments")
class FakeTournaments(StoredTournaments):
    """The tournaments beside their games."""

    def __init__(self, games: FakeGames, hook: Hook = quiet) -> None:
        self.hook = hook
        super().__init__(games.table)


class FakeBrowsers(StoredBrowsers):
    """Starts its games among those of ``games``."""

    def __init__(self, games: FakeGames) -> None:
        super().__init__(games.table)
        self._items = games.table.items

    @property
    def taken(self) -> frozenset[str]:
        """The browsers that hold a game."""
        return frozenset(pk for pk in self._items if pk.startswith("b#"))
