"""Messages of Scuttlebutt as the peer reports them. Their content is a stranger's; author, number
and place in our log are verified.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

INVITES = frozenset({"chess_invite", "ssb_chess_invite"})
ACCEPTS = frozenset({"chess_invite_accept", "ssb_chess_invite_accept"})
CONTACT = "contact"
SAID_BY_ANYBODY = frozenset(
    f"{spelling}{name}"
    for spelling in ("", "ssb_")
    for name in ("chess_chat", "chess_move", "chess_game_end")
)
"""What a bystander may send in a game, were it only to be refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message. ``timestamp`` (unix ms) is its author's claim; ``at`` its place in our log,
    which orders messages as they reached us; it is its author's ``nth`` in its game.
    """

    key: str
    author: str
    sequence: int
    timestamp: float
    private: bool
    content: Mapping[str, Any]
    at: int
    nth: int = 1

    @property
    def is_invite(self) -> bool:
        """Whether it is an invitation, and so the root of a game."""
        return self.content.get("type") in INVITES

    @property
    def root(self) -> str:
        """The key of the invitation of its game; the peer reports no other messages."""
        return self.key if self.is_invite else str(self.content.get("root"))


@dataclass(frozen=True, slots=True)
class Facts:
    """What a game can be decided by. ``follows`` has, for each of its two players, the places from
    which on they follow our feed or no longer do, the oldest first.
    """

    invite: Message
    accept: Message | None
    follows: Mapping[str, Sequence[tuple[int, bool]]]
    newest: str

    @property
    def players(self) -> tuple[str, str]:
        """The inviting and the invited feed."""
        return self.invite.author, str(self.invite.content.get("inviting"))


def message_from(told: Mapping[str, Any]) -> Message:
    """A message, from the peer's JSON."""
    return Message(
        key=told["key"],
        author=told["author"],
        sequence=told["sequence"],
        # JSON has 1e999 for it, and none for what that is read as: it comes as null.
        timestamp=told["timestamp"] or 0,
        private=told["private"],
        content=told["content"],
        at=told["at"],
        nth=told.get("nth", 1),
    )


def facts_from(told: Mapping[str, Any]) -> Facts | None:
    """What is known of a game, from the peer's JSON; None if its invitation is not known."""
    if told["invite"] is None:
        return None
    return Facts(
        invite=message_from(told["invite"]),
        accept=message_from(told["accept"]) if told["accept"] else None,
        follows={
            feed: tuple((at, following) for at, following in changes)
            for feed, changes in told["follows"].items()
        },
        newest=told["newest"],
    )
