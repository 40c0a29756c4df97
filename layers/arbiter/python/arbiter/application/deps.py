"""What the arbiter function works with."""

from dataclasses import dataclass, field

from arbiter.application.connections import Connections, Sockets
from arbiter.application.ports import (
    Clock,
    Encrypter,
    Games,
    Lobby,
    Outages,
    Outbox,
    Publisher,
    RateLimits,
    Ratings,
    RepublishQueue,
    Signer,
    Timers,
)
from arbiter.core.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterDeps:
    """``server`` is the arbiter's own pubkey (64 hex), which players name in a ``p`` tag;
    ``bridge`` is that of the bridge to Scuttlebutt, if there is one. ``pairing_key`` is the secret
    by which colours and game ids are drawn. An arbiter without relays has no ``outages``, one
    without a gateway no ``connections`` and ``sockets``, one without a bridge no ``encrypter`` and
    ``outbox``.
    """

    games: Games
    lobby: Lobby
    ratings: Ratings
    timers: Timers
    clock: Clock
    rules: Rules
    server: str
    pairing_key: bytes = field(repr=False)
    signer: Signer
    publisher: Publisher
    republish: RepublishQueue
    bridge: str | None = None
    encrypter: Encrypter | None = None
    rate_limits: RateLimits | None = None
    outages: Outages | None = None
    connections: Connections | None = None
    sockets: Sockets | None = None
    outbox: Outbox | None = None


class Contended(Exception):
    """Others kept writing first. The record is retried; nothing was changed."""
