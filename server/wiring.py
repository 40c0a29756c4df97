"""Creates the server's parts from its settings: the cloud's application on one file."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arbiter.adapters.direct_messages import DirectMessages
from arbiter.adapters.items.game_cache import GameCache
from arbiter.adapters.items.policy import StoredPolicy
from arbiter.adapters.items.recipients import StoredRecipients
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.adapters.sqlite.queues import SqliteInbox, SqliteOutbox
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.table import SqliteTable
from arbiter.adapters.sqlite.transcripts import SqliteTranscripts
from arbiter.adapters.timers import SystemClock
from arbiter.adapters.web_push import WebPush
from arbiter.application.deps import ArbiterDeps
from arbiter.application.notices.tell import NoticeDeps
from arbiter.application.ports import Clock
from arbiter.application.re_rating import may_be_unfinished, rate_anew
from arbiter.core.pgn_cache import PgnCache
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip44 import KeyEncrypter
from arbiter.nostr.web_push import public_text, signing_key
from arbiter.web.app import make_app, objection_to, refuse
from server.bridge_api import BridgeApi, TransactionalOutbox
from server.delays import Delays
from server.edge import Edge
from server.gateway import Gateway
from server.http_api import HttpApi
from server.metrics import Metrics
from server.notices import Notices
from server.operator_figures import figures_of, start_rating
from server.processing import Processing
from server.reading import ReadElsewhere, ReadHere, Reading
from server.relays import FromListener, ToRelays
from server.rounds import Rounds
from server.settings import Settings
from server.shared import Shared, answer_of, gateway_deps, kept_pgns, web_deps
from server.sockets import LocalSockets
from server.spending import Meter
from server.timekeeper import Timekeeper
from server.transaction_loop import TransactionLoop

_GAMES_AT_HAND, _PLIES_AT_HAND = 4_000, 120_000
"""Games whose board need not be replayed for the next move: 72 MB at most."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a running server, None for what it is without."""

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
    notices: Notices
    announcing: ArbiterDeps | None
    relays: Sequence[str]
    finish_rating: Callable[[], None]


def make_parts(
    settings: Settings,
    key: SecretKey,
    store: Store,
    clock: Clock | None = None,
    *,
    reads_elsewhere: bool = False,
) -> Parts:
    """All parts, none started, for this loop; unless it ``reads_elsewhere`` it answers all."""
    pgns = kept_pgns(store) if reads_elsewhere else PgnCache()
    shared = Shared(settings, key, store, clock or SystemClock(), pgns)
    reader = (
        ReadElsewhere(shared.rate_limits, shared.clock, shared.metrics) if reads_elsewhere else None
    )
    reading = reader or ReadHere(answer_of(shared))
    rounds, meter = Rounds(), Meter(shared.spending, shared.sockets.bytes_sent)
    publisher, to_relays = _publishing(shared)
    outbox = _outbox(shared) if settings.bridge else None
    arbiter = _arbiter(shared, outbox)
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
        notices := _notices(shared),
    )
    listener = _listener(shared, processing) if settings.relays else None
    _add_gauges(shared, listener, outbox)
    return Parts(
        arbiter=arbiter,
        transactions=shared.transactions,
        processing=processing,
        timekeeper=Timekeeper(store, shared.timers, shared.republish, shared.clock, processing),
        delays=shared.delays,
        edge=shared.edge,
        gateway=Gateway(
            gateway_deps(shared, processing),
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
        bridge=_bridge(shared, processing, outbox) if outbox else None,
        metrics=shared.metrics,
        sockets=shared.sockets,
        listener=listener,
        to_relays=to_relays,
        notices=notices,
        announcing=replace(arbiter, publisher=publisher) if publisher else None,
        relays=shared.relays,
        finish_rating=partial(_finish_rating, shared),
    )


def _outbox(shared: Shared) -> TransactionalOutbox:
    return TransactionalOutbox(SqliteOutbox(shared.store, shared.clock), shared.transactions)


def _notices(shared: Shared) -> Notices:
    table, relays = SqliteTable(shared.store), shared.settings.relays
    deps = NoticeDeps(
        recipients=StoredRecipients(table),
        games=StoredGames(table),
        lobby=StoredLobby(table, shared.clock),
        timers=shared.timers,
        clock=shared.clock,
        key=shared.key,
        policy=shared.policy,
        public_url=shared.settings.public_url,
        connections=shared.connections,
        messenger=DirectMessages(lambda: shared.key, relays) if relays else None,
        push=WebPush(lambda: shared.key, shared.settings.public_url),
    )
    loop = asyncio.get_running_loop()
    return Notices(deps, shared.metrics, loop.call_soon_threadsafe)


def _rate_anew(shared: Shared) -> None:
    """Have all ratings computed again, in a thread: it takes a second for some 10,000 games."""
    table = SqliteTable(shared.store)
    work = partial(rate_anew, StoredGames(table), StoredRatings(table), shared.republish)
    start_rating(lambda: work(StoredPolicy(table).load()))


def _finish_rating(shared: Shared) -> None:
    """Have ratings computed again if the process before this may have died of it."""
    policy = StoredPolicy(SqliteTable(shared.store)).load()
    if may_be_unfinished(policy, shared.clock.now_ms()):
        _rate_anew(shared)


def _arbiter(shared: Shared, outbox: TransactionalOutbox | None) -> ArbiterDeps:
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
        encrypter=KeyEncrypter(lambda: shared.key),
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
        outbox=outbox,
        pgns=shared.pgns,
        transcripts=SqliteTranscripts(shared.store, shared.signer.pubkey),
        recipients=StoredRecipients(
            SqliteTable(shared.store), lambda: public_text(signing_key(shared.key))
        ),
        house_levels={one.pubkey: one.level for one in shared.settings.house},
        policy=shared.policy,
    )


def _bridge(shared: Shared, processing: Processing, outbox: TransactionalOutbox) -> BridgeApi:
    settings = shared.settings
    return BridgeApi(
        settings.bridge,
        (*dict.fromkeys((settings.base_url, f"http://{settings.listen}")),),
        outbox,
        processing,
        shared.transactions,
        shared.clock,
        shared.metrics,
    )


def _http(shared: Shared, arbiter: ArbiterDeps, reading: Reading, rounds: Rounds) -> HttpApi:
    hot_seat = web_deps(shared, arbiter.games)
    own = replace(
        hot_seat,
        games=StoredGames(SqliteTable(shared.store)),
        own_urls=(*dict.fromkeys((shared.settings.base_url, f"http://{shared.settings.listen}")),),
        figures=figures_of(shared.metrics, shared.clock),
        rate_anew=partial(_rate_anew, shared),
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
        SqliteTranscripts(shared.store, shared.signer.pubkey),
    )


def _publishing(shared: Shared) -> tuple[RelayPublisher | None, ToRelays | None]:
    """Both None without relays."""
    relays = shared.settings.relays
    if not relays:
        return None, None
    publisher = RelayPublisher(relays, authenticate=shared.signer.sign)
    return publisher, ToRelays(relays, publisher, shared.signer, shared.metrics)


def _listener(shared: Shared, processing: Processing) -> Listener:
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


def _add_gauges(
    shared: Shared, listener: Listener | None, outbox: TransactionalOutbox | None
) -> None:
    shared.metrics.gauge("Waiting", lambda: len(shared.transactions))
    shared.metrics.gauge("Sockets", lambda: len(shared.sockets))
    shared.metrics.gauge("Connections", lambda: len(shared.edge))
    shared.metrics.gauge("UnreadBytes", lambda: shared.edge.unread_bytes)
    if outbox is not None:
        shared.metrics.gauge("OutboxWaiting", outbox.count)
    if listener is not None:
        shared.metrics.gauge("RelaysHeard", lambda: listener.relays_heard)
        shared.metrics.counts_of("FromRelays", "result", lambda: listener.counters)
