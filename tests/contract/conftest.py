"""The implementations behind the ports while the contract suite runs: the fakes, SQLite with what
one process keeps in memory, MiniStack, DynamoDB Local and ElasticMQ.

A fake that is easier to please than the real thing proves nothing, so all of them pass the same
suite. MiniStack and those on Java run if they are installed (``make run`` needs the one,
java.sh brings the others), in processes of their own on loopback, one of each for a whole
session. docs/stand-ins.md says where they differ from AWS.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.archive import DynamoDbArchive
from arbiter.adapters.dynamodb.connections import DynamoDbConnections, DynamoDbRateLimits
from arbiter.adapters.dynamodb.outages import DynamoDbOutages
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.memory.connections import MemoryConnections, MemoryRateLimits
from arbiter.adapters.sqlite.outages import SqliteOutages
from arbiter.adapters.sqs import SqsEventQueue, SqsOutbox, SqsRepublishQueue
from arbiter.application.intake.queue_messages import message_body
from arbiter.application.ports import Outages, RateLimits
from arbiter.application.records import QueueEntry, QueueName
from tests.builders import NOW_MS
from tests.contract import servers
from tests.contract.candidates import QUEUES, TABLES, Ladder, Queues, Shelf, Store, Switchboard
from tests.contract.queue_cloud import QueueCloud
from tests.contract.sqlite_file import SqliteFile
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock
from tests.fakes.outages import FakeOutages
from tests.fakes.outbox import FakeOutbox
from tests.fakes.queue import FakeEventQueue, FakeRepublishQueue
from tests.fakes.rate_limits import FakeRateLimits
from tests.fakes.stores import FakeGames, FakeLobby, FakeRatings
from tests.template.source import properties

Asked = pytest.FixtureRequest


class NewTable(Protocol):
    """Makes a table on the named stand-in, as the template has it."""

    def __call__(
        self, name: str, logical_id: str = "Table", /
    ) -> tuple[Callable[[], Any], str]: ...


@pytest.fixture(scope="session")
def started() -> Iterator[servers.Started]:
    """Every stand-in that was asked for so far."""
    with servers.Started() as started:
        yield started


@pytest.fixture(scope="session")
def endpoint(started: servers.Started) -> Callable[[str], AwsClients]:
    """Clients for the named stand-in, which is started when first asked for."""
    return started.clients


@pytest.fixture(params=QUEUES)
def queue_cloud(request: Asked, started: servers.Started) -> QueueCloud:
    """An emulator of SQS, asked as botocore asks it."""
    return QueueCloud(started.clients(request.param).sqs())


@pytest.fixture(scope="session", params=["memory", "sqlite", *TABLES])
def store(request: Asked, tables: Callable[[str], Store]) -> Store:
    """A store of games. One table for all tests, which take care to use names of their own."""
    if request.param == "memory":
        games = FakeGames()
        return Store(games, FakeLobby(games))
    return tables(request.param)


@pytest.fixture(scope="session", params=["sqlite", *TABLES])
def table(request: Asked, tables: Callable[[str], Store]) -> Store:
    """As ``store``, for what is true of tables alone."""
    return tables(request.param)


@pytest.fixture(scope="session")
def tables(
    endpoint: Callable[[str], AwsClients], sqlite_file: SqliteFile
) -> Callable[[str], Store]:
    """A store on the named stand-in, made once."""
    made: dict[str, Store] = {"sqlite": sqlite_file.store()}

    def make(name: str) -> Store:
        if name not in made:
            clients = endpoint(name)
            make_table(clients, "arbiter")
            made[name] = Store(
                StoredGames(DynamoDbTable(clients.dynamodb, "arbiter")),
                StoredLobby(DynamoDbTable(clients.dynamodb, "arbiter"), FakeClock(NOW_MS)),
                clients.dynamodb(),
                "arbiter",
            )
        return made[name]

    return make


@pytest.fixture(scope="session")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteFile]:
    """One file for all tests that take care to use names of their own."""
    with SqliteFile(tmp_path_factory.mktemp("sqlite") / "arbiter.db") as file:
        yield file


@pytest.fixture
def new_sqlite_file(tmp_path: Path) -> Iterator[SqliteFile]:
    """A file of this test's own."""
    with SqliteFile(tmp_path / "arbiter.db") as file:
        yield file


@pytest.fixture
def new_table(endpoint: Callable[[str], AwsClients]) -> NewTable:
    """Makes a table of this test's own on the named stand-in."""

    def make(name: str, logical_id: str = "Table") -> tuple[Callable[[], Any], str]:
        clients, table = endpoint(name), uuid4().hex
        make_table(clients, table, logical_id)
        return clients.dynamodb, table

    return make


@pytest.fixture(params=["memory", "sqlite", *TABLES])
def ladder(request: Asked, new_table: NewTable, new_sqlite_file: SqliteFile) -> Ladder:
    """A fresh store of ratings: a leaderboard lists all players, not only a test's own."""
    if request.param == "memory":
        return Ladder(FakeRatings())
    if request.param == "sqlite":
        return new_sqlite_file.ladder()
    client, name = new_table(request.param)
    return Ladder(StoredRatings(DynamoDbTable(client, name)), client(), name)


@pytest.fixture(params=["memory", "sqlite", *TABLES])
def shelf(request: Asked, new_table: NewTable, new_sqlite_file: SqliteFile) -> Shelf:
    """A store of games without any yet."""
    if request.param == "memory":
        lobby = FakeLobby(games := FakeGames())
        return Shelf(FakeArchive(games, lobby), games, lobby)
    if request.param == "sqlite":
        return new_sqlite_file.shelf()
    at = new_table(request.param)
    lobby_there = StoredLobby(DynamoDbTable(*at), FakeClock(NOW_MS))
    return Shelf(DynamoDbArchive(*at), StoredGames(DynamoDbTable(*at)), lobby_there)


@pytest.fixture(params=["process", *TABLES])
def switchboard(request: Asked, new_table: NewTable) -> Switchboard:
    """A store of sockets without any yet."""
    told: list[str] = []
    if request.param == "process":
        return Switchboard(MemoryConnections(told.append), told=told)
    client, name = new_table(request.param, "ShortLivedTable")
    connections = DynamoDbConnections(client, name, changed=told.append)
    return Switchboard(connections, client(), name, told)


@pytest.fixture(params=["memory", "process", *TABLES])
def rate_limits(request: Asked, new_table: NewTable) -> RateLimits:
    """Counters at zero."""
    if request.param == "memory":
        return FakeRateLimits()
    if request.param == "process":
        return MemoryRateLimits()
    return DynamoDbRateLimits(*new_table(request.param, "ShortLivedTable"))


@pytest.fixture(params=["memory", "sqlite", *TABLES])
def outages(request: Asked, new_table: NewTable, new_sqlite_file: SqliteFile) -> Outages:
    """Notes of relays without any yet."""
    if request.param == "memory":
        return FakeOutages()
    if request.param == "sqlite":
        return SqliteOutages(new_sqlite_file.opened)
    return DynamoDbOutages(*new_table(request.param))


def make_table(clients: AwsClients, name: str, logical_id: str = "Table") -> None:
    """The table that the template asks for, under this name."""
    written = properties(logical_id)
    keys = ("BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
    asked: Any = {key: written[key] for key in keys if key in written}
    try:
        clients.dynamodb().create_table(TableName=name, **asked)
    except ClientError as error:
        # The name is used once: a table that is there was made by a call whose answer was lost.
        if error.response["Error"]["Code"] != "ResourceInUseException":
            raise


@pytest.fixture(params=["memory", "sqlite", *QUEUES])
def queues(request: Asked, started: servers.Started, new_sqlite_file: SqliteFile) -> Queues:
    """Queues that no other test uses."""
    if request.param == "memory":
        return _fake_queues()
    if request.param == "sqlite":
        return new_sqlite_file.queues()
    client = started.clients(request.param).sqs
    cloud = QueueCloud(client())
    urls: dict[QueueName, str] = {"moves": cloud.fifo(), "seeks": cloud.fifo()}
    again, out = cloud.made(), cloud.fifo()
    return Queues(
        events=SqsEventQueue(client, urls),
        republish=SqsRepublishQueue(client, again),
        outbox=SqsOutbox(client, out),
        arrived=lambda name: cloud.emptied(urls[name]),
        repeated=lambda: cloud.emptied(again),
        uttered=lambda: cloud.emptied(out),
    )


def _fake_queues() -> Queues:
    events, again, out = FakeEventQueue(), FakeRepublishQueue(), FakeOutbox()

    def bodies(entries: list[QueueEntry], name: QueueName) -> list[str]:
        return [entry.body for entry in entries if entry.queue == name]

    return Queues(
        events=events,
        republish=again,
        outbox=out,
        arrived=lambda name: bodies(events.waiting, name),
        repeated=lambda: [what for what, delay in again.waiting if delay == 0],
        uttered=lambda: [*map(message_body, out.said)],
    )
