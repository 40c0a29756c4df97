"""Items of the short-lived table: sockets, their subscriptions, subscribers of a topic. Pure.

Invariant: everything stored for a socket can be found from its own partition, so one query removes
it, and expires ten minutes after API Gateway's longest connection.

=================  ===================  ===========================================================
pk                 sk                   what it is, and its attributes
=================  ===================  ===========================================================
``c#`` socket      ``-``                the socket: ``a`` address, ``h`` challenge, ``o`` opened
                                        (unix milliseconds), ``p`` public keys (32 bytes each),
                                        ``w`` those of events that it brought,
                                        ``s`` ids of its subscriptions, ``f123`` the frames of one
                                        window of ten seconds
``c#`` socket      ``s#`` subscription  where the subscription is filed: ``t`` topics
``c#`` socket      ``n#`` public key    the socket is authenticated as this player
``t#`` topic       ``-``                its members (``m``, a set): socket, ``#``, subscription id
                                        (``short``); for each an attribute of JSON: ``i`` the
                                        subscription's id, ``f`` its filters, ``a`` its address,
                                        ``t`` when it was filed (unix seconds); ``q`` until when
                                        (unix seconds) there may be more
``t#`` topic       a member             one more, in the same attribute
``t``, ``t1`` …    ``-``                the copies of the mark of `topic_cache`
``n#`` public key  socket               the same as ``n#`` above, found from the player
``a#`` public key  socket               the socket brought an event of this player's; ``a#`` in
                                        ``c#`` as well
``i#`` address     ``-``                ``n``, its open subscriptions on all sockets
=================  ===================  ===========================================================

All have ``expires_at``, in unix seconds, for the table's TTL. One BatchGetItem finds the
subscribers of an event: a topic has ``MAX_MEMBERS`` members, each short.

A sort key has at most a kilobyte, and ``#`` separates its parts. So long or unusual texts of
strangers are replaced by their hash in keys (``short``).

Frames are counted in one attribute for each window, because an update cannot reset a counter. Each
write of a count removes the counters of the five minutes before; after a longer pause one is left
behind, at most two dozen times in a socket's two hours.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

from arbiter.adapters.items.attributes import Item
from arbiter.application.connections import Connection, Subscriber
from arbiter.nostr.event import ParseError
from arbiter.nostr.filters import Filter, filter_from_json, filter_to_json
from arbiter.nostr.strict_json import write_ascii

KEPT_SECONDS = 2 * 3600 + 600
"""API Gateway closes a socket after two hours, and may not report it."""

FRAME_WINDOW_MS = 10_000

_WINDOWS_SWEPT = 30
_WINDOW_NAMES = 1000
"""This many windows last longer than a socket, so that a name is not used twice."""

_PLAIN = re.compile(r"[0-9A-Za-z_.:,/-]{1,200}")


def connection_key(connection_id: str) -> Item:
    return {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": "-"}}


def address_key(address: str) -> Item:
    return {"pk": {"S": f"i#{short(address)}"}, "sk": {"S": "-"}}


def filing_key(connection_id: str, subscription_id: str) -> Item:
    return {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": f"s#{short(subscription_id)}"}}


def player_keys(connection_id: str, pubkey: str, *, kind: str = "n") -> tuple[Item, Item]:
    """Both items' keys for an authenticated player (or author, ``a``): by player, by socket."""
    return (
        {"pk": {"S": f"{kind}#{pubkey}"}, "sk": {"S": connection_id}},
        {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": f"{kind}#{pubkey}"}},
    )


def expiry(now_ms: int) -> Item:
    return {"expires_at": {"N": str(now_ms // 1000 + KEPT_SECONDS)}}


def item_of_connection(connection: Connection, now_ms: int) -> Item:
    return {
        **connection_key(connection.id),
        "a": {"S": connection.address},
        "h": {"S": connection.challenge},
        "o": {"N": str(connection.opened_at_ms)},
        **expiry(now_ms),
    }


def connection_of_item(item: Item, now_ms: int) -> Connection:
    """The socket, with the frames of the present window that are written."""
    return Connection(
        id=item["pk"]["S"].removeprefix("c#"),
        address=item["a"]["S"],
        challenge=item["h"]["S"],
        opened_at_ms=int(item["o"]["N"]),
        pubkeys=frozenset(octets.hex() for octets in item.get("p", {}).get("BS", ())),
        authors=frozenset(octets.hex() for octets in item.get("w", {}).get("BS", ())),
        frames=int(item.get(_window_name(now_ms), {}).get("N", "0")),
        subscriptions=frozenset(item.get("s", {}).get("SS", ())),
    )


def counting(now_ms: int) -> str:
    """The update expression that adds ``:some`` to this window's frames and removes older ones."""
    before = range(1, _WINDOWS_SWEPT + 1)
    swept = ", ".join(_window_name(now_ms - ago * FRAME_WINDOW_MS) for ago in before)
    return f"ADD {_window_name(now_ms)} :some REMOVE {swept}"


def item_of_filing(
    connection_id: str, subscription_id: str, topics: Sequence[str], now_ms: int
) -> Item:
    filed = {"t": {"SS": list(topics)}} if topics else {}
    return {**filing_key(connection_id, subscription_id), **filed, **expiry(now_ms)}


def topics_of_filing(item: Item) -> tuple[str, ...]:
    return tuple(item.get("t", {}).get("SS", ()))


def short(text: str) -> str:
    """The text if it is short and plain, else ``=`` and its hash."""
    if _PLAIN.fullmatch(text):
        return text
    # A subscription id or a topic may hold a lone surrogate.
    return "=" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _window_name(now_ms: int) -> str:
    return f"f{now_ms // FRAME_WINDOW_MS % _WINDOW_NAMES}"


MAX_MEMBERS = 12
"""A player has one or two, a game a few; a kind may have thousands."""

MEMBER_CHARS = 1_000
"""Keeps an item below twelve kilobytes, three read units."""


def topic_key(topic: str) -> Item:
    return {"pk": {"S": f"t#{topic}"}, "sk": {"S": "-"}}


def topic_of_item(item: Item) -> str:
    name: str = item["pk"]["S"].removeprefix("t#")
    return name


def member_name(connection_id: str, subscription_id: str) -> str:
    return f"{connection_id}#{short(subscription_id)}"


def member_value(subscriber: Subscriber, now_ms: int) -> str:
    filters = [filter_to_json(one) for one in subscriber.filters]
    value = {
        "i": subscriber.subscription_id,
        "f": filters,
        "a": subscriber.address,
        "t": now_ms // 1000,
    }
    return write_ascii(value)


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
            ":most": {"N": str(MAX_MEMBERS)},
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
    return {"pk": {"S": f"t#{topic}"}, "sk": {"S": member}}


def own_item(topic: str, member: str, value: str, now_ms: int) -> Item:
    return {**own_key(topic, member), "w": {"S": value}, **expiry(now_ms)}


def members_of(item: Item) -> Mapping[str, str]:
    if "w" in item:
        return {item["sk"]["S"]: item["w"]["S"]}
    return {name: item[name]["S"] for name in item.get("m", {}).get("SS", ()) if name in item}


def expired_members(item: Item, now_ms: int) -> tuple[str, ...]:
    return tuple(
        name
        for name, value in members_of(item).items()
        if orjson.loads(value)["t"] + KEPT_SECONDS <= now_ms // 1000
    )


def has_more(item: Item) -> bool:
    """Whether members of this topic may be in items of their own."""
    return "q" in item


def subscribers_of(members: Mapping[str, str]) -> Iterable[Subscriber | None]:
    """The subscriptions; None for one whose filters only a later release can parse."""
    for name, text in members.items():
        value = orjson.loads(text)
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
