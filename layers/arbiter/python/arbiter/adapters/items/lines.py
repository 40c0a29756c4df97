"""The lines of one player as octets: of which ply they are, for a release that knows none leaves
them, then each with its length before it. Thirty lines of thirty plies take 1.9 KB.
"""

import struct

from arbiter.adapters.items.attributes import pack_moves, unpack_moves
from arbiter.core.lines import Lines

_HEAD = struct.Struct(">32sQHH")
"""The event's key, its date (ms), the plies played when it came, and those played now."""


def pack_lines(lines: Lines | None, ply: int) -> bytes:
    """Empty for None. ``ply`` is the number of half-moves played."""
    if lines is None:
        return b""
    head = _HEAD.pack(lines.event_key, lines.made_at_ms, lines.set_at_ply, ply)
    return head + b"".join(bytes([len(line)]) + pack_moves(line) for line in lines.lines)


def unpack_lines(octets: bytes, ply: int) -> Lines | None:
    """The inverse of ``pack_lines``; without a line if they are of another ply."""
    if not octets:
        return None
    key, made_at_ms, set_at_ply, of_ply = _HEAD.unpack_from(octets)
    lines, at = [], _HEAD.size
    while at < len(octets) and of_ply == ply:
        end = at + 1 + 2 * octets[at]
        lines.append(unpack_moves(octets[at + 1 : end]))
        at = end
    return Lines(key, made_at_ms, set_at_ply, tuple(lines))
