"""The dependencies of the arbiter function, and the retry of a write that lost to another one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from arbiter.application import ports
from arbiter.application.connections import Connections, Sockets
from arbiter.application.policy import KnownPolicy
from arbiter.core.pgn_cache import PgnCache, Pgns
from arbiter.core.rules import Rules

T = TypeVar("T")

ATTEMPTS = 12
"""Two players of a game have a line in the queue each, and requests to play have four; each line is
decided by one process at a time. A player who fills their own line writes some thirty times a
second, and an attempt takes some ten milliseconds: hardly ever do all of them meet a newer game.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbiterDeps:
    """``server`` is the arbiter's own pubkey (64 hex), which players name in a ``p`` tag;
    ``bridge`` is that of the bridge to Scuttlebutt, if there is one. ``pairing_key`` is the secret
    by which colours and game ids are drawn. ``queue`` takes the arbiter's messages to itself, and
    ``engine`` pairs tournaments where no other process does. An arbiter without relays has no
    ``outages``, one of functions, which are late for each event alone, no ``delays``, one without a
    gateway no ``connections`` and ``sockets``, one without a bridge no ``outbox``. ``house_levels``
    has those who play anybody (64 hex) and how strong; ``house_queue`` takes requests to them where
    the arbiter has them play. ``encrypter`` reads what is for the arbiter alone. ``pgns`` keeps the
    texts of notes, and ``transcripts`` what players signed, where the disk is our own.
    ``recipients`` are told by ``notices`` that it is their turn, if the operator wants it.
    ``public_url`` is where pages are, empty where that is not known. ``policy`` is the operator's.
    ``last_shown`` has the id and version of the state that was told last, by game.
    """

    games: ports.Games
    lobby: ports.Lobby
    ratings: ports.Ratings
    tournaments: ports.Tournaments
    timers: ports.Timers
    clock: ports.Clock
    rules: Rules
    server: str
    pairing_key: bytes = field(repr=False)
    signer: ports.Signer
    publisher: ports.Publisher
    republish: ports.RepublishQueue
    queue: ports.EventQueue
    engine: ports.PairingEngine | None = None
    bridge: str | None = None
    encrypter: ports.Encrypter | None = None
    rate_limits: ports.RateLimits | None = None
    outages: ports.Outages | None = None
    delays: ports.Delays | None = None
    connections: Connections | None = None
    sockets: Sockets | None = None
    outbox: ports.Outbox | None = None
    public_url: str = ""
    house_levels: Mapping[str, int] = field(default_factory=dict)
    house_queue: ports.HouseQueue | None = None
    pgns: Pgns = field(default_factory=PgnCache)
    transcripts: ports.Transcripts | None = None
    recipients: ports.Recipients | None = None
    notices: ports.NoticeQueue | None = None
    policy: KnownPolicy = field(default_factory=KnownPolicy)
    last_shown: dict[str, tuple[str, str, int]] = field(default_factory=dict)


class Contended(Exception):
    """Other processes wrote first each time. The record is retried; nothing was changed."""


def retry_on_conflict(
    attempt: Callable[[ports.Conflict | None], T | ports.Conflict], attempts: int = ATTEMPTS
) -> T:
    """The first result that is no conflict; each is handed on. Raises ``Contended``."""
    conflict: ports.Conflict | None = None
    for _ in range(attempts):
        outcome = attempt(conflict)
        if not isinstance(outcome, ports.Conflict):
            return outcome
        conflict = outcome
    raise Contended


def is_to_be_told(deps: ArbiterDeps, what: str, seconds: int, now_ms: int) -> bool:
    """Whether the author (in ``what``) of a dropped event is told: once in so long."""
    try:
        return deps.rate_limits is not None and deps.rate_limits.take(
            f"told-of:{what}", 1, seconds, now_ms
        )
    except Exception:  # noqa: BLE001 - for a count that fails no event waits
        return False
