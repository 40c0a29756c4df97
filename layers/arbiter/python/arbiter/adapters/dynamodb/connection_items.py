"""Items of the short-lived table: sockets, and where their subscriptions are filed. Pure.

Invariant: everything stored for a socket can be found from its own partition, so one query removes
it, and expires ten minutes after API Gateway's longest connection.

=================  ===================  ===========================================================
pk                 sk                   what it is, and its attributes
=================  ===================  ===========================================================
``c#`` socket      ``-``                the socket: ``a`` address, ``h`` challenge, ``o`` opened
                                        (unix milliseconds), ``p`` public keys (32 bytes each),
                                        ``s`` ids of its subscriptions, ``f123`` the frames of one
                                        window of ten seconds
``c#`` socket      ``s#`` subscription  where the subscription is filed: ``t`` topics
``c#`` socket      ``n#`` public key    the socket is authenticated as this player
``t#`` topic       see `topic_items`    who subscribed to it
``n#`` public key  socket               the same as ``n#`` above, found from the player
=================  ===================  ===========================================================

All have ``expires_at``, in unix seconds, for the table's TTL.

A sort key has at most a kilobyte, and ``#`` separates its parts. So long or unusual texts of
strangers are replaced by their hash in keys (``short``).

Frames are counted in one attribute for each window, because an update cannot reset a counter. Each
write of a count removes the counters of the five minutes before; after a longer pause one is left
behind, at most two dozen times in a socket's two hours.
"""

import re
from collections.abc import Sequence
from hashlib import sha256

from arbiter.adapters.dynamodb.items import Item
from arbiter.application.connections import Connection

KEPT_SECONDS = 2 * 3600 + 600
"""API Gateway closes a socket after two hours, and may not report it."""

FRAME_WINDOW_MS = 10_000

_WINDOWS_SWEPT = 30
_WINDOW_NAMES = 1000
"""This many windows last longer than a socket, so that a name is not used twice."""

_PLAIN = re.compile(r"[0-9A-Za-z_.:,/-]{1,200}")


def connection_key(connection_id: str) -> Item:
    """The key of the socket's own item."""
    return {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": "-"}}


def filing_key(connection_id: str, subscription_id: str) -> Item:
    """The key of the item that lists the topics of a subscription."""
    return {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": f"s#{short(subscription_id)}"}}


def player_keys(connection_id: str, pubkey: str) -> tuple[Item, Item]:
    """The keys of the two items for an authenticated player: from the player, and from the
    socket.
    """
    return (
        {"pk": {"S": f"n#{pubkey}"}, "sk": {"S": connection_id}},
        {"pk": {"S": f"c#{connection_id}"}, "sk": {"S": f"n#{pubkey}"}},
    )


def expiry(now_ms: int) -> Item:
    """The expiry of what is written now."""
    return {"expires_at": {"N": str(now_ms // 1000 + KEPT_SECONDS)}}


def item_of_connection(connection: Connection, now_ms: int) -> Item:
    """The item of a new socket."""
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
        frames=int(item.get(_window_name(now_ms), {}).get("N", "0")),
        subscriptions=frozenset(item.get("s", {}).get("SS", ())),
    )


def counting(now_ms: int) -> str:
    """The update expression that adds ``:some`` to the frames of this window and removes those of
    older ones.

    All names in it are ours and not reserved words.
    """
    before = range(1, _WINDOWS_SWEPT + 1)
    swept = ", ".join(_window_name(now_ms - ago * FRAME_WINDOW_MS) for ago in before)
    return f"ADD {_window_name(now_ms)} :some REMOVE {swept}"


def item_of_filing(
    connection_id: str, subscription_id: str, topics: Sequence[str], now_ms: int
) -> Item:
    """The item that lists a subscription's topics (``short``)."""
    filed = {"t": {"SS": list(topics)}} if topics else {}
    return {**filing_key(connection_id, subscription_id), **filed, **expiry(now_ms)}


def topics_of_filing(item: Item) -> tuple[str, ...]:
    """The topics (``short``)."""
    return tuple(item.get("t", {}).get("SS", ()))


def short(text: str) -> str:
    """The text if it is short and plain, else ``=`` and its hash."""
    if _PLAIN.fullmatch(text):
        return text
    # A subscription id or a topic may hold a lone surrogate.
    return "=" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _window_name(now_ms: int) -> str:
    return f"f{now_ms // FRAME_WINDOW_MS % _WINDOW_NAMES}"
