"""The games of a table, packed as in DynamoDB, without DynamoDB.

Invariant: all that our code does to load and commit a game happens here, without botocore and
network, so that CPU time measured over it is our code's. The units that the table would charge are
counted.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.attributes import Item
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.application.ports import Committed, Conflict, Signer
from arbiter.core.game import Game
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from tests.application.world import World
from tests.builders import SERVER

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


class CountingSigner:
    """The arbiter's hand, and every digest it signed since last asked."""

    def __init__(self) -> None:
        self.pubkey = SERVER.pubkey
        self.digests: list[bytes] = []

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        event = SERVER.sign(template)
        self.digests.append(bytes.fromhex(event.id))
        return event


def packed_world() -> tuple[World, PackedGames, CountingSigner]:
    """A world whose games are packed, and whose arbiter's signatures are counted."""
    world, signer = World(), CountingSigner()
    games = PackedGames(world)
    world.deps = replace(world.deps, signer=cast("Signer", signer))
    return world, games, signer


def item_bytes(item: Item) -> int:
    """The size that DynamoDB charges an item for: names and values, a byte for two digits."""
    return sum(len(name) + _SIZES[next(iter(value))](value) for name, value in item.items())


def _number_bytes(text: str) -> int:
    return (len(Decimal(text).normalize().as_tuple().digits) + 1) // 2 + 1


_SIZES: dict[str, Callable[[Item], int]] = {
    "S": lambda value: len(value["S"].encode()),
    "B": lambda value: len(value["B"]),
    "N": lambda value: _number_bytes(value["N"]),
    "BOOL": lambda _: 1,
}
