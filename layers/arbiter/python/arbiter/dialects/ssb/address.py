"""Where a player of Scuttlebutt sits: in which game of his, and what his feed is to it. Pure."""

from enum import StrEnum
from hashlib import sha256

import chess

from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.nostr.keys import placeholder_key

NAME = "ssb"

_COLORS = {"w": WHITE, "b": BLACK}


class Role(StrEnum):
    """What a feed is to a game: it invited us, we invited it, or it plays another feed and we
    judge.
    """

    HOST = "host"
    GUEST = "guest"
    REFEREED = "refereed"


def seat_of(server: str, feed: str, root: str, role: Role, color: chess.Color) -> Seat:
    """The seat of this feed in the game of this root, at the arbiter of this pubkey (64 hex).

    Its colour is part of the address, for the invitation has fixed it.
    """
    letter = "w" if color == WHITE else "b"
    return Seat(placeholder_key(server, NAME, feed), NAME, f"{feed} {root} {role} {letter}")


def feed_of(seat: Seat) -> str:
    """The feed's id."""
    return seat.address.split(" ")[0]


def root_of(seat: Seat) -> str:
    """The key of the invitation."""
    return seat.address.split(" ")[1]


def role_of(seat: Seat) -> Role:
    """What the feed is to this game."""
    return Role(seat.address.split(" ")[2])


def color_at(seat: Seat) -> chess.Color:
    """The colour that the invitation gives this seat."""
    return _COLORS[seat.address.split(" ")[3]]


def slot(seat: Seat) -> str:
    """The id (64 hex) of this seat's place in the lobby: one for each root, since in correspondence
    a player has many games at once.
    """
    return sha256(f"{seat.player} {root_of(seat)}".encode()).hexdigest()
