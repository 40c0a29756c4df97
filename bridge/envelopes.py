"""Envelopes: messages of Scuttlebutt in the form of the arbiter's queue, signed with the bridge's
key, since the arbiter knows no ed25519: our peer has verified the author.

Invariant: the arbiter receives what a client reads: other fields keep no move from being decided.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arbiter.application.intake.routing import bridged_entry
from arbiter.application.records import QueueEntry
from arbiter.dialects.ssb.messages import ENVELOPE, MAX_ENVELOPE_BYTES, envelope_text
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from arbiter.nostr.strict_json import ParseError, read_json
from bridge.peer_log import GameFacts, Message

_INVITED = ("type", "inviting", "myColor", "root")
"""The parts of an invitation that decide any message of its game."""

_OF_A_MOVE = ("orig", "dest", "ply", "promotion", "pgnMove", "fen")
_READ = (*_INVITED, *_OF_A_MOVE, "status", "winner", "msg")
"""Every field that the arbiter reads, of any type, except an invitation's texts."""

_TEXTS = ("text", "msg")
"""The text of an invitation, for the arbiter to find a name in."""

_MAX_FIELD_BYTES = 4096
"""As ASCII-only JSON: all of them together are an envelope."""

_NOTHING: list[object] = []
"""In the place of what cannot be carried. No field is a list, so the arbiter says `malformed`."""


class EnvelopeWriter:
    """Writes envelopes from our feed ``us`` to the arbiter with this pubkey (64 hex)."""

    def __init__(self, key: SecretKey, server: str, us: str) -> None:
        self._key = key
        self._server = server
        self._us = us

    def envelope(
        self, facts: GameFacts, message: Message, now_ms: int, fork: tuple[int, str] | None = None
    ) -> QueueEntry | None:
        """A message as it waits in the queue; None where it can be none of chess. ``fork`` is a
        number that two messages of its author's log have, and the key of the one we know.
        """
        event = self.event(facts, message, now_ms, fork)
        entry = bridged_entry(event, now_ms) if event else None
        if entry is None or fork is None:
            return entry
        # The queue has had the message itself, and would take this for the same again.
        news = hashlib.sha256(f"fork:{fork[0]}:{message.key}".encode()).hexdigest()
        return replace(entry, dedup_id=news)

    def event(
        self, facts: GameFacts, message: Message, now_ms: int, fork: tuple[int, str] | None = None
    ) -> VerifiedEvent | None:
        """The envelope: with all content, or else the fields that are read; None without those."""
        for content in (message.content, _fields(message.content, _READ)):
            text = self._text(facts, message, content, fork)
            if text is not None:
                return self._key.sign(_template(self._server, text, now_ms))
        return None

    def _text(
        self,
        facts: GameFacts,
        message: Message,
        content: Mapping[str, Any],
        fork: tuple[int, str] | None,
    ) -> str | None:
        invite = facts.invite
        invited = _fields(invite.content, _INVITED)
        if message.key == invite.key:
            invited |= _texts(invite.content)
        return _readable(
            {
                "key": message.key,
                "author": message.author,
                "sequence": message.sequence,
                "timestamp": message.timestamp,
                "private": message.private,
                "us": self._us,
                "content": content,
                "invite": {"key": invite.key, "author": invite.author, "content": invited},
                **(_said_of(fork) if fork else {}),
            },
            MAX_ENVELOPE_BYTES,
        )


def _readable(value: Mapping[str, Any], at_most: int) -> str | None:
    """As text of at most so many bytes that the arbiter can read; None if there is none."""
    try:
        text = envelope_text(value)
    except (RecursionError, ValueError):
        return None
    return None if isinstance(read_json(text, at_most), ParseError) else text


def _fields(content: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Those of these fields that are there, each a short text or a number, or nothing."""
    return {name: _field(content[name]) for name in names if name in content}


def _field(value: object) -> object:
    is_short = _readable({"": value}, _MAX_FIELD_BYTES) is not None
    return value if is_short and not isinstance(value, dict | list) else _NOTHING


def _texts(content: Mapping[str, Any]) -> dict[str, str]:
    """Whole, since a name may be at the end."""
    return {
        name: content[name].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for name in _TEXTS
        if isinstance(content.get(name), str)
    }


def _template(server: str, text: str, now_ms: int) -> EventTemplate:
    return EventTemplate(
        kind=ENVELOPE, tags=(("p", server),), content=text, created_at=now_ms // 1000
    )


def _said_of(fork: tuple[int, str]) -> Mapping[str, object]:
    sequence, known = fork
    return {"fork": {"sequence": sequence, "known": known}}
