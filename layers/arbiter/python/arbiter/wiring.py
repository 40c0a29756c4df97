"""Where the real things are plugged in: the only reader of the environment, at first use.

What is made here lives as long as the environment does (a warm Lambda, a process), so connections
are reused from one invocation to the next. Nothing is made or read at import.
"""

import os
import secrets
from dataclasses import dataclass
from functools import cache, partial

from arbiter import VERSION
from arbiter.adapters.archive import DynamoDbArchive
from arbiter.adapters.browsers import DynamoDbBrowsers
from arbiter.adapters.clients import AwsClients
from arbiter.adapters.clock import SystemClock
from arbiter.adapters.connections import DynamoDbConnections
from arbiter.adapters.dynamodb import DynamoDbGames, DynamoDbLobby
from arbiter.adapters.dynamodb_ratings import DynamoDbRatings
from arbiter.adapters.log_lines import write_json_lines
from arbiter.adapters.outages import DynamoDbOutages
from arbiter.adapters.outbox import SqsOutbox
from arbiter.adapters.outbox_records import SqsOutboxRecords
from arbiter.adapters.queue import SqsEventQueue, SqsRepublishQueue
from arbiter.adapters.rate_limits import DynamoDbRateLimits
from arbiter.adapters.rates_in_blocks import RatesInBlocks
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.publisher import Publisher
from arbiter.adapters.secrets import SsmSigner
from arbiter.adapters.sockets import ApiGatewaySockets
from arbiter.adapters.timers import QueueOrScheduleTimers, QueueTimers, Schedules
from arbiter.adapters.vitals import AwsVitals, Watched
from arbiter.application import ports
from arbiter.application.answer import Bench
from arbiter.application.gateway.carried import CARRIED_KINDS
from arbiter.application.gateway.delivery import Delivery
from arbiter.application.gateway.desk import GatewayDesk
from arbiter.application.nudges import ClockDesk
from arbiter.application.ports import Sealer, Signer, Timers
from arbiter.application.process import Desk
from arbiter.application.publishing import RelaysAndGateway
from arbiter.core.rules import Rules
from arbiter.nostr.hexadecimal import is_hex_32_bytes
from arbiter.nostr.relay_information import relay_information
from arbiter.web.desk import Limits, WebDesk


class Misconfigured(Exception):
    """The environment contradicts itself; the text says what to mend."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """Our own relay, seen from behind: who is connected, and the way to them."""

    connections: DynamoDbConnections
    sockets: ApiGatewaySockets


@cache
def desk() -> Desk:
    """What the arbiter function works with. Raises ``Misconfigured`` or ``KeyUnavailable``."""
    clients, clock = AwsClients(), SystemClock()
    table = os.environ["TABLE_NAME"]
    signer = _signer(clients)
    own, bridge = gateway(clients), bridge_pubkey()
    return Desk(
        bench=Bench(
            games=DynamoDbGames(clients.dynamodb, table),
            lobby=DynamoDbLobby(clients.dynamodb, table, clock),
            ratings=DynamoDbRatings(clients.dynamodb, table),
            timers=timers(clients),
            clock=clock,
            rules=rules(),
            server=signer.pubkey,
            bridge=bridge,
            sealer=_sealer(signer) if bridge else None,
            rate_limits=(
                DynamoDbRateLimits(clients.dynamodb, short_lived_table()) if bridge else None
            ),
            outages=DynamoDbOutages(clients.dynamodb, table) if relays() else None,
        ),
        signer=signer,
        publisher=publisher(signer, own),
        connections=own.connections if own else None,
        sockets=own.sockets if own else None,
        republish=SqsRepublishQueue(clients.sqs, os.environ["REPUBLISH_QUEUE_URL"]),
        outbox=SqsOutbox(clients.sqs, os.environ["SCUTTLEBUTT_QUEUE_URL"]) if bridge else None,
    )


@cache
def gateway_desk() -> GatewayDesk:
    """What the gateway function works with. Raises as ``desk`` does."""
    clients, clock = AwsClients(), SystemClock()
    table, url, own = os.environ["TABLE_NAME"], gateway_url(), gateway(clients)
    if own is None or url is None:
        raise Misconfigured("a gateway needs GATEWAY_ENDPOINT and GATEWAY_URL")
    signer = _signer(clients)
    return GatewayDesk(
        games=DynamoDbGames(clients.dynamodb, table),
        lobby=DynamoDbLobby(clients.dynamodb, table, clock),
        ratings=DynamoDbRatings(clients.dynamodb, table),
        clock=clock,
        signer=signer,
        connections=own.connections,
        sockets=own.sockets,
        rate_limits=DynamoDbRateLimits(clients.dynamodb, short_lived_table()),
        queue=_event_queue(clients),
        delivery=Delivery(own.connections, own.sockets, clock),
        server=signer.pubkey,
        name=server_name(),
        relay_url=url,
        relays=own_relays(),
        new_challenge=partial(secrets.token_hex, 16),
    )


@cache
def http_desk() -> WebDesk:
    """What the HTTP function works with. It has no key."""
    clients, clock = AwsClients(), SystemClock()
    table, server, name = os.environ["TABLE_NAME"], server_pubkey(), server_name()
    return WebDesk(
        games=DynamoDbGames(clients.dynamodb, table),
        ratings=DynamoDbRatings(clients.dynamodb, table),
        archive=DynamoDbArchive(clients.dynamodb, table),
        browsers=DynamoDbBrowsers(clients.dynamodb, table),
        vitals=AwsVitals(watched(), clock, clients.dynamodb, clients.sqs, clients.cloudwatch),
        republish=SqsRepublishQueue(clients.sqs, os.environ["REPUBLISH_QUEUE_URL"]),
        rate_limits=RatesInBlocks(DynamoDbRateLimits(clients.dynamodb, short_lived_table())),
        clock=clock,
        entropy=secrets.token_bytes,
        server=server,
        name=name,
        relays=own_relays(),
        public_url=os.environ.get("PUBLIC_URL", ""),
        limits=limits(),
        relay_information=(
            relay_information(name, server, VERSION, CARRIED_KINDS) if gateway_url() else {}
        ),
    )


@cache
def clock_desk() -> ClockDesk:
    """What the clock function works with."""
    clients = AwsClients()
    return ClockDesk(
        clock=SystemClock(),
        timers=_queue_timers(clients),
        moves=SqsEventQueue(clients.sqs, {"moves": os.environ["MOVES_QUEUE_URL"]}),
    )


def gateway(clients: AwsClients) -> Gateway | None:
    """What the arbiter and the gateway function share; None where there is no gateway."""
    endpoint = gateway_endpoint()
    if endpoint is None:
        return None
    return Gateway(
        DynamoDbConnections(clients.dynamodb, short_lived_table()),
        ApiGatewaySockets(partial(clients.gateway, endpoint)),
    )


def publisher(signer: Signer, own: Gateway | None) -> ports.Publisher:
    """The way out: to the relays, to our own gateway, or to both."""
    if own is None:
        return Publisher(relays(), authenticate=signer.sign)
    return RelaysAndGateway(
        Publisher(relays(), authenticate=signer.sign) if relays() else None,
        Delivery(own.connections, own.sockets, SystemClock()),
    )


def timers(clients: AwsClients) -> Timers:
    """What the arbiter function sets deadlines with. Without a SCHEDULE_GROUP the clock queue does
    it alone, as it must where schedules can be made but never fire.
    """
    near = _queue_timers(clients)
    group = os.environ.get("SCHEDULE_GROUP")
    if not group:
        return near
    return QueueOrScheduleTimers(
        near,
        clients.scheduler,
        Schedules(
            group=group,
            target_arn=os.environ["SCHEDULE_TARGET_ARN"],
            role_arn=os.environ["SCHEDULER_ROLE_ARN"],
        ),
    )


def listener() -> Listener:
    """A listener that has not been started. It holds no key of the server."""
    clients = AwsClients()
    return Listener(
        relays=relays(),
        server_pubkey=server_pubkey(),
        event_queue=_event_queue(clients),
        clock=SystemClock(),
        outages=DynamoDbOutages(clients.dynamodb, os.environ["TABLE_NAME"]),
    )


def event_queue() -> SqsEventQueue:
    """The way in, for a bridge from another network."""
    return _event_queue(AwsClients())


def outbox_records() -> SqsOutboxRecords:
    """The way out to another network, from its far end."""
    return SqsOutboxRecords(AwsClients().sqs, os.environ["SCUTTLEBUTT_QUEUE_URL"])


def rules() -> Rules:
    """What the operator chose."""
    return Rules(
        illegal_moves_to_lose=int(os.environ.get("ILLEGAL_MOVES_TO_LOSE", "3")),
        work_of_strangers=int(os.environ.get("WORK_OF_STRANGERS", "0")),
    )


def limits() -> Limits:
    """How much of the HTTP API one address and one browser may have."""
    return Limits(
        per_address=int(os.environ.get("REQUESTS_PER_ADDRESS", "1200")),
        per_browser=int(os.environ.get("REQUESTS_PER_BROWSER", "300")),
        new_games_per_address=int(os.environ.get("NEW_GAMES_PER_ADDRESS", "120")),
    )


def bridge_pubkey() -> str | None:
    """The key (64 hex) of the bridge to Scuttlebutt, whose letters are taken; None where there is
    no bridge. Raises ``Misconfigured`` where only half of one is set up.
    """
    bridge = os.environ.get("BRIDGE_PUBKEY") or None
    if (bridge is None) != (not os.environ.get("SCUTTLEBUTT_QUEUE_URL")):
        raise Misconfigured("a bridge to Scuttlebutt is BRIDGE_PUBKEY and SCUTTLEBUTT_QUEUE_URL")
    if bridge is not None and not is_hex_32_bytes(bridge):
        raise Misconfigured("BRIDGE_PUBKEY is 64 lower-case hexadecimal digits")
    return bridge


def server_pubkey() -> str:
    """The server's public key, 64 lower-case hex digits."""
    return os.environ["SERVER_PUBKEY"]


def relays() -> tuple[str, ...]:
    """The relays to hear and to tell: configured ones only; a URL in an event is never dialled."""
    return tuple(url.strip() for url in os.environ["RELAYS"].split(",") if url.strip())


def short_lived_table() -> str:
    """The table of who is connected and who asked how often."""
    return os.environ["SHORT_LIVED_TABLE"]


def gateway_endpoint() -> str | None:
    """Where API Gateway takes frames for our sockets; None where there is no gateway."""
    return os.environ.get("GATEWAY_ENDPOINT") or None


def gateway_url() -> str | None:
    """What players dial, a ws or wss URL; None where there is no gateway."""
    return os.environ.get("GATEWAY_URL") or None


def watched() -> Watched:
    """What a health check looks at."""
    return Watched(
        table=os.environ["TABLE_NAME"],
        queues={"moves": os.environ["MOVES_QUEUE_URL"], "seeks": os.environ["SEEKS_QUEUE_URL"]},
        dead_letters=(*filter(None, os.environ["DEAD_LETTER_QUEUE_URLS"].split(",")),),
        relays=own_relays(),
    )


def own_relays() -> tuple[str, ...]:
    """Where the arbiter is to be found, as its profile says it: its relays, and its gateway."""
    own = gateway_url()
    return (*relays(), own) if own else relays()


def server_name() -> str:
    """What the arbiter calls itself in its profile."""
    return os.environ.get("SERVER_NAME", "Arbiter")


def listen_seconds() -> float:
    """How long one scheduled listener lives, unless its time-out comes first."""
    return float(os.environ.get("LISTEN_SECONDS", "690"))


def set_up_logs() -> None:
    """Have everything logged as lines of JSON, from the severity on that the operator chose."""
    write_json_lines(log_level())


def log_level() -> str:
    """The least severe level that is logged, by its name in `logging`."""
    return os.environ.get("LOG_LEVEL", "INFO")


def _signer(clients: AwsClients) -> SsmSigner:
    """The server's hand, if it is the one that players know."""
    signer = SsmSigner(clients.ssm, os.environ["KEY_PARAMETER"], SystemClock())
    server = server_pubkey()
    if signer.pubkey != server:
        raise Misconfigured(
            f"KEY_PARAMETER holds the key of {signer.pubkey}, but SERVER_PUBKEY says {server}: "
            "store the other key, or deploy with the other ServerPubkey"
        )
    return signer


def _sealer(signer: SsmSigner) -> Sealer:
    """What chat across the bridge is sealed with."""
    # Whoever has no bridge need not load a library for it at every cold start.
    from arbiter.adapters.sealer import KeySealer  # noqa: PLC0415

    return KeySealer(signer.key)


def _event_queue(clients: AwsClients) -> SqsEventQueue:
    return SqsEventQueue(
        clients.sqs,
        {"moves": os.environ["MOVES_QUEUE_URL"], "seeks": os.environ["SEEKS_QUEUE_URL"]},
    )


def _queue_timers(clients: AwsClients) -> QueueTimers:
    return QueueTimers(clients.sqs, os.environ["CLOCK_QUEUE_URL"])
