"""An item of the table, whatever it is of: the values that its attributes have. Pure.

The law: **what we do not know survives.** A commit sets the attributes that changed and touches no
other, and a schema newer than ours is read for what we understand of it, so that old and new code
can run side by side. An item is in the words of botocore's low-level client: ``{"v": {"N": "7"}}``.
"""

from typing import Any

from arbiter.nostr.hexadecimal import is_hex_32_bytes

Item = dict[str, Any]

SCHEMA = 1


def stamp(version: int) -> Item:
    """What every item carries: the schema's version and its own."""
    return {"s": {"N": str(SCHEMA)}, "v": {"N": str(version)}}


def identity(text: str) -> Item:
    """A value for text that is often, but not always, 32 bytes in hex."""
    return {"B": bytes.fromhex(text)} if is_hex_32_bytes(text) else {"S": text}


def text_of(value: Item) -> str:
    """The text that ``identity`` made this value of."""
    octets: bytes | None = value.get("B")
    text: str = value["S"] if octets is None else octets.hex()
    return text


def octets_of(item: Item, name: str) -> bytes:
    """A binary attribute; none at all is an empty one."""
    octets: bytes = item[name]["B"] if name in item else b""
    return octets
