"""A feed's message on Scuttlebutt, in an envelope of our bridge."""

import json
from typing import Any

from arbiter.core.game import BLACK
from arbiter.dialects.ssb.address import Role, seat_of
from arbiter.dialects.ssb.messages import ENVELOPE
from arbiter.nostr.keys import SecretKey
from tests.builders import BRIDGE
from tests.envelopes import US, Content, a_feed, a_message
from tests.hostile.case import signed
from tests.hostile.scenario import MARK, NOW_MS, Scenario
from tests.nostr.hostile.case import SERVER, bytes_of

_ANNA, _BERT = a_feed("anna"), a_feed("bert")
_ROOT = a_message("the invitation")
_INVITED: Content = {"type": "chess_invite", "inviting": _BERT, "myColor": "white"}

BRIDGED = seat_of(SERVER.pubkey, _ANNA, a_message("root"), Role.HOST, BLACK)
"""A feed's seat: chat of Nostr reaches its player through the arbiter alone."""


def text_of(row: dict[str, Any]) -> str:
    """An envelope's text: Anna's ``message`` about her game against Bert, or what she ``invites``
    to, with other fields ``with`` it and some of its text to ``replace``.
    """
    if "text" in row:
        return str(row["text"])
    author, content = row.get("author", _ANNA), row.get("message", row.get("invites"))
    envelope = {
        "key": a_message(json.dumps([author, str(content)])),
        "author": author,
        "sequence": 7,
        "timestamp": NOW_MS - 5,
        "private": False,
        "us": US,
        "content": content,
        "invite": {"key": _ROOT, "author": _ANNA, "content": row.get("invites", _INVITED)},
    }
    if "message" not in row:
        envelope["key"] = _ROOT
    before, after = row.get("replace", ("", ""))
    return json.dumps({**envelope, **row.get("with", {})}).replace(before, after, 1)


def brought(scenario: Scenario, text: str, by: SecretKey = BRIDGE) -> str:
    """The status of this envelope; nothing that is said because of it repeats its words."""
    event = json.loads(bytes_of(signed(by, ENVELOPE, text, ("p", SERVER.pubkey))))
    status = scenario.from_queue([json.dumps({"event": event, "received_at_ms": NOW_MS})])
    for said in scenario.world.outbox.said:
        assert MARK not in json.dumps(dict(said.content))
    return status


BEGUN = (
    text_of({"invites": _INVITED}),
    text_of({"message": {"type": "chess_invite_accept", "root": _ROOT}, "author": _BERT}),
)
"""The envelopes in which Anna and Bert begin a game."""
