"""Moves, event keys and times of a game as bytes. Pure."""

import struct
from functools import cache

import chess

from arbiter.core.game import EVENT_KEY_BYTES

_TIME_BYTES = 5
"""Milliseconds for 34 years."""


def pack_moves(moves: tuple[chess.Move, ...]) -> bytes:
    """Big-endian, 16 bits each: from square, to, promotion. Raises ValueError for a null move or a
    drop.
    """
    # A null move would unpack as a1a1 and a drop as a plain move. Neither is ever legal.
    packed = [
        move.from_square << 9 | move.to_square << 3 | (move.promotion or 0)
        for move in moves
        if move.from_square != move.to_square and move.drop is None
    ]
    if len(packed) < len(moves):
        raise ValueError("only a move from one square to another can be packed")
    return struct.pack(f">{len(packed)}H", *packed)


def unpack_moves(octets: bytes) -> tuple[chess.Move, ...]:
    """The inverse of ``pack_moves``."""
    return tuple(map(_unpack_move, struct.unpack(f">{len(octets) // 2}H", octets)))


@cache
def _unpack_move(packed: int) -> chess.Move:
    """Cached: 16 bits bound the number of moves, and most of a game is unpacked many times."""
    return chess.Move(packed >> 9, packed >> 3 & 63, (packed & 7) or None)


def pack_event_keys(keys: tuple[bytes, ...]) -> bytes:
    """Concatenated, 8 bytes each. Raises ValueError for another length."""
    if set(map(len, keys)) - {EVENT_KEY_BYTES}:
        raise ValueError(f"an event key is {EVENT_KEY_BYTES} bytes")
    return b"".join(keys)


def unpack_event_keys(octets: bytes) -> tuple[bytes, ...]:
    """The inverse of ``pack_event_keys``."""
    return tuple(octets[at : at + EVENT_KEY_BYTES] for at in range(0, len(octets), EVENT_KEY_BYTES))


def pack_times(times_ms: tuple[int, ...], created_at_ms: int) -> bytes:
    """Milliseconds since the start of the game, 5 bytes each."""
    return b"".join((at_ms - created_at_ms).to_bytes(_TIME_BYTES, "big") for at_ms in times_ms)


def unpack_times(octets: bytes, created_at_ms: int) -> tuple[int, ...]:
    """The inverse of ``pack_times``."""
    return tuple(
        created_at_ms + int.from_bytes(octets[at : at + _TIME_BYTES], "big")
        for at in range(0, len(octets), _TIME_BYTES)
    )
