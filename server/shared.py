"""The parts of both processes; what is for players alone (sockets, relays, pairing) is not
imported.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from arbiter import VERSION
from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredBrowsers, StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.memory.connections import MemoryConnections, MemoryRateLimits
from arbiter.adapters.relays.rate_limits import no_pairs
from arbiter.adapters.sqlite.archive import SqliteArchive
from arbiter.adapters.sqlite.outages import SqliteOutages
from arbiter.adapters.sqlite.pgns import SqlitePgns
from arbiter.adapters.sqlite.queues import SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.adapters.timers import SystemClock
from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.intake.routing import CARRIED_KINDS
from arbiter.application.play.presence import look_soon
from arbiter.application.policy import KnownPolicy
from arbiter.application.ports import Clock, EventQueue, Games
from arbiter.application.records import QueueEntry
from arbiter.core.pgn_cache import Pgns
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import relay_information
from arbiter.web.app import make_app
from arbiter.web.client_files import built_client
from arbiter.web.deps import Limits, WebDeps
from server.delays import Delays
from server.edge import Edge
from server.fanout import LocalFanout
from server.health import LocalHealth
from server.metrics import Metrics
from server.questions import Answer, CheckedTranscripts, answer_with
from server.settings import Settings
from server.sockets import LocalSockets
from server.spending import spending_of
from server.transaction_loop import TransactionLoop


class KeySigner:
    """Signs with a key in memory, as `ports.Signer`."""

    def __init__(self, key: SecretKey) -> None:
        self._key = key
        self.pubkey = key.pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        return self._key.sign(template)


class Shared:
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

    def _look_soon(self, pubkey: str) -> None:
        # A server that ends closes all sockets.
        if not self.transactions.is_closing:
            table = SqliteTable(self.store)
            lobby = StoredLobby(table, self.clock)
            look_soon(StoredGames(table), lobby, self.timers, self.clock, pubkey)

    @property
    def relays(self) -> tuple[str, ...]:
        """The relays on which players find the arbiter, our own gateway last."""
        return (*self.settings.relays, self.settings.gateway_url)


def make_answer(settings: Settings, key: SecretKey, store: Store) -> Answer:
    """The parts with which the process that reads answers."""
    return answer_of(Shared(settings, key, store, SystemClock(), kept_pgns(store)))


def kept_pgns(store: Store) -> SqlitePgns:
    return SqlitePgns(store.path.with_name("pgn.sqlite3"))


def answer_of(shared: Shared) -> Answer:
    transcripts = CheckedTranscripts(SqliteTranscripts(shared.store, shared.signer.pubkey))
    # All who ask were counted by the process that asks.
    web = replace(
        web_deps(shared, StoredGames(SqliteTable(shared.store))),
        limits=Limits(per_address=0),
        transcripts=transcripts,
    )
    return answer_with(make_app(web), gateway_deps(shared, _Nothing()), transcripts)


class _Nothing:
    """An `EventQueue` that takes nothing."""

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """All of them, not taken."""
        return batch


def gateway_deps(shared: Shared, queue: EventQueue) -> GatewayDeps:
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
        public_url=shared.settings.public_url,
        spending=shared.spending,
        policy=shared.policy,
    )


def web_deps(shared: Shared, games: Games) -> WebDeps:
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
