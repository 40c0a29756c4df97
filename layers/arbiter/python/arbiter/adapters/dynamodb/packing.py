"""What a game has more and more of, as octets: moves, causes and times. Pure."""

import struct
from functools import cache

import chess

from arbiter.core.game import EVENT_KEY_BYTES

_TIME_BYTES = 5
"""Milliseconds for 34 years: a game may be left for long, and a time is told as exactly as it was
when the move was made.
"""


def pack_moves(moves: tuple[chess.Move, ...]) -> bytes:
    """Big-endian, 16 bits each: from square, to, promotion. ValueError for what is no such move."""
    # A null move would unpack as a1a1 and a drop as a plain move. Neither is ever legal, so neither
    # gets here.
    packed = [
        move.from_square << 9 | move.to_square << 3 | (move.promotion or 0)
        for move in moves
        if move.from_square != move.to_square and move.drop is None
    ]
    if len(packed) < len(moves):
        raise ValueError("only a move from one square to another can be packed")
    return struct.pack(f">{len(packed)}H", *packed)


def unpack_moves(octets: bytes) -> tuple[chess.Move, ...]:
    """What ``pack_moves`` made the octets of."""
    return tuple(map(_unpack_move, struct.unpack(f">{len(octets) // 2}H", octets)))


@cache
def _unpack_move(packed: int) -> chess.Move:
    """One value for each move there is (16 bits bound them), since most of a game is read over and
    over.
    """
    return chess.Move(packed >> 9, packed >> 3 & 63, (packed & 7) or None)


def pack_causes(causes: tuple[bytes, ...]) -> bytes:
    """One after the other, 8 bytes each; ValueError for one of another length."""
    if any(len(cause) != EVENT_KEY_BYTES for cause in causes):
        raise ValueError(f"a cause is {EVENT_KEY_BYTES} bytes")
    return b"".join(causes)


def unpack_causes(octets: bytes) -> tuple[bytes, ...]:
    """What ``pack_causes`` made the octets of."""
    return tuple(octets[at : at + EVENT_KEY_BYTES] for at in range(0, len(octets), EVENT_KEY_BYTES))


def pack_times(times_ms: tuple[int, ...], created_at_ms: int) -> bytes:
    """Unix milliseconds, 5 bytes each, counted from when the game was made."""
    return b"".join((at_ms - created_at_ms).to_bytes(_TIME_BYTES, "big") for at_ms in times_ms)


def unpack_times(octets: bytes, created_at_ms: int) -> tuple[int, ...]:
    """What ``pack_times`` made the octets of."""
    return tuple(
        created_at_ms + int.from_bytes(octets[at : at + _TIME_BYTES], "big")
        for at in range(0, len(octets), _TIME_BYTES)
    )
