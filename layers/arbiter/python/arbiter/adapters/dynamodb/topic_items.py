"""Who subscribed to a topic, as one item, so that one BatchGetItem finds the subscribers of an
event. Pure.

============  ======  =======================================================================
name          type    of a topic
============  ======  =======================================================================
pk            S       ``t#`` and the topic
sk            S       ``-``
m             SS      its members: socket, ``#``, subscription id (``short``)
(a member)    S       JSON: ``i`` the subscription's id, ``f`` its filters, ``a`` its address,
                      ``t`` when it was filed (unix seconds)
q             N       until when (unix seconds) more subscriptions may be in items of their own
expires_at    N       unix seconds, for the table's TTL
============  ======  =======================================================================

A topic has ``MOST_MEMBERS`` members, each short; all others are in items of their own, of the same
``pk``, with the same attribute: their member, which is also their sort key.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from arbiter.adapters.dynamodb.connection_items import KEPT_SECONDS, expiry, short
from arbiter.adapters.dynamodb.items import Item
from arbiter.application.connections import Subscriber
from arbiter.nostr.event import ParseError
from arbiter.nostr.filters import Filter, filter_from_json, filter_to_json

MOST_MEMBERS = 12
"""A player has one or two, a game a few; a kind may have thousands."""

MEMBER_CHARS = 1_000
"""So an item stays below twelve kilobytes, three read units."""


def topic_key(topic: str) -> Item:
    """The key of a topic (``short``)."""
    return {"pk": {"S": f"t#{topic}"}, "sk": {"S": "-"}}


def topic_of_item(item: Item) -> str:
    """The topic (``short``) of its item."""
    name: str = item["pk"]["S"].removeprefix("t#")
    return name


def member_name(connection_id: str, subscription_id: str) -> str:
    """The name of a subscription within a topic."""
    return f"{connection_id}#{short(subscription_id)}"


def member_value(subscriber: Subscriber, now_ms: int) -> str:
    """The subscription as JSON."""
    filters = [filter_to_json(one) for one in subscriber.filters]
    value = {
        "i": subscriber.subscription_id,
        "f": filters,
        "a": subscriber.address,
        "t": now_ms // 1000,
    }
    return json.dumps(value, separators=(",", ":"))


def joining(topic: str, member: str, value: str, now_ms: int) -> dict[str, Any]:
    """The arguments of UpdateItem that add or replace a member, unless the topic is full."""
    return {
        "Key": topic_key(topic),
        "UpdateExpression": "SET #member = :value, expires_at = :expiry ADD m :name",
        "ConditionExpression": (
            "attribute_exists(#member) OR attribute_not_exists(m) OR size(m) < :most"
        ),
        "ExpressionAttributeNames": {"#member": member},
        "ExpressionAttributeValues": {
            ":value": {"S": value},
            ":expiry": expiry(now_ms)["expires_at"],
            ":name": {"SS": [member]},
            ":most": {"N": str(MOST_MEMBERS)},
        },
    }


def overflowing(topic: str, member: str, now_ms: int) -> dict[str, Any]:
    """The arguments of UpdateItem that say that this member has an item of its own."""
    return {
        "Key": topic_key(topic),
        "UpdateExpression": "SET q = :expiry, expires_at = :expiry REMOVE #member DELETE m :name",
        "ExpressionAttributeNames": {"#member": member},
        "ExpressionAttributeValues": {
            ":expiry": expiry(now_ms)["expires_at"],
            ":name": {"SS": [member]},
        },
    }


def leaving(topic: str, *members: str) -> dict[str, Any]:
    """The arguments of UpdateItem that remove members, on the condition that the first is there."""
    names = {f"#m{number}": member for number, member in enumerate(members)}
    return {
        "Key": topic_key(topic),
        "UpdateExpression": f"REMOVE {', '.join(names)} DELETE m :names",
        "ConditionExpression": "attribute_exists(#m0)",
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {":names": {"SS": [*members]}},
    }


def own_key(topic: str, member: str) -> Item:
    """The key of a member's own item."""
    return {"pk": {"S": f"t#{topic}"}, "sk": {"S": member}}


def own_item(topic: str, member: str, value: str, now_ms: int) -> Item:
    """A member's own item."""
    return {**own_key(topic, member), "w": {"S": value}, **expiry(now_ms)}


def members_of(item: Item) -> Mapping[str, str]:
    """The members of a topic, each with its value; of an item of its own, that one."""
    if "w" in item:
        return {item["sk"]["S"]: item["w"]["S"]}
    return {name: item[name]["S"] for name in item.get("m", {}).get("SS", ()) if name in item}


def expired_members(item: Item, now_ms: int) -> tuple[str, ...]:
    """The members whose sockets must be gone."""
    return tuple(
        name
        for name, value in members_of(item).items()
        if json.loads(value)["t"] + KEPT_SECONDS <= now_ms // 1000
    )


def has_more(item: Item) -> bool:
    """Whether members of this topic may be in items of their own."""
    return "q" in item


def subscribers_of(members: Mapping[str, str]) -> Iterable[Subscriber | None]:
    """The subscriptions; None for one whose filters a later release wrote, which this one cannot
    parse.
    """
    for name, text in members.items():
        value = json.loads(text)
        filters: list[Filter] = []
        for each in value["f"]:
            match filter_from_json(each):
                case ParseError():
                    break
                case parsed:
                    filters.append(parsed)
        connection_id = name.partition("#")[0]
        if len(filters) < len(value["f"]):
            yield None
        else:
            yield Subscriber(connection_id, value["i"], tuple(filters), value["t"], value["a"])
