"""Games packed as in DynamoDB, without botocore and network, so that CPU time measured here is our
code's; and a table that counts what it would charge, in its units.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.prices import read_units, write_units
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge
from tests.application.world import World
from tests.fakes.stores import FakeLobby

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient


class PackedGames:
    """The port as on AWS, before the table of this world, which its lobby writes too."""

    def __init__(self, world: World) -> None:
        self.items = world.games.table.items
        client = cast("DynamoDBClient", TableInMemory(self.items))
        self._games = StoredGames(DynamoDbTable(lambda: client, "games"))
        world.deps = replace(world.deps, games=self)

    def load(self, game_id: str) -> Game | None:
        return self._games.load(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        return self._games.load_all(game_ids)

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        return self._games.commit(before, after)


class TableInMemory:
    """Of botocore's client the two calls that a move makes, without botocore."""

    def __init__(self, items: dict[str, Item]) -> None:
        self._items = items

    def get_item(self, **asked: Any) -> Item:  # noqa: ANN401 - as botocore has it
        item = self._items.get(asked["Key"]["pk"]["S"])
        return {"Item": dict(item)} if item else {}

    def update_item(self, **asked: Any) -> Item:  # noqa: ANN401 - as botocore has it
        """Do what `update_of` asks. KeyError or AssertionError where a benchmark went wrong."""
        pk, values = asked["Key"]["pk"]["S"], dict(asked["ExpressionAttributeValues"])
        item = dict(self._items[pk])
        if values.pop(":version") != item["v"]:
            raise AssertionError("the table has another version")
        for name in asked["ExpressionAttributeNames"].values():
            item.pop(name, None)
        self._items[pk] = item | {name[1:]: value for name, value in values.items()}
        return {}


def item_bytes(item: Item) -> int:
    """The bytes that DynamoDB charges an item for (its CapacityUnitCalculations)."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Item) -> int:
    """Bytes of one attribute's value; numbers by the upper end of what AWS says of them."""
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            return (len(Decimal(content).normalize().as_tuple().digits) + 1) // 2 + 1
        case "BOOL":
            return 1
        case "L":
            return 3 + sum(1 + _value_bytes(each) for each in content)
        case "M":
            return 3 + len(content) + item_bytes(content)
        case _:
            raise ValueError(kind)


class CountedTable:
    """Games and lobby of one world, counted as DynamoDB counts."""

    def __init__(self, world: World) -> None:
        """From here on all that this world reads and writes is counted."""
        self._games = CountedGames(PackedGames(world))
        self._lobby = CountedLobby(world.lobby)
        world.deps = replace(world.deps, games=self._games, lobby=self._lobby)

    @property
    def write_units(self) -> int:
        return self._games.write_units + self._lobby.write_units

    @property
    def read_units(self) -> int:
        return self._games.read_units + self._lobby.read_units


class CountedLobby:
    """A lobby whose items are all below one unit, and whose every write is a transaction."""

    def __init__(self, lobby: FakeLobby) -> None:
        self._lobby = lobby
        self.read_units = 0
        self.write_units = 0

    def player(self, player_id: str) -> Player:
        self.read_units += 1
        return self._lobby.player(player_id)

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        return {player_id: self.player(player_id) for player_id in player_ids}

    def pool(self, name: str) -> Pool:
        self.read_units += 1
        return self._lobby.pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        self.read_units += 1
        return self._lobby.challenge(challenge_id)

    def commit(self, change: LobbyChange) -> bool:
        """Two units for each item, as transactions are charged; a new game enters three indexes."""
        items = len(change.pools) + len(change.players) + len(change.challenges)
        games = len(change.new_games)
        items += games + (change.finished is not None)
        self.write_units += 2 * items + 3 * games
        return self._lobby.commit(change)


class CountedGames:
    """Packed games that remember what DynamoDB would have counted."""

    def __init__(self, games: PackedGames) -> None:
        self._games = games
        self.read_units = 0
        self.write_units = 0

    def load(self, game_id: str) -> Game | None:
        self.read_units += read_units(item_bytes(self._games.items.get(f"g#{game_id}", {})))
        return self._games.load(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        return {game_id: self.load(game_id) for game_id in game_ids}

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """One write, of the larger of both items; and one more for each index that changes."""
        done = self._games.commit(before, after)
        sizes = [item_bytes(item_of_game(game)) for game in (before, after)]
        self.write_units += write_units(max(sizes))
        self.write_units += before.outcome is None and after.outcome is not None
        return done
