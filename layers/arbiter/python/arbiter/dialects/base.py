"""What a dialect is: a value with a name, its kinds, and a few pure functions.

What a wire says of a position, a result or a clock is a claim: compared with the game, never
adopted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto

import chess

from arbiter.core.commands import Command
from arbiter.core.game import Game, Seat
from arbiter.core.replies import Reply
from arbiter.core.terms import PLAIN, Terms
from arbiter.nostr.event import EventTemplate, VerifiedEvent

KEYLESS = frozenset({"rest", "ssb"})
"""The dialects of those who have no Nostr key: a stand-in pubkey is in their seats, for which
nobody can sign, and nothing can be sealed.
"""


@dataclass(frozen=True, slots=True)
class RequestToPlay:
    """Its author wants to play on these terms; ``flaw`` is what no dialect could read of them."""

    seat: Seat
    terms: Terms = PLAIN
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class CancelRequests:
    """Its author wants to wait no more, and takes every challenge back."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class AnswerChallenge:
    """Its author accepts a challenge, or declines it for this reason. ``proof`` is what shows that
    they have its link (128 hex), where it takes one.
    """

    seat: Seat
    challenge_id: str
    declined: str | None = None
    proof: str = ""


@dataclass(frozen=True, slots=True)
class BeginGame:
    """Two players began a game by themselves, and want it judged: it is made if it is not there."""

    game_id: str
    white: Seat
    black: Seat


@dataclass(frozen=True, slots=True)
class GameCommand:
    """A command for one game. ``state_id`` is the event id of the state that it says it answers,
    if it says so. ``found_by_author`` says that no wire named the game: it is the one its author
    plays, and may have begun after the command was sent. ``signed_at`` is its author's own date
    (unix seconds; 0 where it decides nothing). ``begins`` is the game to make first, where the wire
    says how it began with every command.
    """

    game_id: str
    command: Command
    state_id: str | None = None
    found_by_author: bool = False
    signed_at: int = 0
    begins: BeginGame | None = None


@dataclass(frozen=True, slots=True)
class SlotCommand:
    """A command for the game that stands at this seat's place in the lobby: for wires that name the
    request a game came of. The command's author need not be the one whose seat it is.
    """

    seat: Seat
    command: Command


@dataclass(frozen=True, slots=True)
class ForkDetected:
    """Its author's log has two messages of one number, and this is the second that was heard; what
    it asks is not done. ``of`` is the game that it is about, by id or by a seat's place.
    """

    of: str | Seat
    author: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Something said beside a game and not to the arbiter. ``of`` as in ``ForkSeen``; ``author`` is
    a player's or a spectator's id (64 hex); it is for the players alone, or for everybody.
    """

    of: str | Seat
    author: str
    text: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class CurrentGameCommand:
    """A command for whatever game its author plays: for wires that name none, where "client can
    only play one game at time" (the NIP-100 draft).
    """

    command: Command


@dataclass(frozen=True, slots=True)
class NoSuchGame:
    """Meant for us, but it names no game that could be ours."""

    player: str
    text: str


@dataclass(frozen=True, slots=True)
class QueryStatus:
    """Its author asks where he stands, and wants nothing new."""

    seat: Seat


LobbyRequest = RequestToPlay | CancelRequests | AnswerChallenge | QueryStatus
Decoded = (
    LobbyRequest
    | GameCommand
    | CurrentGameCommand
    | SlotCommand
    | BeginGame
    | ForkDetected
    | Chat
    | NoSuchGame
)


@dataclass(frozen=True, slots=True)
class OkMessage:
    """``["OK", event_id, accepted, text]``, for wires on which that says what the arbiter thinks of
    the event, and not only that a relay has it.
    """

    event_id: str
    accepted: bool
    text: str


@dataclass(frozen=True, slots=True)
class SocketEvent:
    """``["EVENT", label, event]``: an event that nobody subscribed to. It is ours and yet to be
    signed, or a player's own, whole.
    """

    label: int
    event: EventTemplate | VerifiedEvent


@dataclass(frozen=True, slots=True)
class SocketMessage:
    """Something for sockets instead of relays: those of one player (64-hex pubkey), or (None) the
    one that the answered event came over.
    """

    to: str | None
    content: OkMessage | SocketEvent


@dataclass(frozen=True, slots=True)
class EncryptedEvent:
    """An event yet to be signed, whose content is to be sealed (NIP-44) for this player (64-hex
    pubkey) alone.
    """

    to: str
    event: EventTemplate


@dataclass(frozen=True, slots=True)
class SsbMessage:
    """Something for another network's log, which somebody else signs and publishes once for each
    ``id``: 64 hex digits, derived from what is said, so that saying it again is saying nothing.

    ``root`` is the message that its conversation began with; ``content`` is a JSON object without
    what only the publisher can know. ``recps`` are the feeds it is for, or nobody where it is
    public.
    """

    id: str
    root: str
    content: Mapping[str, object]
    recps: tuple[str, ...] = ()


Outgoing = EventTemplate | SocketMessage | EncryptedEvent | SsbMessage


class PreviousResult(Enum):
    """What came of an event when it was heard the first time."""

    ACCEPTED = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyContext:
    """Whom a reply is told, and what the wire needs beside it.

    ``colors`` are the seats that speak this dialect; ``event_key`` is the id (64 hex) of the event
    that is answered; ``at`` is the ``created_at`` (unix seconds) to sign with. ``heard`` is that
    event itself, and ``repeated`` what came of it before, if it was heard before.
    """

    colors: frozenset[chess.Color]
    event_key: str
    at: int
    answered_at: int
    heard: VerifiedEvent | None = None
    previous: PreviousResult | None = None


def _no_state(game: Game, event_id: str, server: str, times: Iterable[int]) -> bool:
    """On most wires nothing that players say names a state."""
    del game, event_id, server, times
    return False


def _no_verdict(replies: tuple[Reply, ...], telling: ReplyContext) -> tuple[SocketMessage, ...]:
    """On most wires only news are told."""
    del replies, telling
    return ()


def _unknown(seat: Seat) -> int:
    """On most wires a command names its game, and no date is needed to tell which."""
    del seat
    return 0


def _event_id(event: VerifiedEvent) -> str:
    """On most wires an event is what its author signed."""
    return event.id


def _player(seat: Seat) -> str:
    """On most wires a player has one game at a time, and one place to wait for it."""
    return seat.player


def _any_color(seat: Seat) -> None:
    """On most wires the address of a seat says nothing of its colour."""
    del seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One wire protocol.

    ``seeks`` are those of its ``kinds`` by which a player asks for a game; all others are said in
    one, and wait in line with it. ``by_socket`` is true where a player is whoever speaks on his own
    socket to our gateway, and nothing in an event says for whom it is; such kinds are not listened
    for on relays. Where it is false, the first ``d`` tag of an event names its game. ``by_bridge``
    is true where an event is a letter: another network's message, which our own bridge to it has
    checked and signed over. It is taken from nobody else. ``illegal_moves_to_lose`` overrides the
    operator's choice where the protocol itself has one. ``decode(event, received_at_ms)`` reads a
    verified event of one of ``kinds``. ``encode(reply, telling)`` writes a reply as events yet to
    be signed, or as frames; an empty tuple when the wire has no word for it. ``shows(game,
    event_id, server, times)`` tells whether the event of this id shows the game's present state,
    signed by this server at one of these times (unix seconds). ``acknowledge(replies, telling)`` is
    what the event itself is answered with, before any news and whoever else is told of them;
    ``replies`` are all that came of it. ``asked_at(seat)`` is how the player of this seat dated his
    request for the game (unix seconds), or 0. ``event_key(event)`` is the id (64 hex) under which a
    game remembers an event: its own, or that of the message a letter brings, of which there may be
    several. ``place(seat)`` is the id (64 hex) of the place in the lobby that this seat takes: its
    player, or one of several where he plays many games at once. ``color_at(seat)`` is the colour
    that the seat's address allows alone, or None.
    """

    name: str
    kinds: frozenset[int]
    seeks: frozenset[int]
    decode: Callable[[VerifiedEvent, int], Decoded]
    encode: Callable[[Reply, ReplyContext], tuple[Outgoing, ...]]
    shows: Callable[[Game, str, str, Iterable[int]], bool] = _no_state
    by_socket: bool = False
    by_bridge: bool = False
    illegal_moves_to_lose: int | None = None
    acknowledge: Callable[[tuple[Reply, ...], ReplyContext], tuple[SocketMessage, ...]] = (
        _no_verdict
    )
    asked_at: Callable[[Seat], int] = _unknown
    event_key: Callable[[VerifiedEvent], str] = _event_id
    slot: Callable[[Seat], str] = _player
    color_at: Callable[[Seat], chess.Color | None] = _any_color
