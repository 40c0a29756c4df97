"""The ports that are held to the contract, and a way to look behind them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest

from arbiter.adapters.sqlite.queues import SqliteInbox
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.connections import Connections
from arbiter.application.ports import Games, Lobby, Outbox, PlayersOfGames, Ratings, RepublishQueue
from arbiter.application.queries import Archive
from arbiter.application.records import QueueName
from tests.fakes.queue import FakeEventQueue

DYNAMODB_LOCAL = pytest.param("dynamodb-local", marks=pytest.mark.java)
ELASTICMQ = pytest.param("elasticmq", marks=pytest.mark.java)
TABLES = ["ministack", DYNAMODB_LOCAL]
"""Emulators of DynamoDB."""
QUEUES = ["ministack", ELASTICMQ]
"""Emulators of SQS."""


class StoredGames(Games, PlayersOfGames, Protocol):
    """Both ports on games, as one thing plays them."""


@dataclass(frozen=True)
class Store:
    """One implementation of the two ports on state. ``client`` and ``table`` are None for the
    fakes.
    """

    games: StoredGames
    lobby: Lobby
    client: Any = None
    table: str = ""


@dataclass(frozen=True)
class Ladder:
    """One implementation of the port on ratings, and its table; None for the fake."""

    ratings: Ratings
    client: Any = None
    table: str = ""


@dataclass(frozen=True)
class Shelf:
    """One implementation of the port on finding games, beside those that put games there."""

    archive: Archive
    games: Games
    lobby: Lobby


@dataclass(frozen=True)
class Queues:
    """One implementation of the ports on queues, and a look at what came out of them."""

    events: SqsEventQueue | SqliteInbox | FakeEventQueue
    republish: RepublishQueue
    outbox: Outbox
    arrived: Callable[[QueueName], list[str]]
    repeated: Callable[[], list[str]]
    uttered: Callable[[], list[str]]


@dataclass(frozen=True)
class Switchboard:
    """One implementation of the port on connections, and its table; None for the fake."""

    connections: Connections
    client: Any = None
    table: str = ""
    told: list[str] = field(default_factory=list)
    """Whose sockets opened or closed."""

    def items(self) -> list[dict[str, Any]]:
        """All that is in the table, which is this test's own; nothing for the fake."""
        found: list[dict[str, Any]] = (
            self.client.scan(TableName=self.table, ConsistentRead=True)["Items"]
            if self.client
            else []
        )
        return found


def item_at(place: Store | Ladder, key: Any) -> dict[str, Any]:
    found = place.client.get_item(TableName=place.table, Key=key, ConsistentRead=True)
    item: dict[str, Any] = found["Item"]
    return item


@contextmanager
def capacity_spent(client: Any) -> Iterator[list[float]]:
    """The capacity units that each call costs meanwhile."""
    spent: list[float] = []

    def counting(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(**arguments: Any) -> Any:
            answer = call(**arguments, ReturnConsumedCapacity="TOTAL")
            spent.append(answer["ConsumedCapacity"]["CapacityUnits"])
            return answer

        return counted

    calls = {name: getattr(client, name) for name in ("get_item", "query", "update_item")}
    for name, call in calls.items():
        setattr(client, name, counting(call))
    try:
        yield spent
    finally:
        for name, call in calls.items():
            setattr(client, name, call)
