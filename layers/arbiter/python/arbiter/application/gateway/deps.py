"""The dependencies of the gateway, its answers on a socket, and the results of frames."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from arbiter.application import ports
from arbiter.application.connections import Connections, SocketBusy, Sockets, send_frame
from arbiter.application.gateway.address_frames import AddressFrames
from arbiter.application.gateway.player_cache import PlayerCache
from arbiter.application.gateway.reach import MayReach
from arbiter.application.gateway.taken_events import TakenEvents
from arbiter.application.policy import KnownPolicy
from arbiter.application.spending import Spending
from arbiter.core.game import is_game_id
from arbiter.core.pgn_cache import PgnCache, Pgns
from arbiter.nostr.client_messages import (
    AuthMessage,
    ClientMessage,
    CloseMessage,
    EventMessage,
    InvalidMessage,
    ReqMessage,
    Verb,
    closed_text,
    notice_text,
    ok_text,
)
from arbiter.nostr.event import ParseError, VerifiedEvent, first_tag, is_hex_32_bytes
from arbiter.nostr.filters import Filter
from arbiter.nostr.house import HousePlayer
from arbiter.nostr.nip11 import DEFAULT_LIMITS, RelayLimits

_log = logging.getLogger("arbiter")

RATE_SECONDS = 10
"""The window in which frames, events and REQs are counted."""

ParsedFrame = ClientMessage | InvalidMessage | ParseError


class Deliveries(Protocol):
    """The way to our subscribers."""

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        may_reach: MayReach | None = None,
    ) -> ports.Report:
        """As `ports.Publisher`; ``may_reach`` counts deliveries for who causes them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayDeps:
    """The dependencies of the gateway.

    ``fanout`` brings players' events to our subscribers; ``server`` is the arbiter's pubkey (64
    hex); ``relay_url`` is where clients find us, for NIP-42 to name; ``relays`` are all URLs that
    the arbiter announces, ours among them; ``new_challenge`` draws an unpredictable text. ``house``
    and ``public_url`` are announced too; ``players`` are those of the games that were looked up
    here, ``taken`` the events that were taken here, ``frames`` the counts of each address, ``pgns``
    the texts of notes. Unless it ``shows_stored`` events itself, the caller of `answer_frame` does.
    """

    games: ports.Games
    lobby: ports.Lobby
    ratings: ports.Ratings
    tournaments: ports.Tournaments
    clock: ports.Clock
    signer: ports.Signer
    connections: Connections
    sockets: Sockets
    rate_limits: ports.RateLimits
    queue: ports.EventQueue
    fanout: Deliveries
    server: str
    name: str
    relay_url: str
    relays: tuple[str, ...]
    new_challenge: Callable[[], str]
    house: tuple[HousePlayer, ...] = ()
    public_url: str = ""
    limits: RelayLimits = field(default=DEFAULT_LIMITS)
    shows_stored: bool = True
    spending: Spending | None = None
    players: PlayerCache = field(default_factory=PlayerCache)
    taken: TakenEvents = field(default_factory=TakenEvents)
    frames: AddressFrames = field(default_factory=AddressFrames)
    pgns: Pgns = field(default_factory=PgnCache)
    policy: KnownPolicy = field(default_factory=KnownPolicy)


@dataclass(frozen=True, slots=True)
class StoredAsked:
    """The stored events that a REQ asks for. ``keys`` are whose share of reading they are."""

    subscription_id: str
    filters: tuple[Filter, ...]
    now_ms: int
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FrameResult:
    """The result of one frame: a word for log and counters, its event's id (unverified), our fault,
    and the name of the limit that refused it; ``game_id`` that the event names, ``group`` of the
    queue; ``asked`` is yet to be sent unless `GatewayDeps.shows_stored`.
    """

    status: str
    event_id: str = ""
    failure: Exception | None = None
    group: str = ""
    asked: StoredAsked | None = None
    limit: str = ""
    game_id: str = ""


class Objection(NamedTuple):
    """The text that refuses a message, with a NIP-01 prefix, and the limit's name."""

    text: str
    limit: str = ""


def say(deps: GatewayDeps, connection_id: str, *texts: str) -> bool:
    """Send these frames in order; False when the socket is gone. A busy one gets no more."""
    try:
        return all(send_frame(deps.connections, deps.sockets, connection_id, it) for it in texts)
    except SocketBusy:
        _log.warning({"status": "undelivered", "connection": connection_id})
        return True


def refusal(said: ParsedFrame, text: str) -> str:
    """The frame that refuses a message by its name: OK, CLOSED or NOTICE, with a NIP-01 prefix."""
    match said:
        case EventMessage(event) | AuthMessage(event):
            return ok_text(event.id, False, text)
        case InvalidMessage(Verb.EVENT | Verb.AUTH, event_id):
            return ok_text(event_id, False, text)
        case ReqMessage(subscription_id) | InvalidMessage(_, subscription_id):
            return closed_text(subscription_id, text)
        case CloseMessage() | ParseError():
            return notice_text(text)


def game_id_of(said: ParsedFrame) -> str:
    """The id of the game that the event in this message names (32 hex), or ""."""
    tag = first_tag(said.event, "d") if isinstance(said, EventMessage) else None
    return tag[1] if tag and len(tag) > 1 and is_game_id(tag[1]) else ""


def event_id_of(said: ParsedFrame) -> str:
    match said:
        case EventMessage(event) | AuthMessage(event):
            return event.id
        case InvalidMessage(Verb.EVENT | Verb.AUTH, event_id) if is_hex_32_bytes(event_id):
            return event_id
        case _:
            return ""
