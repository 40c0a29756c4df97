"""Creates the server's parts from its settings: the cloud's application on one file."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from arbiter import VERSION
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.memory.connections import MemoryConnections, MemoryRateLimits
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.relays.rate_limits import no_pairs
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.adapters.sqlite.archive import SqliteArchive
from arbiter.adapters.sqlite.outages import SqliteOutages
from arbiter.adapters.sqlite.pgns import SqlitePgns
from arbiter.adapters.sqlite.queues import SqliteInbox, SqliteOutbox, SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.adapters.timers import SystemClock
from arbiter.application.deps import ArbiterDeps
from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.intake.routing import CARRIED_KINDS
from arbiter.application.play.presence import look_soon
from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import Clock, EventQueue, Games
from arbiter.application.re_rating import rate_anew
from arbiter.application.records import QueueEntry
from arbiter.core.pgn_cache import PgnCache, Pgns
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import relay_information
from arbiter.nostr.nip44 import KeyEncrypter
from arbiter.web.app import make_app, objection_to, refuse
from arbiter.web.client_files import built_client
from arbiter.web.deps import Limits, WebDeps
from server.bridge_api import BridgeApi, TransactionalOutbox
from server.delays import Delays
from server.edge import Edge
from server.fanout import LocalFanout
from server.gateway import Gateway
from server.health import LocalHealth
from server.http_api import HttpApi
from server.metrics import Metrics
from server.operator_figures import figures_of, start_rating
from server.processing import Processing
from server.questions import Answer, answer_with
from server.reading import ReadElsewhere, ReadHere, Reading
from server.relays import FromListener, ToRelays
from server.rounds import Rounds
from server.settings import Settings
from server.sockets import LocalSockets
from server.spending import Meter, spending_of
from server.timekeeper import Timekeeper
from server.transaction_loop import TransactionLoop

_GAMES_AT_HAND, _PLIES_AT_HAND = 4_000, 120_000
"""Games whose board need not be replayed for the next move: 72 MB at most."""


class KeySigner:
    """Signs with a key in memory, as `ports.Signer`."""

    def __init__(self, key: SecretKey) -> None:
        self._key = key
        self.pubkey = key.pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        return self._key.sign(template)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a running server. Without relays it has no listener and no publisher, and
    announces nothing; without a bridge it has none for it.
    """

    arbiter: ArbiterDeps
    transactions: TransactionLoop
    processing: Processing
    timekeeper: Timekeeper
    delays: Delays
    edge: Edge
    meter: Meter
    gateway: Gateway
    http: HttpApi
    reader: ReadElsewhere | None
    bridge: BridgeApi | None
    metrics: Metrics
    sockets: LocalSockets
    listener: Listener | None
    to_relays: ToRelays | None
    announcing: ArbiterDeps | None
    relays: Sequence[str]


class _Shared:
    """The parts that several others use."""

    def __init__(
        self, settings: Settings, key: SecretKey, store: Store, clock: Clock, pgns: Pgns
    ) -> None:
        self.settings, self.key, self.store, self.clock = settings, key, store, clock
        self.signer = KeySigner(key)
        self.sockets, self.connections = LocalSockets(), MemoryConnections(self._look_soon)
        self.spending = spending_of(settings.budget, clock)
        self.fanout = LocalFanout(self.connections, self.sockets, self.spending)
        self.rate_limits = MemoryRateLimits()
        self.pgns = pgns
        self.delays, self.metrics = Delays(clock), Metrics()
        self.transactions = TransactionLoop(store, timed=self.delays.timed)
        self.edge = Edge(self.metrics)
        self.timers = SqliteTimers(store)
        self.republish = SqliteRepublishQueue(store, clock)
        self.outages = SqliteOutages(store) if settings.relays else None
        self.paired = no_pairs()
        house = frozenset(one.pubkey for one in settings.house)
        self.policy = KnownPolicy(
            *(StoredPolicy(SqliteTable(store)), clock, house, settings.operator or None),
            spending=self.spending,
        )
        has_bridge = bool(settings.bridge)
        self.outbox = (
            TransactionalOutbox(SqliteOutbox(store, clock), self.transactions)
            if has_bridge
            else None
        )

    def _look_soon(self, pubkey: str) -> None:
        # A server that ends closes all sockets.
        if not self.transactions.is_closing:
            table = SqliteTable(self.store)
            lobby = StoredLobby(table, self.clock)
            look_soon(StoredGames(table), lobby, self.timers, self.clock, pubkey)

    def rate_anew(self) -> None:
        """Have all ratings computed again, in a thread: it takes a second for some 10,000 games."""
        table = SqliteTable(self.store)
        work = partial(rate_anew, StoredGames(table), StoredRatings(table), self.republish)
        start_rating(lambda: work(StoredPolicy(table).load()))

    @property
    def relays(self) -> tuple[str, ...]:
        """The relays on which players find the arbiter, our own gateway last."""
        return (*self.settings.relays, self.settings.gateway_url)


def make_parts(
    settings: Settings,
    key: SecretKey,
    store: Store,
    clock: Clock | None = None,
    *,
    reads_elsewhere: bool = False,
) -> Parts:
    """All parts, none of them started; by the system's clock if none is given. Called in the event
    loop that they will run in. Unless it ``reads_elsewhere``, in a process to be started too, this
    one answers all that is read.
    """
    pgns = _kept_pgns(store) if reads_elsewhere else PgnCache()
    shared = _Shared(settings, key, store, clock or SystemClock(), pgns)
    reader = (
        ReadElsewhere(shared.rate_limits, shared.clock, shared.metrics) if reads_elsewhere else None
    )
    reading = reader or ReadHere(_answer(shared))
    rounds, meter = Rounds(), Meter(shared.spending, shared.sockets.bytes_sent)
    publisher, to_relays = _publishing(shared)
    arbiter = _arbiter(shared)
    processing = Processing(
        arbiter,
        shared.transactions,
        SqliteInbox(store, shared.clock),
        shared.sockets,
        shared.fanout,
        to_relays.publish if to_relays else None,
        shared.metrics,
        shared.paired,
        reading,
    )
    listener = _listener(shared, processing) if settings.relays else None
    _add_gauges(shared, listener)
    return Parts(
        arbiter=arbiter,
        transactions=shared.transactions,
        processing=processing,
        timekeeper=Timekeeper(store, shared.timers, shared.republish, shared.clock, processing),
        delays=shared.delays,
        edge=shared.edge,
        gateway=Gateway(
            _gateway(shared, processing),
            shared.sockets,
            shared.transactions,
            shared.metrics,
            reading,
            rounds,
            meter,
        ),
        meter=meter,
        http=_http(shared, arbiter, reading, rounds),
        reader=reader,
        bridge=_bridge(shared, processing),
        metrics=shared.metrics,
        sockets=shared.sockets,
        listener=listener,
        to_relays=to_relays,
        announcing=replace(arbiter, publisher=publisher) if publisher else None,
        relays=shared.relays,
    )


def make_answer(settings: Settings, key: SecretKey, store: Store) -> Answer:
    """The parts with which the process that reads answers."""
    return _answer(_Shared(settings, key, store, SystemClock(), _kept_pgns(store)))


def _kept_pgns(store: Store) -> SqlitePgns:
    return SqlitePgns(store.path.with_name("pgn.sqlite3"))


def _answer(shared: _Shared) -> Answer:
    # All who ask were counted by the process that asks.
    web = replace(
        _web(shared, StoredGames(SqliteTable(shared.store))), limits=Limits(per_address=0)
    )
    return answer_with(make_app(web), _gateway(shared, _Nothing()))


class _Nothing:
    """An `EventQueue` that takes nothing."""

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """All of them, not taken."""
        return batch


def _arbiter(shared: _Shared) -> ArbiterDeps:
    return ArbiterDeps(
        games=StoredGames(SqliteTable(shared.store), GameCache(_GAMES_AT_HAND, _PLIES_AT_HAND)),
        lobby=StoredLobby(SqliteTable(shared.store), shared.clock),
        ratings=StoredRatings(SqliteTable(shared.store)),
        tournaments=StoredTournaments(SqliteTable(shared.store)),
        timers=shared.timers,
        clock=shared.clock,
        rules=shared.settings.rules,
        server=shared.signer.pubkey,
        pairing_key=shared.key.derive(b"arbiter/pairing/1"),
        bridge=shared.settings.bridge or None,
        encrypter=KeyEncrypter(lambda: shared.key) if shared.outbox else None,
        rate_limits=shared.rate_limits,
        outages=shared.outages,
        delays=shared.delays,
        signer=shared.signer,
        publisher=shared.fanout,
        connections=shared.connections,
        sockets=shared.sockets,
        republish=shared.republish,
        queue=SqliteInbox(shared.store, shared.clock),
        public_url=shared.settings.public_url,
        outbox=shared.outbox,
        pgns=shared.pgns,
        transcripts=SqliteTranscripts(shared.store, shared.signer.pubkey),
        house_levels={one.pubkey: one.level for one in shared.settings.house},
        policy=shared.policy,
    )


def _bridge(shared: _Shared, processing: Processing) -> BridgeApi | None:
    settings = shared.settings
    if shared.outbox is None:
        return None
    return BridgeApi(
        settings.bridge,
        (*dict.fromkeys((settings.base_url, f"http://{settings.listen}")),),
        shared.outbox,
        processing,
        shared.transactions,
        shared.clock,
        shared.metrics,
    )


def _gateway(shared: _Shared, queue: EventQueue) -> GatewayDeps:
    return GatewayDeps(
        # A game that is read here is not the one whose board a transaction plays on.
        games=StoredGames(SqliteTable(shared.store)),
        lobby=StoredLobby(SqliteTable(shared.store), shared.clock),
        ratings=StoredRatings(SqliteTable(shared.store)),
        tournaments=StoredTournaments(SqliteTable(shared.store)),
        clock=shared.clock,
        signer=shared.signer,
        connections=shared.connections,
        sockets=shared.sockets,
        rate_limits=shared.rate_limits,
        queue=queue,
        shows_stored=False,
        pgns=shared.pgns,
        fanout=shared.fanout,
        server=shared.signer.pubkey,
        name=shared.settings.name,
        relay_url=shared.settings.gateway_url,
        relays=shared.relays,
        new_challenge=partial(secrets.token_hex, 16),
        limits=shared.settings.gateway,
        house=shared.settings.house,
        spending=shared.spending,
        policy=shared.policy,
    )


def _http(shared: _Shared, arbiter: ArbiterDeps, reading: Reading, rounds: Rounds) -> HttpApi:
    hot_seat = _web(shared, arbiter.games)
    own = replace(
        hot_seat,
        games=StoredGames(SqliteTable(shared.store)),
        own_urls=(*dict.fromkeys((shared.settings.base_url, f"http://{shared.settings.listen}")),),
        figures=figures_of(shared.metrics, shared.clock),
        rate_anew=shared.rate_anew,
    )
    return HttpApi(
        make_app(hot_seat),
        make_app(own),
        partial(objection_to, own),
        partial(refuse, own),
        reading,
        rounds,
        shared.transactions,
        shared.metrics,
    )


def _web(shared: _Shared, games: Games) -> WebDeps:
    settings, store = shared.settings, shared.store
    return WebDeps(
        games=games,
        lobby=StoredLobby(SqliteTable(store), shared.clock),
        ratings=StoredRatings(SqliteTable(store)),
        tournaments=StoredTournaments(SqliteTable(store)),
        archive=SqliteArchive(store),
        browsers=StoredBrowsers(SqliteTable(store)),
        health=LocalHealth(store, shared.transactions, settings.relays, shared.clock),
        republish=shared.republish,
        rate_limits=shared.rate_limits,
        clock=shared.clock,
        entropy=secrets.token_bytes,
        server=shared.signer.pubkey,
        name=settings.name,
        relays=shared.relays,
        public_url=settings.public_url,
        limits=settings.http,
        relay_information=relay_information(
            settings.name,
            shared.signer.pubkey,
            VERSION,
            CARRIED_KINDS,
            settings.gateway,
            settings.house,
        ),
        outages=shared.outages,
        client=built_client(),
        connections=shared.connections,
        pgns=shared.pgns,
        transcripts=SqliteTranscripts(store, shared.signer.pubkey),
        policy=shared.policy,
        spending=shared.spending,
    )


def _publishing(shared: _Shared) -> tuple[RelayPublisher | None, ToRelays | None]:
    """Both None without relays."""
    relays = shared.settings.relays
    if not relays:
        return None, None
    publisher = RelayPublisher(relays, authenticate=shared.signer.sign)
    return publisher, ToRelays(relays, publisher, shared.signer, shared.metrics)


def _listener(shared: _Shared, processing: Processing) -> Listener:
    return Listener(
        relays=shared.settings.relays,
        server_pubkey=shared.signer.pubkey,
        event_queue=FromListener(asyncio.get_running_loop(), processing),
        clock=shared.clock,
        outages=shared.outages,
        games=StoredGames(SqliteTable(shared.store)),
        paired=shared.paired,
        rules=shared.settings.rules,
        limits=ListenerLimits(sender=SenderLimits(at_once=1, pause_seconds=0.0)),
    )


def _add_gauges(shared: _Shared, listener: Listener | None) -> None:
    shared.metrics.gauge("Waiting", lambda: len(shared.transactions))
    shared.metrics.gauge("Sockets", lambda: len(shared.sockets))
    shared.metrics.gauge("Connections", lambda: len(shared.edge))
    shared.metrics.gauge("UnreadBytes", lambda: shared.edge.unread_bytes)
    if shared.outbox is not None:
        shared.metrics.gauge("OutboxWaiting", shared.outbox.count)
    if listener is not None:
        shared.metrics.gauge("RelaysHeard", lambda: listener.relays_heard)
        shared.metrics.counts_of("FromRelays", "result", lambda: listener.counters)
