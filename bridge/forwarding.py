"""The messages that go to the arbiter, and when. Pure.

A game that our feed plays is forwarded from its invitation on; one between two other feeds once it
is accepted and both follow our feed: all earlier messages then, in the order of play.

Invariant: a game that is forwarded stays so: a losing player cannot send the arbiter away. All is
derived from our log's order, so a bridge without its memory sends the same envelopes again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from arbiter.dialects.ssb.messages import MAX_PLY
from bridge.peer_log import ACCEPTS, CONTACT, SAID_BY_ANYBODY, GameFacts, Message

MAX_OF_A_BYSTANDER = 20
"""In one game; the peer reports no more."""


def forwarded_from(facts: GameFacts, us: str) -> int | None:
    """The place in our log from which on a game is forwarded; None while it is not."""
    inviter, invited = facts.players
    if inviter == invited:
        return None
    if us in (inviter, invited):
        return facts.invite.at
    if facts.accept is None:
        return None
    return _both_follow(facts, max(facts.invite.at, facts.accept.at))


def _both_follow(facts: GameFacts, begun: int) -> int | None:
    """The first place from ``begun`` on at which both players follow us."""
    changes = sorted((at, feed, on) for feed in facts.players for at, on in facts.follows[feed])
    follows: dict[str, bool] = {}
    for number, (at, feed, on) in enumerate(changes):
        follows[feed] = on
        later = changes[number + 1][0] if number + 1 < len(changes) else None
        if all(follows.get(player) for player in facts.players) and (
            later is None or later > begun
        ):
            return max(at, begun)
    return None


def is_forwarded(facts: GameFacts, us: str, message: Message) -> bool:
    """Whether a message of a forwarded game is for the arbiter. Its own are not; of a bystander's
    those are that other readers of the log take for chat or for an end.
    """
    if message.author == us:
        return False
    if message.author in facts.players:
        return True
    is_public = not message.private and message.content.get("type") in SAID_BY_ANYBODY
    return is_public and message.nth <= MAX_OF_A_BYSTANDER


def in_game_order(facts: GameFacts, us: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of a game that are forwarded, in its order: the invitation, its acceptance, then
    by ply and their authors' clocks. One without a ply, or with one that no game reaches, has that
    of its author's message before it.
    """
    plies = _plies(messages)

    def order(message: Message) -> tuple[int, int, float, str]:
        is_accept = message.content.get("type") in ACCEPTS
        rank = 0 if message.is_invite else 1 if is_accept else 2
        return rank, plies[message.key], message.timestamp, message.key

    return tuple(sorted((it for it in messages if is_forwarded(facts, us, it)), key=order))


def _plies(messages: Sequence[Message]) -> dict[str, int]:
    latest: dict[str, int] = {}
    plies: dict[str, int] = {}
    for message in sorted(messages, key=lambda it: (it.author, it.sequence)):
        claimed = message.content.get("ply")
        if type(claimed) is int and 1 <= claimed <= MAX_PLY:
            latest[message.author] = claimed
        plies[message.key] = latest.get(message.author, 0)
    return plies


class Log(Protocol):
    """The part of the log that is read: a `PeerLog`."""

    def facts(self, root: str) -> GameFacts | None: ...

    def thread(self, root: str, until: int) -> Iterable[Message]: ...

    def games(self, feed: str) -> Sequence[str]: ...


def messages_to_forward(log: Log, us: str, heard: Message) -> Iterator[tuple[GameFacts, Message]]:
    """The messages, with their games' facts, to forward because of this one."""
    if heard.content.get("type") == CONTACT:
        # Unfollowing changes nothing.
        for root in log.games(heard.author) if heard.content.get("following") is True else ():
            facts = log.facts(root)
            if facts is not None and forwarded_from(facts, us) == heard.at:
                yield from _all_of(log, us, facts, heard.at)
        return
    facts = log.facts(heard.root)
    since = forwarded_from(facts, us) if facts else None
    if facts is None or since is None or since > heard.at:
        return
    if since == heard.at:
        yield from _all_of(log, us, facts, heard.at)
    elif is_forwarded(facts, us, heard):
        yield facts, heard


def _all_of(log: Log, us: str, facts: GameFacts, until: int) -> Iterator[tuple[GameFacts, Message]]:
    waited = tuple(log.thread(facts.invite.key, until))
    return ((facts, message) for message in in_game_order(facts, us, waited))
