"""Who is told when it is their turn, as items of the table of games.

====  ====  ==========================================================
name  type  of a player
====  ====  ==========================================================
pk    S     ``notices#`` and the player's key
s v   N     the schema's version; the item's
doc   S     the ``Recipient`` as JSON, which a later release may add to
====  ====  ==========================================================

Subscriptions to Web Push are secrets: they are here as their players encrypted them for the
arbiter, so a copy of the table shows none.
"""

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from arbiter.adapters.items.attributes import Item, stamp
from arbiter.adapters.items.table import Table, Writes
from arbiter.core.notices import Device, Occasion, Recipient, Sending, Told
from arbiter.nostr.strict_json import write_json

_NAMES = sorted({one.name for one in fields(Recipient)} - {"player", "item_version"})


class StoredRecipients:
    """The recipients of one table. All methods raise its errors."""

    def __init__(self, table: Table, push_key: Callable[[], str] = str) -> None:
        """``push_key`` returns the key that signs pushes, empty where none are sent."""
        self._table = table
        self._push_key = push_key

    @property
    def push_key(self) -> str:
        return self._push_key()

    def load(self, player: str) -> Recipient:
        item = self._table.find(_key(player))
        return _recipient_of(player, item) if item else Recipient(player=player)

    def commit(self, before: Recipient, after: Recipient) -> bool:
        version = before.item_version
        update = (version, _item_of(before, version), _item_of(after, version + 1))
        if version:
            return self._table.update(update, None)[0]
        return self._table.write(Writes(updates=[update]))


def _key(player: str) -> Item:
    return {"pk": {"S": f"notices#{player}"}}


def _item_of(one: Recipient, version: int) -> Item:
    said = {name: getattr(one, name) for name in _NAMES}
    return {**_key(one.player), **stamp(version), "doc": {"S": write_json(said)}}


def _recipient_of(player: str, item: Item) -> Recipient:
    said: dict[str, Any] = json.loads(item["doc"]["S"])
    sending = said.get("sending")
    made = {
        **{name: value for name, value in said.items() if name in _NAMES},
        "devices": tuple(Device(**one) for one in said.get("devices", ())),
        "told": tuple(Told(**one) for one in said.get("told", ())),
        "waiting": tuple(Occasion(**one) for one in said.get("waiting", ())),
        "sending": sending
        and Sending(_occasions(sending), sending["began_ms"], sending["is_second"]),
    }
    return Recipient(player=player, item_version=int(item["v"]["N"]), **made)


def _occasions(sending: dict[str, Any]) -> tuple[Occasion, ...]:
    return tuple(Occasion(**one) for one in sending["occasions"])
