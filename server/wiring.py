"""Creates the server's parts from its settings: the cloud's application on one file."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from arbiter import VERSION
from arbiter.adapters.memory.connections import MemoryConnections
from arbiter.adapters.memory.counters import MemoryRateLimits
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.publisher import Publisher
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.adapters.sqlite.archive import SqliteArchive
from arbiter.adapters.sqlite.browsers import SqliteBrowsers
from arbiter.adapters.sqlite.games import SqliteGames
from arbiter.adapters.sqlite.inbox import SqliteInbox
from arbiter.adapters.sqlite.lobby import SqliteLobby
from arbiter.adapters.sqlite.outages import SqliteOutages
from arbiter.adapters.sqlite.ratings import SqliteRatings
from arbiter.adapters.sqlite.republish import SqliteRepublishQueue
from arbiter.adapters.sqlite.store import Store
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.adapters.timers import SystemClock
from arbiter.application.deps import ArbiterDeps
from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.routing import CARRIED_KINDS
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip11 import relay_information
from arbiter.web.app import make_app
from arbiter.web.client_files import built_client
from arbiter.web.deps import WebDeps
from server.delivery import LocalDelivery
from server.gateway import Gateway
from server.http_api import HttpApi
from server.metrics import Metrics
from server.processing import Processing
from server.relays import FromListener, ToRelays
from server.settings import Settings
from server.sockets import LocalSockets
from server.timekeeper import Alarm, Timekeeper
from server.turns import Turns
from server.vitals import LocalVitals

_log = logging.getLogger("arbiter")


class KeySigner:
    """Signs with a key in memory, as `ports.Signer`."""

    def __init__(self, key: SecretKey) -> None:
        self._key = key
        self.pubkey = key.pubkey

    def sign(self, template: EventTemplate) -> VerifiedEvent:
        """The signed event."""
        return self._key.sign(template)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a running server is made of; without relays no listener and no publisher, and nothing
    to announce.
    """

    arbiter: ArbiterDeps
    turns: Turns
    processing: Processing
    timekeeper: Timekeeper
    gateway: Gateway
    http: HttpApi
    metrics: Metrics
    sockets: LocalSockets
    listener: Listener | None
    to_relays: ToRelays | None
    announcing: ArbiterDeps | None
    relays: Sequence[str]


def make_parts(settings: Settings, key: SecretKey, store: Store) -> Parts:
    """All parts, none of them started. Called in the event loop that they will run in."""
    clock, signer = SystemClock(), KeySigner(key)
    connections, sockets, rate_limits = MemoryConnections(), LocalSockets(), MemoryRateLimits()
    delivery = LocalDelivery(connections, sockets)
    games, lobby, ratings = SqliteGames(store), SqliteLobby(store, clock), SqliteRatings(store)
    stored_timers, republish = SqliteTimers(store), SqliteRepublishQueue(store, clock)
    outages = SqliteOutages(store) if settings.relays else None
    alarm, turns, metrics = Alarm(stored_timers), Turns(store), Metrics()
    publisher = Publisher(settings.relays, authenticate=signer.sign) if settings.relays else None
    to_relays = ToRelays(settings.relays, publisher, signer, metrics) if publisher else None
    arbiter = ArbiterDeps(
        games=games,
        lobby=lobby,
        ratings=ratings,
        timers=alarm,
        clock=clock,
        rules=settings.rules,
        server=signer.pubkey,
        pairing_key=key.derive(b"arbiter/pairing/1"),
        rate_limits=rate_limits,
        outages=outages,
        signer=signer,
        publisher=delivery,
        connections=connections,
        sockets=sockets,
        republish=republish,
    )
    processing = Processing(
        arbiter,
        turns,
        SqliteInbox(store, clock),
        sockets,
        delivery,
        to_relays.publish if to_relays else None,
        metrics,
    )
    relays = (*settings.relays, settings.gateway_url)
    gateway = GatewayDeps(
        # A game that is read here is not the one whose board a turn plays on.
        games=SqliteGames(store),
        lobby=lobby,
        ratings=ratings,
        clock=clock,
        signer=signer,
        connections=connections,
        sockets=sockets,
        rate_limits=rate_limits,
        queue=processing,
        delivery=delivery,
        server=signer.pubkey,
        name=settings.name,
        relay_url=settings.gateway_url,
        relays=relays,
        new_challenge=partial(secrets.token_hex, 16),
        limits=settings.gateway,
    )
    listener = None
    if settings.relays:
        listener = Listener(
            relays=settings.relays,
            server_pubkey=signer.pubkey,
            event_queue=FromListener(asyncio.get_running_loop(), processing),
            clock=clock,
            outages=outages,
            games=SqliteGames(store),
            limits=ListenerLimits(sender=SenderLimits(pause_seconds=0.0)),
        )
    web = WebDeps(
        games=games,
        ratings=ratings,
        archive=SqliteArchive(store),
        browsers=SqliteBrowsers(store),
        vitals=LocalVitals(store, turns, settings.relays, clock),
        republish=republish,
        rate_limits=rate_limits,
        clock=clock,
        entropy=secrets.token_bytes,
        server=signer.pubkey,
        name=settings.name,
        relays=relays,
        public_url=settings.public_url,
        limits=settings.http,
        relay_information=relay_information(
            settings.name, signer.pubkey, VERSION, CARRIED_KINDS, settings.gateway
        ),
        outages=outages,
        client=built_client(),
    )
    metrics.gauge("Waiting", lambda: len(turns))
    metrics.gauge("Sockets", lambda: len(sockets))
    if listener is not None:
        heard = listener
        metrics.gauge("RelaysHeard", lambda: heard.relays_heard)
    return Parts(
        arbiter=arbiter,
        turns=turns,
        processing=processing,
        timekeeper=Timekeeper(store, stored_timers, republish, alarm, clock, processing),
        gateway=Gateway(gateway, sockets, turns, metrics),
        http=HttpApi(
            make_app(web), make_app(replace(web, games=SqliteGames(store))), turns, metrics
        ),
        metrics=metrics,
        sockets=sockets,
        listener=listener,
        to_relays=to_relays,
        announcing=replace(arbiter, publisher=publisher) if publisher else None,
        relays=relays,
    )
