"""Feeds, messages and envelopes of Scuttlebutt in one line each."""

import base64
import hashlib
from typing import Any

from arbiter.dialects.ssb.messages import ENVELOPE, envelope_text
from arbiter.nostr.event import VerifiedEvent
from tests.builders import BRIDGE, SERVER, an_event

Content = dict[str, Any]


def a_feed(name: str) -> str:
    """The id of the feed of this person."""
    key = hashlib.sha256(f"feed of {name}".encode()).digest()
    return f"@{base64.b64encode(key).decode()}.ed25519"


def a_message(name: str) -> str:
    key = hashlib.sha256(f"message {name}".encode()).digest()
    return f"%{base64.b64encode(key).decode()}.sha256"


US = a_feed("the arbiter")


def an_envelope(
    author: str,
    key: str,
    content: Content,
    invite: tuple[str, str, Content] | None = None,
    *,
    is_private: bool = False,
    fork: Content | None = None,
    at: int = 1_800_000_000,
) -> VerifiedEvent:
    """The envelope of this message; ``invite`` is the invitation it is about, by key, author and
    content, if not itself.
    """
    root, inviter, invited = invite or (key, author, content)
    envelope: Content = {
        "key": key,
        "author": author,
        "sequence": 7,
        "timestamp": at * 1000 - 5,
        "private": is_private,
        "us": US,
        "content": content,
        "invite": {"key": root, "author": inviter, "content": invited},
    }
    text = envelope_text(envelope if fork is None else {**envelope, "fork": fork})
    return an_event(BRIDGE, ENVELOPE, text, (("p", SERVER.pubkey),), at)
