"""Which messages go to the arbiter, and when. Pure.

A game that our feed plays opens with its invitation. A game between two other feeds opens once
there are its invitation and the invited feed's acceptance, and both players follow our feed. All
earlier messages go in then, in the order of play; later ones as they arrive.

Invariant: a gate that has opened stays open, so a losing player cannot send the arbiter away by
unfollowing it. Everything is derived from the order of our log, so a bridge that has lost its
memory sends the same envelopes again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from arbiter.dialects.ssb.messages import MAX_PLY
from bridge.peer_log import ACCEPTS, CONTACT, SAID_BY_ANYBODY, Facts, Message

MOST_OF_A_BYSTANDER = 20
"""In one game; the peer reports no more."""


def opens_at(facts: Facts, us: str) -> int | None:
    """The place in our log from which on a game's messages go in; None while they do not."""
    inviter, invited = facts.players
    if inviter == invited:
        return None
    if us in (inviter, invited):
        return facts.invite.at
    if facts.accept is None:
        return None
    return _both_follow(facts, max(facts.invite.at, facts.accept.at))


def _both_follow(facts: Facts, begun: int) -> int | None:
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


def lets_in(facts: Facts, us: str, message: Message) -> bool:
    """Whether a message of this game is for the arbiter at all, once the gate is open. Its own are
    not. Of a bystander's some are: spectators chat, and other readers of the log take a forged end
    for one until the arbiter answers it.
    """
    if message.author == us:
        return False
    if message.author in facts.players:
        return True
    is_public = not message.private and message.content.get("type") in SAID_BY_ANYBODY
    return is_public and message.nth <= MOST_OF_A_BYSTANDER


def as_played(facts: Facts, us: str, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages of a game that are let in, in the order of the game: the invitation, its
    acceptance, then by ply, then by their authors' clocks.

    A message without a ply, or with one that no game reaches, gets that of its author's message
    before it: a resignation after the twentieth move comes there, however wrong its author's clock.
    """
    plies = _plies(messages)

    def turn(message: Message) -> tuple[int, int, float, str]:
        is_accept = message.content.get("type") in ACCEPTS
        rank = 0 if message.is_invite else 1 if is_accept else 2
        return rank, plies[message.key], message.timestamp, message.key

    return tuple(sorted((it for it in messages if lets_in(facts, us, it)), key=turn))


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
    """What the gate reads: a `PeerLog`."""

    def facts(self, root: str) -> Facts | None:
        """What a game can be judged by."""
        ...

    def thread(self, root: str, until: int) -> Iterable[Message]:
        """A game's messages up to a place in the log."""
        ...

    def games(self, feed: str) -> Sequence[str]:
        """The games of a feed, by their roots."""
        ...


def released(log: Log, us: str, heard: Message) -> Iterator[tuple[Facts, Message]]:
    """What goes in because of one message: itself, or all that waited for it; each with its game's
    facts.
    """
    if heard.content.get("type") == CONTACT:
        # Unfollowing opens nothing.
        for root in log.games(heard.author) if heard.content.get("following") is True else ():
            facts = log.facts(root)
            if facts is not None and opens_at(facts, us) == heard.at:
                yield from _all_of(log, us, facts, heard.at)
        return
    facts = log.facts(heard.root)
    opened = opens_at(facts, us) if facts else None
    if facts is None or opened is None or opened > heard.at:
        return
    if opened == heard.at:
        yield from _all_of(log, us, facts, heard.at)
    elif lets_in(facts, us, heard):
        yield facts, heard


def _all_of(log: Log, us: str, facts: Facts, until: int) -> Iterator[tuple[Facts, Message]]:
    waited = tuple(log.thread(facts.invite.key, until))
    return ((facts, message) for message in as_played(facts, us, waited))
