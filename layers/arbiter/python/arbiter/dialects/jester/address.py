"""A seat's address in a game of kind 30: start, role, colour, last move and its date."""

from enum import StrEnum
from hashlib import sha256

import chess

from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.dialects.jester.wire import slot_of_start

NAME = "jester"
_COLORS = {"w": WHITE, "b": BLACK}
_HEAD = 3
"""The place of the last move in an address."""


class Role(StrEnum):
    """A player's part: they began one with ours, two play and we referee, or (once) we began."""

    HOST = "host"
    GUEST = "guest"
    REFEREED = "refereed"


def seat_of(player: str, start: str, role: Role, color: chess.Color) -> Seat:
    return Seat(player, NAME, f"{start} {role} {'w' if color == WHITE else 'b'}")


def start_of(seat: Seat) -> str:
    return seat.address.split(" ")[0]


def role_of(seat: Seat) -> Role:
    return Role(seat.address.split(" ")[1])


def color_at(seat: Seat) -> chess.Color:
    return _COLORS[seat.address.split(" ")[2]]


def head_of(seat: Seat) -> str:
    """The id that the next move answers: the player's last move or the start, as jesterui wants."""
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
    """The id (64 hex digits) of the seat's slot in the lobby: one for each start."""
    return sha256(f"{NAME} {seat.player} {start_of(seat)}".encode()).hexdigest()


def name_slot(seat: Seat) -> str | None:
    """The slot that leads from the start to the game; None where the game's id follows from it."""
    return None if role_of(seat) is Role.REFEREED else slot_of_start(start_of(seat))
