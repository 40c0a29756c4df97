"""An item of the table, whatever it is of: the values that its attributes have. Pure.

The law: **what we do not know survives.** A commit sets the attributes that changed and touches no
other, and a schema newer than ours is read for what we understand of it, so that old and new code
can run side by side. An item is in the words of botocore's low-level client: ``{"v": {"N": "7"}}``.

What reading and writing items of our table takes, whatever the items are of.

Expressions hold our own names alone, and values are parameters: there is nothing to inject into.
"""

import logging
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

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


if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient

_RACES_LOST = {"None", "ConditionalCheckFailed", "TransactionConflict"}
"""The reasons to cancel a transaction that say no more than that somebody else was there first."""

_log = logging.getLogger(__name__)


def get(client: "DynamoDBClient", table: str, key: Item) -> Item | None:
    """The item of this key (strongly consistent), if there is one."""
    return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def update_of(table: str, version: int, before: Item, after: Item) -> Item:
    """What UpdateItem needs to turn one item into the next, if ``version`` still stands; 0 means
    that there is none.

    Only what differs is named, so attributes that a newer schema put there stay as they are.
    """
    new = version == 0
    changed = {k: v for k, v in after.items() if k != "pk" and (new or before.get(k) != v)}
    gone = [] if new else [name for name in before if name not in after]
    expression = "SET " + ", ".join(f"#{name} = :{name}" for name in changed)
    if gone:
        expression += " REMOVE " + ", ".join(f"#{name}" for name in gone)
    values = {f":{name}": value for name, value in changed.items()}
    names = {f"#{name}": name for name in (*changed, *gone)}
    condition = "attribute_not_exists(pk)"
    if not new:
        condition, values[":standing"] = "#v = :standing", {"N": str(version)}
    return {
        "TableName": table,
        "Key": {"pk": after["pk"]},
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    }


def tell_of_conflict(of: str, id_: str = "") -> None:
    """Log that a commit met a newer state, for the metric that counts them. ``of`` is a word of
    ours, ``id_`` the game's if it is one game's.
    """
    _log.info({"status": "conflict", "of": of, "game": id_})


def lost_a_race(error: ClientError) -> bool:
    """Whether a transaction failed for no more than that somebody else was there first."""
    if error.response["Error"]["Code"] != "TransactionCanceledException":
        return False
    reasons = error.response.get("CancellationReasons", [])
    return {reason.get("Code", "None") for reason in reasons} <= _RACES_LOST
