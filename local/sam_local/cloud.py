"""What surrounds the functions of `make sam-local`: moto, a relay, and one game in the table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import websocket

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.connections import DynamoDbConnections
from arbiter.adapters.dynamodb.games import DynamoDbGames, DynamoDbLobby
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.timers import SystemClock
from arbiter.application.connections import Connection
from arbiter.core.game import Game
from arbiter.nostr.event import NostrEvent, VerifiedEvent
from arbiter.nostr.filters import Filter
from arbiter.nostr.relay_messages import (
    EoseMessage,
    OkMessage,
    RelayEvent,
    event_message,
    parse_relay_message,
    req_message,
)
from events.samples import HOUSE, SERVER, game
from local.deploy import parameters
from local.environment import client_settings
from local.moto_cloud import moto_part, provision
from local.processes import Supervisor
from local.relay import relay_part
from local.sam_local.sockets import SentFrames
from local.settings import ROOT, Settings
from local.template import Template

_RELAY_TIMEOUT_SECONDS = 5.0
_LISTEN_SECONDS = "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Everything a check looks at. ``environment`` is the functions'; ``clients`` go to moto;
    ``sent`` is what was sent to sockets.
    """

    folder: Path
    environment: Mapping[str, str]
    clients: AwsClients
    relay_url: str
    sent: SentFrames

    @property
    def games(self) -> DynamoDbGames:
        """The table, as the functions see it."""
        return DynamoDbGames(self.clients.dynamodb, self.environment["TABLE_NAME"])

    @property
    def lobby(self) -> DynamoDbLobby:
        """The waiting player and the two players of the game."""
        return DynamoDbLobby(self.clients.dynamodb, self.environment["TABLE_NAME"], SystemClock())

    def socket(self, connection_id: str) -> Connection | None:
        """What is remembered of a socket of the gateway."""
        table = self.environment["SHORT_LIVED_TABLE"]
        known = DynamoDbConnections(self.clients.dynamodb, table)
        return known.count_frame(connection_id, SystemClock().now_ms())

    def begin(self, at: int) -> None:
        """Start the samples' game at this time (unix seconds), whatever became of it before."""
        self.clients.dynamodb().put_item(
            TableName=self.environment["TABLE_NAME"], Item=item_of_game(game(at))
        )

    def standing(self) -> Game:
        """The samples' game as it is stored."""
        standing = self.games.load(game().id)
        if standing is None:
            raise LookupError("the samples' game is gone")
        return standing

    def published(self, kind: int) -> tuple[NostrEvent, ...]:
        """What the relay holds of the server's events of this kind."""
        found: list[NostrEvent] = []
        line = websocket.create_connection(self.relay_url, timeout=_RELAY_TIMEOUT_SECONDS)
        try:
            line.send(req_message("check", Filter(authors=(SERVER.pubkey,), kinds=(kind,))))
            while not isinstance(message := parse_relay_message(line.recv()), EoseMessage):
                if isinstance(message, RelayEvent):
                    found.append(message.event)
        finally:
            line.close()
        return tuple(found)

    def tell(self, event: VerifiedEvent) -> None:
        """Publish a player's event on the relay."""
        line = websocket.create_connection(self.relay_url, timeout=_RELAY_TIMEOUT_SECONDS)
        try:
            line.send(event_message(event))
            while not isinstance(parse_relay_message(line.recv()), OkMessage):
                pass
        finally:
            line.close()

    def take_from(self, queue: str) -> tuple[str, ...]:
        """The bodies that wait in the queue whose URL is this variable; they are removed."""
        sqs, url = self.clients.sqs(), self.environment[queue]
        taken = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for one in taken:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
        return tuple(one["Body"] for one in taken)

    def variables_json(self) -> str:
        """What `sam local --env-vars` reads."""
        return json.dumps({"Parameters": dict(self.environment)})


def surroundings(
    settings: Settings, folder: Path, supervisor: Supervisor, host: str, sent: SentFrames
) -> Surroundings:
    """Start moto and a relay at ``host``, and make on moto what the template says.

    Raises PartFailed or StopAsked.
    """
    moto, relay = settings.ports.aws, settings.ports.relay
    url, relay_url = f"http://{host}:{moto}", f"ws://{host}:{relay}"
    supervisor.start(moto_part(settings, host=host))
    supervisor.start(relay_part(settings, host))
    supervisor.wait_for_http("moto", moto, "/moto-api/", host)
    supervisor.wait_for_http("relay", relay, "/", host)
    given = {
        **parameters(settings, SERVER.pubkey),
        "Relays": relay_url,
        "HouseKeys": f"{HOUSE.pubkey}:1",
    }
    made = provision(url, Template.read(ROOT / "template.yaml"), given, SERVER)
    return Surroundings(
        folder=folder,
        environment={
            **made.environment,
            "LISTEN_SECONDS": _LISTEN_SECONDS,
            "AWS_ENDPOINT_URL": url,
            "GATEWAY_ENDPOINT": sent.url,
            "GATEWAY_URL": f"ws://{host}:{settings.ports.arbiter}",
        },
        clients=AwsClients(client_settings(url)),
        relay_url=relay_url,
        sent=sent,
    )
