"""Creates the real adapters from ``config``, on first use, for the life of the process."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

from arbiter import VERSION, config
from arbiter.adapters.api_gateway import ApiGatewaySockets
from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.bill import MICRO_DOLLARS, Bill
from arbiter.adapters.dynamodb.archive import DynamoDbArchive
from arbiter.adapters.dynamodb.connections import (
    DynamoDbConnections,
    DynamoDbDayCounters,
    DynamoDbRateLimits,
)
from arbiter.adapters.dynamodb.outages import DynamoDbOutages
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.health import AwsHealth
from arbiter.adapters.invocations import InvokedNotices, QueuesAndPairing
from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.json_logging import write_json_lines
from arbiter.adapters.relays.ingest import Shard
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.s3 import S3Transcripts
from arbiter.adapters.sqs import (
    SqsEventQueue,
    SqsHouse,
    SqsOutbox,
    SqsOutboxRecords,
    SqsRepublishQueue,
)
from arbiter.adapters.ssm_signer import SsmSigner
from arbiter.adapters.timers import QueueOrScheduleTimers, QueueTimers, SystemClock
from arbiter.application import ports
from arbiter.application.deps import ArbiterDeps
from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.gateway.fanout import Fanout, RelaysAndGateway
from arbiter.application.house import HouseDeps
from arbiter.application.intake.due_timers import ClockDeps
from arbiter.application.intake.routing import CARRIED_KINDS
from arbiter.application.play.presence import look_soon
from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import Encrypter, Signer, Timers
from arbiter.application.reply.send import PUBLISH_SECONDS
from arbiter.application.spending import Spending
from arbiter.application.tournaments.pairing import PairingDeps
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.house import house_profiles
from arbiter.nostr.nip11 import relay_information
from arbiter.web.client_files import built_client
from arbiter.web.deps import WebDeps

if TYPE_CHECKING:
    from arbiter.application.notices.tell import NoticeDeps

_ANNOUNCED_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class GatewayAdapters:
    """Our own relay, as the arbiter function reaches it: its connections and their sockets."""

    connections: DynamoDbConnections
    sockets: ApiGatewaySockets


@cache
def arbiter_deps() -> ArbiterDeps:
    """For the arbiter function. Raises ``Misconfigured`` or ``KeyUnavailable``."""
    clients, clock = _clients(), SystemClock()
    table = config.table()
    signer = _signer(clients)
    own, bridge = gateway(clients), config.bridge_pubkey()
    house_queue, notices = config.house_queue(), config.notice_function()
    return ArbiterDeps(
        games=StoredGames(DynamoDbTable(clients.dynamodb, table)),
        lobby=StoredLobby(DynamoDbTable(clients.dynamodb, table), clock),
        ratings=StoredRatings(DynamoDbTable(clients.dynamodb, table)),
        tournaments=StoredTournaments(DynamoDbTable(clients.dynamodb, table)),
        timers=timers(clients),
        clock=clock,
        rules=config.rules(),
        server=signer.pubkey,
        pairing_key=signer.key().derive(b"arbiter/pairing/1"),
        bridge=bridge,
        encrypter=_LazyEncrypter(signer),
        rate_limits=DynamoDbRateLimits(clients.dynamodb, config.short_lived_table()),
        outages=DynamoDbOutages(clients.dynamodb, table) if config.relays() else None,
        signer=signer,
        publisher=publisher(signer, own),
        connections=own.connections if own else None,
        sockets=own.sockets if own else None,
        republish=SqsRepublishQueue(clients.sqs, config.republish_queue()),
        queue=_arbiters_queue(clients),
        public_url=config.public_url(),
        outbox=SqsOutbox(clients.sqs, config.ssb_queue()) if bridge else None,
        house_levels={player.pubkey: player.level for player in config.house()},
        house_queue=SqsHouse(clients.sqs, house_queue) if house_queue else None,
        policy=_policy(clients, clock),
        notices=InvokedNotices(clients.functions, notices) if notices else None,
        recipients=StoredRecipients(
            DynamoDbTable(clients.dynamodb, table), partial(_push_key, signer)
        ),
    )


@cache
def notice_deps() -> "NoticeDeps":
    """For the notice function. Raises ``Misconfigured`` or ``KeyUnavailable``."""
    # Other functions load neither these nor their library.
    from arbiter.adapters.direct_messages import DirectMessages  # noqa: PLC0415
    from arbiter.adapters.web_push import WebPush  # noqa: PLC0415
    from arbiter.application.notices.tell import NoticeDeps  # noqa: PLC0415

    clients, clock = _clients(), SystemClock()
    table, signer = DynamoDbTable(clients.dynamodb, config.table()), _signer(clients)
    return NoticeDeps(
        recipients=StoredRecipients(table),
        games=StoredGames(table),
        lobby=StoredLobby(table, clock),
        timers=timers(clients),
        clock=clock,
        key=signer.key(),
        policy=KnownPolicy(StoredPolicy(table), clock),
        public_url=config.public_url(),
        connections=DynamoDbConnections(clients.dynamodb, config.short_lived_table()),
        messenger=DirectMessages(signer.key, config.relays()) if config.relays() else None,
        push=WebPush(signer.key, config.public_url()),
    )


def _push_key(signer: SsmSigner) -> str:
    from arbiter.nostr.web_push import public_text, signing_key  # noqa: PLC0415 - as above

    return public_text(signing_key(signer.key()))


@cache
def gateway_deps() -> GatewayDeps:
    """For the gateway function, which reads the key when it signs. Raises ``Misconfigured``."""
    clients, clock = _clients(), SystemClock()
    table, url, own = config.table(), config.gateway_url(), gateway(clients)
    if own is None or url is None:
        raise config.Misconfigured("a gateway needs GATEWAY_ENDPOINT and GATEWAY_URL")
    signer = _signer(clients)
    return GatewayDeps(
        games=StoredGames(DynamoDbTable(clients.dynamodb, table)),
        lobby=StoredLobby(DynamoDbTable(clients.dynamodb, table), clock),
        ratings=StoredRatings(DynamoDbTable(clients.dynamodb, table)),
        tournaments=StoredTournaments(DynamoDbTable(clients.dynamodb, table)),
        clock=clock,
        signer=signer,
        connections=own.connections,
        sockets=own.sockets,
        rate_limits=DynamoDbRateLimits(clients.dynamodb, config.short_lived_table()),
        queue=_event_queue(clients),
        fanout=Fanout(own.connections, own.sockets, clock, spending=_spending()),
        server=signer.pubkey,
        name=config.server_name(),
        relay_url=url,
        relays=config.own_relays(),
        new_challenge=partial(secrets.token_hex, 16),
        house=config.house(),
        public_url=config.public_url(),
        limits=config.gateway_limits(),
        spending=_spending(),
        policy=_policy(clients, clock),
    )


@cache
def web_deps() -> WebDeps:
    clients, clock = _clients(), SystemClock()
    table, server = config.table(), config.server_pubkey()
    name, bucket = config.server_name(), config.transcripts_bucket()
    return WebDeps(
        games=StoredGames(DynamoDbTable(clients.dynamodb, table)),
        lobby=StoredLobby(DynamoDbTable(clients.dynamodb, table), clock),
        ratings=StoredRatings(DynamoDbTable(clients.dynamodb, table)),
        tournaments=StoredTournaments(DynamoDbTable(clients.dynamodb, table)),
        archive=DynamoDbArchive(clients.dynamodb, table),
        browsers=StoredBrowsers(DynamoDbTable(clients.dynamodb, table)),
        health=AwsHealth(
            config.watched(), clock, clients.dynamodb, clients.sqs, clients.cloudwatch
        ),
        republish=SqsRepublishQueue(clients.sqs, config.republish_queue()),
        rate_limits=DynamoDbRateLimits(clients.dynamodb, config.short_lived_table()),
        clock=clock,
        entropy=secrets.token_bytes,
        server=server,
        name=name,
        relays=config.own_relays(),
        public_url=config.public_url(),
        limits=config.limits(),
        relay_information=(
            relay_information(name, server, VERSION, CARRIED_KINDS, house=config.house())
            if config.gateway_url()
            else {}
        ),
        outages=DynamoDbOutages(clients.dynamodb, table) if config.relays() else None,
        client=built_client(),
        connections=(
            DynamoDbConnections(clients.dynamodb, config.short_lived_table())
            if config.gateway_url()
            else None
        ),
        spending=_spending(),
        transcripts=S3Transcripts(clients.s3, bucket) if bucket else None,
        policy=_policy(clients, clock),
    )


@cache
def clock_deps() -> ClockDeps:
    clients = AwsClients()
    return ClockDeps(
        clock=SystemClock(),
        timers=_queue_timers(clients),
        moves=SqsEventQueue(clients.sqs, config.moves_queue()),
    )


def pairing_deps(engine: ports.PairingEngine) -> PairingDeps:
    """For the pairing function, which has no key. The libraries of ``engine`` are in its layer."""
    clients = AwsClients()
    return PairingDeps(
        load=StoredTournaments(DynamoDbTable(clients.dynamodb, config.table())).load,
        engine=engine,
        moves=SqsEventQueue(clients.sqs, config.moves_queue()),
    )


def profiles_of_house(at: int) -> tuple[VerifiedEvent, ...]:
    """The house players' profiles, or none where others play them. Raises ``KeyUnavailable``."""
    if config.house_queue() is None:
        return ()
    return house_profiles(_signer(AwsClients()).key(), config.house(), at)


@cache
def house_deps() -> HouseDeps:
    """For the house function. Raises ``Misconfigured`` or ``KeyUnavailable``."""
    clients, clock = AwsClients(), SystemClock()
    table, signer = config.table(), _signer(clients)
    return HouseDeps(
        games=StoredGames(DynamoDbTable(clients.dynamodb, table)),
        lobby=StoredLobby(DynamoDbTable(clients.dynamodb, table), clock),
        clock=clock,
        queue=_event_queue(clients),
        server_key=signer.key(),
        house=config.house(),
        work_of_strangers=config.rules().work_of_strangers,
    )


def gateway(clients: AwsClients) -> GatewayAdapters | None:
    """The adapters that the arbiter and the gateway function share; None without a gateway."""
    endpoint = config.gateway_endpoint()
    if endpoint is None:
        return None
    return GatewayAdapters(
        DynamoDbConnections(
            clients.dynamodb, config.short_lived_table(), changed=partial(_look_soon, clients)
        ),
        ApiGatewaySockets(partial(clients.gateway, endpoint)),
    )


def _look_soon(clients: AwsClients, pubkey: str) -> None:
    """Have a look at who is there; for functions that have the clock queue."""
    clock, table = SystemClock(), DynamoDbTable(clients.dynamodb, config.table())
    look_soon(StoredGames(table), StoredLobby(table, clock), _queue_timers(clients), clock, pubkey)


def publisher(signer: Signer, own: GatewayAdapters | None) -> ports.Publisher:
    if own is None:
        return RelayPublisher(config.relays(), authenticate=signer.sign)
    return RelaysAndGateway(
        RelayPublisher(config.relays(), authenticate=signer.sign) if config.relays() else None,
        Fanout(own.connections, own.sockets, SystemClock(), spending=_spending()),
    )


def restore(signer: Signer, events: Sequence[VerifiedEvent]) -> int:
    """Publish these at each relay that lost them or has them of more than a day ago; how many."""
    relays = RelayPublisher(config.relays(), authenticate=signer.sign)
    try:
        return sum(
            relays.restore(url, events, PUBLISH_SECONDS, _ANNOUNCED_SECONDS)
            for url in config.relays()
        )
    finally:
        relays.close()


def timers(clients: AwsClients) -> Timers:
    """Timers for the arbiter function; without a SCHEDULE_GROUP by the clock queue alone."""
    near = _queue_timers(clients)
    schedules = config.schedules()
    return QueueOrScheduleTimers(near, clients.scheduler, schedules) if schedules else near


def listener() -> Listener:
    clients, table = AwsClients(), config.table()
    return Listener(
        relays=config.relays(),
        server_pubkey=config.server_pubkey(),
        event_queue=_event_queue(clients),
        clock=SystemClock(),
        outages=DynamoDbOutages(clients.dynamodb, table),
        games=StoredGames(DynamoDbTable(clients.dynamodb, table)),
        rules=config.rules(),
        shard=Shard(*config.listener_shard()),
    )


def event_queue() -> SqsEventQueue:
    return _event_queue(AwsClients())


def outbox_records(dead_letters: str) -> SqsOutboxRecords:
    """The receiving end of the outbox, for a bridge; ``dead_letters`` is a URL."""
    return SqsOutboxRecords(AwsClients().sqs, config.ssb_queue(), dead_letters)


def invoked(address: str = "", **received: int) -> AbstractContextManager[None]:
    """Count an invocation of a function, and what it received, for this address."""
    bill = _bill()
    return bill.invocation(address, **received) if bill else nullcontext()


def count(amounts: Mapping[str, int]) -> None:
    """Count this in the figures of the day, which are kept with its budget."""
    if spending := _spending():
        spending.add(amounts)


def _spending() -> Spending | None:
    bill = _bill()
    return bill.spending if bill else None


@cache
def _bill() -> Bill | None:
    budget = config.daily_budget()
    if budget is None:
        return None
    counters = DynamoDbDayCounters(lambda: _clients().counters(), config.short_lived_table())
    return Bill(Spending(counters, SystemClock(), {MICRO_DOLLARS: budget}), config.gigabytes())


@cache
def _clients() -> AwsClients:
    bill = _bill()
    return AwsClients(counted=bill.count_call if bill else None)


def set_up_logs() -> None:
    write_json_lines(config.log_level())


def _policy(clients: AwsClients, clock: SystemClock) -> KnownPolicy:
    house = frozenset(player.pubkey for player in config.house())
    table = DynamoDbTable(clients.dynamodb, config.table())
    return KnownPolicy(StoredPolicy(table), clock, house, spending=_spending())


def _signer(clients: AwsClients) -> SsmSigner:
    return SsmSigner(clients.ssm, config.key_parameter(), config.server_pubkey())


class _LazyEncrypter:
    """Encrypts with the server's key; its library is imported on first use."""

    def __init__(self, signer: SsmSigner) -> None:
        self._signer = signer

    @cached_property
    def _loaded(self) -> Encrypter:
        from arbiter.nostr.nip44 import KeyEncrypter  # noqa: PLC0415 - as above

        return KeyEncrypter(self._signer.key)

    def decrypt(self, author: str, payload: str) -> str | None:
        return self._loaded.decrypt(author, payload)

    def encrypt(self, to: str, text: str, event_key: str) -> str | None:
        return self._loaded.encrypt(to, text, event_key)


def _event_queue(clients: AwsClients) -> SqsEventQueue:
    return SqsEventQueue(clients.sqs, config.event_queues())


def _arbiters_queue(clients: AwsClients) -> ports.EventQueue:
    queues, function = _event_queue(clients), config.pairing_function()
    return QueuesAndPairing(queues, clients.functions, function) if function else queues


def _queue_timers(clients: AwsClients) -> QueueTimers:
    return QueueTimers(clients.sqs, config.clock_queue())
