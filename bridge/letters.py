"""Letters: messages of Scuttlebutt as the arbiter's queue takes them, signed with our own key.

The arbiter knows no ed25519. Our peer has checked who wrote a message; the arbiter checks that the
letter is ours, and everything that stands in it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from arbiter.application.routing import QueueEntry, letter_entry
from arbiter.dialects.ssb_letters import LETTER, MAX_LETTER_BYTES, letter_text
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.keys import SecretKey
from bridge.messages import Facts, Message


class Scribe:
    """Writes letters from our feed ``us`` to the arbiter with this pubkey (64 hex)."""

    def __init__(self, key: SecretKey, server: str, us: str) -> None:
        self._key = key
        self._server = server
        self._us = us

    def letter(
        self, facts: Facts, message: Message, now_ms: int, fork: tuple[int, str] | None = None
    ) -> QueueEntry | None:
        """A message of a game, as it waits in the queue; None where it cannot be one of chess.

        ``fork`` is a number that two messages of its author's log have, and the key of the one we
        know: then the letter says that.
        """
        event = self.event(facts, message, now_ms, fork)
        entry = letter_entry(event, now_ms) if event else None
        if entry is None or fork is None:
            return entry
        # The queue has had the message itself, and would take this for the same again.
        news = hashlib.sha256(f"fork:{fork[0]}:{message.key}".encode()).hexdigest()
        return replace(entry, dedup_id=news)

    def event(
        self, facts: Facts, message: Message, now_ms: int, fork: tuple[int, str] | None = None
    ) -> VerifiedEvent | None:
        """The letter itself; None where it would be too long."""
        invite = facts.invite
        text = letter_text(
            {
                "key": message.key,
                "author": message.author,
                "sequence": message.sequence,
                "timestamp": message.timestamp,
                "private": message.private,
                "us": self._us,
                "content": message.content,
                "invite": {
                    "key": invite.key,
                    "author": invite.author,
                    "content": invite.content,
                },
                **(_said_of(fork) if fork else {}),
            }
        )
        if len(text) > MAX_LETTER_BYTES:
            return None
        return self._key.sign(_template(self._server, text, now_ms))


def _template(server: str, text: str, now_ms: int) -> EventTemplate:
    return EventTemplate(
        kind=LETTER, tags=(("p", server),), content=text, created_at=now_ms // 1000
    )


def _said_of(fork: tuple[int, str]) -> Mapping[str, object]:
    sequence, known = fork
    return {"fork": {"sequence": sequence, "known": known}}
