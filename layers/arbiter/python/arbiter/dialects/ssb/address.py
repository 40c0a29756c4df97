"""The address of an SSB player's seat: feed, invitation, role and colour."""

from enum import StrEnum
from hashlib import sha256

import chess

from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.nostr.keys import placeholder_key

NAME = "ssb"

_COLORS = {"w": WHITE, "b": BLACK}


class Role(StrEnum):
    """A feed's part in a game: it invited us, we it, or it plays another and we referee."""

    HOST = "host"
    GUEST = "guest"
    REFEREED = "refereed"


def seat_of(server: str, feed: str, root: str, role: Role, color: chess.Color) -> Seat:
    address = f"{feed} {root} {role} {'w' if color == WHITE else 'b'}"
    return Seat(placeholder_key(server, NAME, feed), NAME, address)


def feed_of(seat: Seat) -> str:
    return seat.address.split(" ")[0]


def root_of(seat: Seat) -> str:
    return seat.address.split(" ")[1]


def role_of(seat: Seat) -> Role:
    return Role(seat.address.split(" ")[2])


def color_at(seat: Seat) -> chess.Color:
    return _COLORS[seat.address.split(" ")[3]]


def slot(seat: Seat) -> str:
    """The id (64 hex digits) of the seat's slot in the lobby: one for each invitation."""
    return sha256(f"{seat.player} {root_of(seat)}".encode()).hexdigest()
