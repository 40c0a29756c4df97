"""How kind 30 names games and players, and the address of a player's seat: start event, role,
colour, and the player's last move and its date.
"""

from enum import StrEnum
from hashlib import sha256

import chess

from arbiter.core.game import BLACK, GAME_ID_BYTES, WHITE, Seat
from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, is_hex_32_bytes

NAME = "jester"
KIND = 30

START = sha256(chess.STARTING_FEN.encode()).hexdigest()
"""What an open start refers to in an ``e`` tag."""

_COLORS = {"w": WHITE, "b": BLACK}
_HEAD = 3
"""Where the last move is in an address."""


class Role(StrEnum):
    """What a player is to a game: they began one with an opponent of ours, we began it for that
    opponent, or two play each other and we referee.
    """

    HOST = "host"
    GUEST = "guest"
    REFEREED = "refereed"


def private_reference(pubkey: str) -> str:
    """What a start for this player alone refers to in jesterui, which knows no ``p`` tag."""
    of_key = sha256(pubkey.encode()).hexdigest()
    return sha256(f"{of_key}{START}".encode()).hexdigest()


def refereed_game_id(start: str) -> str:
    """The id of the game that two players play from this start event."""
    return sha256(f"{NAME}{start}".encode()).digest()[:GAME_ID_BYTES].hex()


def references(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """The event ids in the ``e`` tags, in order; of a start, what it refers to."""
    return _values(event, "e")


def named_players(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    """The pubkeys in the ``p`` tags, in order, each once."""
    return tuple(dict.fromkeys(_values(event, "p")))


def _values(event: NostrEvent | VerifiedEvent, name: str) -> tuple[str, ...]:
    values = (tag[1] for tag in all_tags(event, name) if len(tag) > 1)
    return tuple(value for value in values if is_hex_32_bytes(value))


def names(event: NostrEvent | VerifiedEvent, server: str) -> bool:
    """Whether the event names the arbiter of this pubkey, in either spelling."""
    return server in named_players(event) or private_reference(server) in references(event)


def seat_of(player: str, start: str, role: Role, color: chess.Color) -> Seat:
    """The seat of this player in the game of this start event. The colour is part of the address,
    since the start fixes it.
    """
    return Seat(player, NAME, f"{start} {role} {'w' if color == WHITE else 'b'}")


def start_of(seat: Seat) -> str:
    """The id of the start event."""
    return seat.address.split(" ")[0]


def role_of(seat: Seat) -> Role:
    """What the player is to this game."""
    return Role(seat.address.split(" ")[1])


def color_at(seat: Seat) -> chess.Color:
    """The colour that the start gives this seat."""
    return _COLORS[seat.address.split(" ")[2]]


def head_of(seat: Seat) -> str:
    """The id of the player's last move or, before that, of the start: what the next move answers.
    jesterui shows a move only as the child of the one before it.
    """
    return (seat.address.split(" ")[_HEAD:] or [start_of(seat)])[0]


def head_made_at(seat: Seat) -> int | None:
    """The date (unix seconds) of the player's last move, by themselves; None before the first."""
    dates = seat.address.split(" ")[_HEAD + 1 :]
    return int(dates[0]) if dates else None


def after_move(seat: Seat, event_key: str, made_at: int) -> Seat:
    """The seat once its player's move with this event key and date is played."""
    parts = seat.address.split(" ")[:_HEAD]
    return Seat(seat.player, NAME, " ".join((*parts, event_key, str(made_at))))


def slot(seat: Seat) -> str:
    """The id (64 hex digits) of the seat's slot in the lobby: one for each start, since these games
    are played by correspondence, many at once.
    """
    return sha256(f"{NAME} {seat.player} {start_of(seat)}".encode()).hexdigest()
