"""Items in general: attribute values, packed moves and times, conditional updates, conflicts.

Invariant: unknown attributes survive: a commit sets only those that changed, so that old and new
releases can run side by side. Items are botocore's, ``{"v": {"N": "7"}}``. Expressions hold only
our own names; values are parameters.
"""

import logging
import struct
from base64 import b64decode, b64encode
from functools import cache
from typing import Any

import chess

from arbiter.core.game import EVENT_KEY_BYTES
from arbiter.nostr.event import is_hex_32_bytes

Item = dict[str, Any]

SCHEMA = 1

_log = logging.getLogger(__name__)


def stamp(version: int) -> Item:
    return {"s": {"N": str(SCHEMA)}, "v": {"N": str(version)}}


def identity(text: str) -> Item:
    return {"B": bytes.fromhex(text)} if is_hex_32_bytes(text) else {"S": text}


def text_of(value: Item) -> str:
    octets: bytes | None = value.get("B")
    text: str = value["S"] if octets is None else octets.hex()
    return text


def dialect_of(value: Item) -> str:
    """The name of a dialect, of release 0.1 as it is now."""
    name: str = value["S"]
    return {"dilger": "native", "rest": "hot_seat"}.get(name, name)


def octets_text(value: object) -> str:
    """Bytes as DynamoDB JSON has them, in base64. Raises TypeError for what no item holds."""
    if isinstance(value, bytes):
        return b64encode(value).decode()
    raise TypeError(f"an item holds no {type(value).__name__}")


def with_octets(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [*map(with_octets, value)]
    if not isinstance(value, dict):
        return value
    # Of an attribute called B the value is an object; of a binary value it is a text.
    if isinstance(text := value.get("B"), str):
        return {"B": b64decode(text)}
    if isinstance(texts := value.get("BS"), list):
        return {"BS": [*map(b64decode, texts)]}
    return {name: with_octets(each) for name, each in value.items()}


def octets_of(item: Item, name: str) -> bytes:
    octets: bytes = item[name]["B"] if name in item else b""
    return octets


def update_of(table: str, version: int, before: Item, after: Item) -> Item:
    """UpdateItem's arguments from one item to the next, if ``version`` is unchanged (0: none is
    there). Only differences are written, so attributes of a newer schema stay.
    """
    new = version == 0
    changed = {k: v for k, v in after.items() if k != "pk" and (new or before.get(k) != v)}
    removed = [] if new else [name for name in before if name not in after]
    expression = "SET " + ", ".join(f"#{name} = :{name}" for name in changed)
    if removed:
        expression += " REMOVE " + ", ".join(f"#{name}" for name in removed)
    values = {f":{name}": value for name, value in changed.items()}
    names = {f"#{name}": name for name in (*changed, *removed)}
    condition = "attribute_not_exists(pk)"
    if not new:
        # Named here too: the version of an item may stay the same.
        condition, values[":version"], names["#v"] = "#v = :version", {"N": str(version)}, "v"
    return {
        "TableName": table,
        "Key": {"pk": after["pk"]},
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def log_conflict(of: str, id_: str = "") -> None:
    """Log a conflict, for the metric: ``of`` is our word, ``id_`` a game's id."""
    _log.info({"status": "conflict", "of": of, "game": id_})


_TIME_BYTES = 5
"""Milliseconds for 34 years."""


def pack_moves(
    moves: tuple[chess.Move, ...], begun: tuple[chess.Move, ...] = (), octets: bytes = b""
) -> bytes:
    """Big-endian, 16 bits each: from square, to, promotion. Moves that go on from ``begun``, which
    are packed as ``octets``, are added to these: to pack a whole game is 3 % of what a move costs.
    Raises ValueError for a null move or a drop.
    """
    if moves[: len(begun)] != begun:
        begun, octets = (), b""
    added = moves[len(begun) :]
    # A null move would unpack as a1a1 and a drop as a plain move. Neither is ever legal.
    packed = [
        move.from_square << 9 | move.to_square << 3 | (move.promotion or 0)
        for move in added
        if move.from_square != move.to_square and move.drop is None
    ]
    if len(packed) < len(added):
        raise ValueError("only a move from one square to another can be packed")
    return octets + struct.pack(f">{len(packed)}H", *packed)


def unpack_moves(octets: bytes) -> tuple[chess.Move, ...]:
    return tuple(map(_unpack_move, struct.unpack(f">{len(octets) // 2}H", octets)))


@cache
def _unpack_move(packed: int) -> chess.Move:
    """Cached: 16 bits bound the number of moves, and most of a game is unpacked many times."""
    return chess.Move(packed >> 9, packed >> 3 & 63, (packed & 7) or None)


def pack_event_keys(keys: tuple[bytes, ...]) -> bytes:
    if set(map(len, keys)) - {EVENT_KEY_BYTES}:
        raise ValueError(f"an event key is {EVENT_KEY_BYTES} bytes")
    return b"".join(keys)


def unpack_event_keys(octets: bytes) -> tuple[bytes, ...]:
    return tuple(octets[at : at + EVENT_KEY_BYTES] for at in range(0, len(octets), EVENT_KEY_BYTES))


def pack_times(times_ms: tuple[int, ...], created_at_ms: int) -> bytes:
    return b"".join((at_ms - created_at_ms).to_bytes(_TIME_BYTES, "big") for at_ms in times_ms)


def unpack_times(octets: bytes, created_at_ms: int) -> tuple[int, ...]:
    return tuple(
        created_at_ms + int.from_bytes(octets[at : at + _TIME_BYTES], "big")
        for at in range(0, len(octets), _TIME_BYTES)
    )
