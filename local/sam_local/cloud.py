"""The surroundings of `make sam-local`'s functions: moto, a relay, and one game in the table."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.games import item_of_game
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.timers import SystemClock
from arbiter.core.game import Game
from arbiter.nostr.event import VerifiedEvent, event_to_json
from clients.probes.endpoints import Endpoints
from clients.probes.raw_socket import opened
from events.samples import HOUSE, SERVER, game
from local.deploy import parameters
from local.environment import client_settings
from local.moto_cloud import moto_part, provision
from local.processes import Supervisor
from local.relay import relay_part
from local.sam_local.sockets import SentFrames
from local.settings import ROOT, Settings
from local.template import Template

_LISTEN_SECONDS = "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a check looks at: functions' ``environment``, moto's ``clients``, frames ``sent``."""

    folder: Path
    environment: Mapping[str, str]
    clients: AwsClients
    relay: Endpoints
    sent: SentFrames

    @property
    def lobby(self) -> StoredLobby:
        return StoredLobby(
            DynamoDbTable(self.clients.dynamodb, self.environment["TABLE_NAME"]), SystemClock()
        )

    @property
    def tournaments(self) -> StoredTournaments:
        return StoredTournaments(
            DynamoDbTable(self.clients.dynamodb, self.environment["TABLE_NAME"])
        )

    def begin(self, at: int) -> None:
        """Start the samples' game at this time (unix seconds), whatever became of it before."""
        self.clients.dynamodb().put_item(
            TableName=self.environment["TABLE_NAME"], Item=item_of_game(game(at))
        )

    def standing(self) -> Game:
        games = StoredGames(DynamoDbTable(self.clients.dynamodb, self.environment["TABLE_NAME"]))
        standing = games.load(game().id)
        if standing is None:
            raise LookupError("the samples' game is gone")
        return standing

    def has_published(self, *kinds: int) -> bool:

        async def ask() -> bool:
            async with opened(self.relay) as socket:
                shown = await socket.subscribe("check", authors=[SERVER.pubkey], kinds=[*kinds])
            return {event["kind"] for event in shown} == {*kinds}

        return asyncio.run(ask())

    def tell(self, event: VerifiedEvent) -> None:

        async def publish() -> None:
            async with opened(self.relay) as socket:
                await socket.publish(dict(event_to_json(event)))

        asyncio.run(publish())

    def waits(self, queue: str, text: str) -> bool:
        """Whether this text waits in the queue whose URL is this variable; all are removed."""
        sqs, url = self.clients.sqs(), self.environment[queue]
        taken = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        for one in taken:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
        return any(text in one["Body"] for one in taken)


def surroundings(
    settings: Settings, folder: Path, supervisor: Supervisor, host: str, sent: SentFrames
) -> Surroundings:
    """Start moto and a relay at ``host``, and the template's. Raises PartFailed or StopAsked."""
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
            # Of the house no queue is made: what it is asked waits among the requests.
            "HOUSE_QUEUE_URL": made.environment["SEEKS_QUEUE_URL"],
            "AWS_ENDPOINT_URL": url,
            "GATEWAY_ENDPOINT": sent.url,
            "GATEWAY_URL": f"ws://{host}:{settings.ports.arbiter}",
        },
        clients=AwsClients(client_settings(url)),
        relay=Endpoints(SERVER.pubkey, "", (relay_url,), "", relay_url),
        sent=sent,
    )
