"""An utterance, by what it says. Pure.

The law: **what is said stays.** A log is for ever and everybody's, so an utterance's id follows
from what it says, and it is published once however often it is derived. ``branch`` is left to the
bridge, which knows all keys.
"""

import json
from collections.abc import Mapping
from hashlib import sha256

from arbiter.core.game import Seat
from arbiter.dialects.dialect import ReplyContext, SsbMessage
from arbiter.dialects.ssb_address import feed_of, root_of
from arbiter.dialects.ssb_letters import SsbEnvelope, read_envelope


def publicly(root: str, content: Mapping[str, object], *what: object) -> SsbMessage:
    """This content for everybody, in the game of this root; ``what`` tells it from all else that is
    said there.
    """
    return SsbMessage(id_of(root, *what), root, {**content, "root": root})


def privately(seat: Seat, text: str, *what: object) -> SsbMessage:
    """A line of ours for this seat alone."""
    root = root_of(seat)
    content = {"type": "chess_chat", "root": root, "msg": f"Arbiter: {text}"}
    return SsbMessage(id_of(root, *what), root, content, (feed_of(seat),))


def id_of(root: str, *what: object) -> str:
    """The same for the same words in the same game, and for no others."""
    return sha256(json.dumps([root, *what]).encode()).hexdigest()


def heard_envelope(telling: ReplyContext) -> SsbEnvelope | None:
    """The letter that is answered, if it is one."""
    return read_envelope(telling.heard) if telling.heard else None
