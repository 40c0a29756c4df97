"""The game of a browser as an item, in the same table as games. Pure.

====  ====  ==============================================================
name  type  of a browser
====  ====  ==============================================================
pk    S     ``b#`` and the SHA-256 of the browser id, in hex
s v   N     the schema's version and the item's, which is always 1
g     B     the game's id
====  ====  ==============================================================
"""

import hashlib

from arbiter.adapters.dynamodb.items import Item, octets_of, stamp


def browser_key(browser_id: str) -> Item:
    """The key of a browser's item."""
    # A browser id from a stranger may hold lone surrogates.
    octets = browser_id.encode("utf-8", "surrogatepass")
    return {"pk": {"S": f"b#{hashlib.sha256(octets).hexdigest()}"}}


def item_of_browser(browser_id: str, game_id: str) -> Item:
    """The item of a browser that started this game."""
    return {**browser_key(browser_id), **stamp(1), "g": {"B": bytes.fromhex(game_id)}}


def game_id_of_browser(item: Item) -> str:
    """The id of the game in a browser's item."""
    return octets_of(item, "g").hex()
