"""The peer's log, as the bridge asks for it. Only author, number and place are verified."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

MESSAGES_A_PAGE = 100

INVITES = frozenset({"chess_invite", "ssb_chess_invite"})
ACCEPTS = frozenset({"chess_invite_accept", "ssb_chess_invite_accept"})
CONTACT = "contact"
SAID_BY_ANYBODY = frozenset(
    f"{spelling}{name}"
    for spelling in ("", "ssb_")
    for name in ("chess_chat", "chess_move", "chess_game_end")
)
"""Messages that a bystander may send in a game, were it only to be refused."""


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
        return self.content.get("type") in INVITES

    @property
    def root(self) -> str:
        """The key of the invitation of its game; the peer reports no other messages."""
        return self.key if self.is_invite else str(self.content.get("root"))


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The facts that decide a game. ``follows``: where each player began or ended to follow us."""

    invite: Message
    accept: Message | None
    follows: Mapping[str, Sequence[tuple[int, bool]]]
    newest: str

    @property
    def players(self) -> tuple[str, str]:
        return self.invite.author, str(self.invite.content.get("inviting"))


class Answers(Protocol):
    """Answers requests about the log: a `Peer`."""

    def ask(self, what: str, **arguments: object) -> Mapping[str, Any]: ...


class PeerLog:
    """The messages that our peer has received. Everything here raises as `Peer.ask` does."""

    def __init__(self, peer: Answers) -> None:
        self._peer = peer

    def messages_after(self, after: int) -> Sequence[Message]:
        told = self._peer.ask("hear", after=after, most=MESSAGES_A_PAGE)
        return tuple(message_from(it) for it in told["messages"])

    def facts(self, root: str) -> GameFacts | None:
        return facts_from(self._peer.ask("game", root=root))

    def thread(self, root: str, until: int) -> Iterator[Message]:
        """The messages of both players and of our feed in a game, up to this place in the log."""
        after = -1
        while page := self._peer.ask("thread", root=root, after=after, most=500)["messages"]:
            for told in page:
                message = message_from(told)
                if message.at > until:
                    return
                yield message
            after = page[-1]["at"]

    def games(self, feed: str) -> Sequence[str]:
        return tuple(self._peer.ask("games", feed=feed)["roots"])

    def forks(self) -> Mapping[str, tuple[int, str]]:
        told = self._peer.ask("forks")["forks"]
        return {it["author"]: (it["sequence"], it["known"]) for it in told}


def message_from(told: Mapping[str, Any]) -> Message:
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


def facts_from(told: Mapping[str, Any]) -> GameFacts | None:
    """Read the facts of a game from the peer's JSON; None if its invitation is not known."""
    if told["invite"] is None:
        return None
    return GameFacts(
        invite=message_from(told["invite"]),
        accept=message_from(told["accept"]) if told["accept"] else None,
        follows={
            feed: tuple((at, following) for at, following in changes)
            for feed, changes in told["follows"].items()
        },
        newest=told["newest"],
    )
