"""The peer's log, as the bridge asks for it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from bridge.messages import Facts, Message, facts_from, message_from

MESSAGES_A_PAGE = 100


class Answers(Protocol):
    """What the log is requested from: a `Peer`."""

    def ask(self, what: str, **arguments: object) -> Mapping[str, Any]:
        """One request and its answer."""
        ...


class PeerLog:
    """The messages that our peer has received. Everything here raises as `Peer.ask` does."""

    def __init__(self, peer: Answers) -> None:
        self._peer = peer

    def heard(self, after: int) -> Sequence[Message]:
        """The next messages that came after this place in the log, of chess and of following."""
        told = self._peer.ask("hear", after=after, most=MESSAGES_A_PAGE)
        return tuple(message_from(it) for it in told["messages"])

    def facts(self, root: str) -> Facts | None:
        """What the game with this root can be judged by; None while its invitation is missing."""
        return facts_from(self._peer.ask("game", root=root))

    def thread(self, root: str, until: int) -> Iterator[Message]:
        """What the two players of a game and our feed have published in it, up to this place in the
        log.
        """
        after = -1
        while page := self._peer.ask("thread", root=root, after=after, most=500)["messages"]:
            for told in page:
                message = message_from(told)
                if message.at > until:
                    return
                yield message
            after = page[-1]["at"]

    def games(self, feed: str) -> Sequence[str]:
        """The roots of the games that this feed began or was invited to, the newest last."""
        return tuple(self._peer.ask("games", feed=feed)["roots"])

    def forks(self) -> Mapping[str, tuple[int, str]]:
        """For each forked feed the number that two of its messages have, and the key of ours."""
        told = self._peer.ask("forks")["forks"]
        return {it["author"]: (it["sequence"], it["known"]) for it in told}
