"""Items in general: attribute values, conditional updates and conflicts. Pure, but for a log line.

Invariant: unknown attributes survive. A commit sets the attributes that changed and touches no
other, so that old and new releases can run side by side. Items are in the format of botocore's
low-level client, ``{"v": {"N": "7"}}``. Expressions hold only our own names; values are parameters,
so there is nothing to inject into.
"""

import logging
from typing import Any

from arbiter.nostr.event import is_hex_32_bytes

Item = dict[str, Any]

SCHEMA = 1

_log = logging.getLogger(__name__)


def stamp(version: int) -> Item:
    """The attributes of every item: schema version and item version."""
    return {"s": {"N": str(SCHEMA)}, "v": {"N": str(version)}}


def identity(text: str) -> Item:
    """The value of a text that is usually 32 bytes in hex."""
    return {"B": bytes.fromhex(text)} if is_hex_32_bytes(text) else {"S": text}


def text_of(value: Item) -> str:
    """The inverse of ``identity``."""
    octets: bytes | None = value.get("B")
    text: str = value["S"] if octets is None else octets.hex()
    return text


def octets_of(item: Item, name: str) -> bytes:
    """A binary attribute; empty if absent."""
    octets: bytes = item[name]["B"] if name in item else b""
    return octets


def update_of(table: str, version: int, before: Item, after: Item) -> Item:
    """The arguments of UpdateItem that turn one item into the next, on the condition that
    ``version`` is unchanged; 0 means that there is no item.

    Only differences are written, so attributes of a newer schema stay.
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
        condition, values[":version"] = "#v = :version", {"N": str(version)}
    return {
        "TableName": table,
        "Key": {"pk": after["pk"]},
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def log_conflict(of: str, id_: str = "") -> None:
    """Log a conflict, for the metric. ``of`` is one of our words, ``id_`` the game's id if it is
    about one.
    """
    _log.info({"status": "conflict", "of": of, "game": id_})
