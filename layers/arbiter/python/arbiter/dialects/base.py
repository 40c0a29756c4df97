"""The parts of a dialect: a name, its kinds, two pure functions and a kind of wire.

Invariant: what an event says of a position, a result or a clock is a claim, never adopted.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, Literal

import chess

from arbiter.core.commands import Command
from arbiter.core.game import Game, Seat, is_game_id
from arbiter.core.replies import Reason, Reply
from arbiter.core.terms import PLAIN, Terms
from arbiter.core.tournaments.commands import TournamentCommand
from arbiter.dialects.outgoing import Outgoing, SocketMessage
from arbiter.nostr.event import NostrEvent, Tag, VerifiedEvent, all_tags

TOURNAMENT = 30327
"""The kind of the event that shows a tournament. Games of one name its address too."""

CALENDAR_EVENT, RSVP = 31923, 31925
"""The kinds of NIP-52 that show a tournament, and that answer it."""

PEOPLE = 30000
"""A follow set (NIP-51): who may join a tournament that names it."""

_KEYLESS = frozenset({"hot_seat", "ssb"})


def has_key(seat: Seat) -> bool:
    """Whether the player of this seat has a Nostr key; else their pubkey is a placeholder. Asked by
    a dialect that may know no other one, so the names are listed here.
    """
    return seat.dialect not in _KEYLESS


def tournament_address(server: str, tournament_id: str) -> str:
    return f"{TOURNAMENT}:{server}:{tournament_id}"


def named_tournament(
    event: NostrEvent | VerifiedEvent, server: str, kind: int = TOURNAMENT
) -> str | None:
    """The id of the one tournament of the arbiter ``server`` that the event names."""
    addresses = {tag[1] for tag in all_tags(event, "a") if len(tag) > 1}
    head, _, tournament_id = next(iter(addresses), "").rpartition(":")
    is_ours = len(addresses) == 1 and head == f"{kind}:{server}"
    return tournament_id if is_ours and is_game_id(tournament_id) else None


def tournament_tags(game: Game, server: str) -> tuple[Tag, ...]:
    """The tags of a game's events that name its tournament, round and board; or none."""
    place = game.tournament
    if place is None:
        return ()
    at = tournament_address(server, place.tournament_id)
    return ("a", at), ("round", f"{place.round}.{place.board}")


@dataclass(frozen=True, slots=True)
class RequestToPlay:
    """A request to play on these terms; ``flaw`` says what in it cannot be read."""

    seat: Seat
    terms: Terms = PLAIN
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class CancelRequests:
    """The author stops waiting and withdraws all their challenges."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AnswerChallenge:
    """The author accepts a challenge, declines it, or has it wait at this ``place`` (from 1).
    ``proof`` (128 hex digits) shows that they have a challenge's link.
    """

    seat: Seat
    challenge_id: str
    declined: str | None = None
    proof: str = ""
    place: int | None = None

    @property
    def accepts(self) -> bool:
        return self.declined is None and self.place is None


@dataclass(frozen=True, slots=True)
class BeginGame:
    """Two players began a game and want it refereed; created unless it exists."""

    game_id: str
    white: Seat
    black: Seat


@dataclass(frozen=True, slots=True)
class GameCommand:
    """A command for one game. ``state_id`` is the state that it names; ``found_by_author``: it
    names no game, so it is the present one; ``signed_at`` is the author's date (unix seconds; 0: of
    no weight); ``begins`` a game to create first.
    """

    game_id: str
    command: Command
    state_id: str | None = None
    found_by_author: bool = False
    signed_at: int = 0
    begins: BeginGame | None = None


@dataclass(frozen=True, slots=True)
class SlotCommand:
    """A command for the game in the slot of this seat, on wires that name its request. The author
    may be another; ``game_id`` is the game where the slot has none.
    """

    seat: Seat
    command: Command
    game_id: str | None = None


@dataclass(frozen=True, slots=True)
class ForkDetected:
    """The author's log has two messages of one number; this is the second, ``of`` a game."""

    of: str | Seat
    author: str


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat line ``of`` a game or slot; ``author`` is the id of a player or a spectator."""

    of: str | Seat
    author: str
    text: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class CurrentGameCommand:
    """A command for the author's present game, on wires that name none (NIP-100 draft)."""

    command: Command


@dataclass(frozen=True, slots=True)
class NoSuchGame:
    """The event names no game that could exist here."""

    player: str
    text: str


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """The author asks for their present state."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class BlockPlayer:
    """The author blocks this key (64 hex digits), or no longer."""

    seat: Seat
    whom: str
    blocks: bool


@dataclass(frozen=True, slots=True)
class ChangeNotices:
    """The author is to be told by direct message, or on a device (id, encrypted subscription), or
    no longer; or asks (no ``channel``). ``flaw`` says what cannot be read.
    """

    seat: Seat
    channel: Literal["dm", "push"] | None = None
    is_wanted: bool = True
    device: str = ""
    sealed: str = ""
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class TournamentAsked:
    """A command for a tournament, None: to be made; ratings and lists are filled in later."""

    tournament_id: str | None
    command: TournamentCommand


@dataclass(frozen=True, slots=True)
class TournamentFlaw:
    """A command for a tournament, if it names one, that cannot be read, and why."""

    player: str
    reason: Reason
    text: str
    tournament_id: str | None = None


LobbyRequest = RequestToPlay | CancelRequests | AnswerChallenge | QueryStatus | BlockPlayer
Decoded = (
    LobbyRequest
    | ChangeNotices
    | GameCommand
    | CurrentGameCommand
    | SlotCommand
    | BeginGame
    | ForkDetected
    | Chat
    | TournamentAsked
    | TournamentFlaw
    | NoSuchGame
)


@dataclass(frozen=True, slots=True)
class BridgedMessage:
    """Another network's message: its key, its conversation's, whether it asks for a game."""

    key: str
    root: str
    asks: bool


class PreviousResult(Enum):
    """The result of an event that comes again."""

    ACCEPTED = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyContext:
    """The recipients of a reply, and what its encoding needs: ``colors`` of seats in this dialect;
    the ``event`` that is answered, its key and ``previous`` result; ``at`` is the date to sign with
    (unix seconds), ``server`` the arbiter's pubkey.
    """

    colors: frozenset[chess.Color]
    event_key: str
    at: int
    answered_at: int
    server: str
    event: VerifiedEvent | None = None
    previous: PreviousResult | None = None


@dataclass(frozen=True, slots=True)
class Relay:
    """Relays, and our gateway as one of them. The first ``d`` tag of an event names its game."""

    is_on_relays: ClassVar[bool] = True

    def slot(self, seat: Seat) -> str:
        return seat.player

    def event_key(self, event: VerifiedEvent) -> str:
        """The key by which a game remembers the event (64 hex digits)."""
        return event.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Socket:
    """The player's own socket to our gateway; its kinds are not listened for on relays."""

    is_on_relays: ClassVar[bool] = False

    acknowledge: Callable[[tuple[Reply, ...], ReplyContext], tuple[SocketMessage, ...]]
    """The direct answer to the event, before any news."""
    asked_at: Callable[[Seat], int]
    """The date of the player's request (unix seconds), or 0."""

    def slot(self, seat: Seat) -> str:
        return seat.player

    def event_key(self, event: VerifiedEvent) -> str:
        return event.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    """Our bridge to another network, which has checked each message and signed its event."""

    event_key: Callable[[VerifiedEvent], str]
    """The key (64 hex digits) of the message that an event holds."""
    message: Callable[[VerifiedEvent], BridgedMessage | None]
    """The message that an event holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Events on relays that name the one that began their game, and neither the game nor us."""

    begun_by: Callable[[NostrEvent | VerifiedEvent], str | None]
    """Id of the event that started this event's game; None: the event names none."""
    first_event: Callable[[Seat], str | None]
    """Id of the event with which the seat's game began."""
    name_slot: Callable[[Seat], str | None]
    """The slot (64 hex digits) by which pages find the game under this wire's own name for it."""
    is_refereed: Callable[[Seat], bool]
    """Whether strangers write where both players of its game read."""
    in_game: Callable[[Command, Game, VerifiedEvent, int, str], Command]
    """``in_game(command, game, event, received_at_ms, server)``: the command in its game."""
    after_move: Callable[[Seat, str, int], Seat]
    """``after_move(seat, event_key, made_at)``: the seat once its move with this key is played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Messages that are kept for good: a game is a conversation, each request has its slot."""

    carrier: Bridge | Chain
    slot: Callable[[Seat], str]
    """The seat's slot in the lobby (64 hex digits)."""
    color_at: Callable[[Seat], chess.Color | None]
    """The one colour that the seat's address allows. None: both."""

    @property
    def is_on_relays(self) -> bool:
        return isinstance(self.carrier, Chain)

    def event_key(self, event: VerifiedEvent) -> str:
        return self.carrier.event_key(event) if isinstance(self.carrier, Bridge) else event.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One wire protocol: its name, its words, and the way of its events and replies."""

    name: str
    kinds: frozenset[int]
    """Kinds that players send."""
    seeks: frozenset[int]
    """The ``kinds`` by which players ask for a game; the others are queued with their game."""
    decode: Callable[[VerifiedEvent, int, str], Decoded]
    """``decode(event, received_at_ms, server)`` parses one of ``kinds`` for that arbiter."""
    encode: Callable[[Reply, ReplyContext], tuple[Outgoing, ...]]
    """Unsigned events or messages; empty where the wire has no form for the reply."""
    wire: Relay | Socket | Log = Relay()
    arbiter_kinds: frozenset[int] = frozenset()
    """Kinds that the arbiter alone signs."""
    shows: Callable[[Game, str, str, Iterable[int]], bool] = lambda *_: False
    """``shows(game, event_id, server, times)``: whether this id is of the game's present state."""
    illegal_moves_to_lose: int | None = None
    """Overrides the operator's setting."""

    @property
    def socket(self) -> Socket | None:
        return self.wire if isinstance(self.wire, Socket) else None

    @property
    def bridge(self) -> Bridge | None:
        carrier = self.wire.carrier if isinstance(self.wire, Log) else None
        return carrier if isinstance(carrier, Bridge) else None

    @property
    def chain(self) -> Chain | None:
        carrier = self.wire.carrier if isinstance(self.wire, Log) else None
        return carrier if isinstance(carrier, Chain) else None

    def is_for(self, event: NostrEvent | VerifiedEvent, server: str) -> bool:
        """Whether the event is for the arbiter ``server`` (64 hex), as far as it says so: a socket
        has one arbiter, and an RSVP (NIP-52) need name only the calendar event.
        """
        if event.kind == RSVP and named_tournament(event, server, CALENDAR_EVENT):
            return True
        named = [tag[1] for tag in all_tags(event, "p") if len(tag) > 1]
        if self.chain or (self.socket and not named):
            return True
        return server in named
