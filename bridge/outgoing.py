"""From the arbiter's outbox into our log, and before the first utterance our feed's name.

Invariant: a record is deleted once its utterance is on our disk, and the peer publishes an id once.
So a bridge that is killed between the two repeats nothing and loses nothing. While the peer fails,
everything waits in its order. What no peer would publish becomes a dead letter, which raises an
alarm, and does not hold up what follows it in its game.
"""

import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.sqs import OutboxRecord, QueueUnreachable
from bridge.messages import INVITES, Facts
from bridge.peer_process import PeerRefused, Told, answered

_LOG = logging.getLogger(__name__)
_ID = re.compile(r"[0-9a-f]{64}")
_FOR_EVER = frozenset({"bad-argument", "too-long", "unpublishable"})
"""Refusals that depend on the content: any peer would repeat them."""

NAME = "Arbiter"
"""Our feed's name; without one, ssb-chess shows its key."""


class OutboxRecords(Protocol):
    """The far end of the outbox."""

    def receive(self) -> Sequence[OutboxRecord]:
        """The next records. Raises QueueUnreachable."""
        ...

    def delete(self, record: OutboxRecord) -> None:
        """Delete it: it has been published. Raises QueueUnreachable."""
        ...

    def put_aside(self, record: OutboxRecord) -> None:
        """It never will be. Raises QueueUnreachable: then it comes again."""
        ...


class Publishes(Protocol):
    """A peer that publishes: a `Peer`."""

    def ask_soon(self, what: str, **arguments: object) -> "Future[Told]":
        """One request, to be answered later."""
        ...


class Games(Protocol):
    """What we have of games: a `PeerLog`."""

    def facts(self, root: str) -> Facts | None:
        """The newest message of a game, among other things; None of an unknown one."""
        ...


@dataclass(frozen=True, slots=True)
class Said:
    """What one record asks for: content for this game, to all or to these feeds."""

    id: str
    root: str
    content: Mapping[str, Any]
    recps: Sequence[str] | None


class _Fate(Enum):
    SAID = auto()
    NOT_YET = auto()
    NEVER = auto()


class Outgoing:
    """Receives, publishes, deletes; one thread uses it."""

    def __init__(
        self, *, us: str, records: OutboxRecords, peer: Publishes, games: Games, tally: Counters
    ) -> None:
        self._name = _name_of(us)
        self._is_named = False
        self._records = records
        self._peer = peer
        self._games = games
        self._tally = tally

    def step(self) -> None:
        """Say one batch of records. Raises QueueUnreachable, or as `Peer.ask` does."""
        held_up: set[str] = set()
        records = self._records.receive()
        if records and not self._is_named:
            self._tell_our_name()
        for wave in _waves(records):
            # A publication waits for the disk, and several of them wait together.
            asked = [
                (record, self._asked(record)) for record in wave if record.group_id not in held_up
            ]
            for record, answer in asked:
                match self._status(record, answer):
                    case _Fate.SAID:
                        self._records.delete(record)
                    case _Fate.NEVER:
                        self._put_aside(record)
                    case _Fate.NOT_YET:
                        held_up.add(record.group_id)

    def _tell_our_name(self) -> None:
        """Only before something else is published: a bridge whose folder was restored too early
        forks its feed by its first message.
        """
        try:
            answered(self._peer.ask_soon("publish", content=self._name))
        except PeerRefused as refusal:
            self._tally.add(f"unnamed-{refusal.kind}")
        self._is_named = True

    def _asked(self, record: OutboxRecord) -> "Future[Told] | None":
        said = read(record.body)
        if said is None:
            return None
        content = {**said.content, "utterance": said.id}
        if said.content.get("type") not in INVITES:
            # The arbiter cannot know the keys of what we have published since.
            facts = self._games.facts(said.root)
            content |= {"branch": facts.newest if facts else said.root}
        private = {"recps": [*said.recps]} if said.recps else {}
        return self._peer.ask_soon("publish", content=content, **private)

    def _status(self, record: OutboxRecord, answer: "Future[Told] | None") -> _Fate:
        if answer is None:
            return self._unsaid(record, "unreadable", _Fate.NEVER)
        try:
            again = answered(answer)["again"]
        except PeerRefused as refusal:
            status = _Fate.NEVER if refusal.kind in _FOR_EVER else _Fate.NOT_YET
            return self._unsaid(record, refusal.kind, status)
        self._tally.add("said-before" if again else "said")
        return _Fate.SAID

    def _unsaid(self, record: OutboxRecord, why: str, status: _Fate) -> _Fate:
        self._tally.add(f"unsaid-{why}")
        said = read(record.body)
        _LOG.error({"status": "unsaid", "why": why, "id": said.id if said else ""})
        return status

    def _put_aside(self, record: OutboxRecord) -> None:
        try:
            self._records.put_aside(record)
        except QueueUnreachable:
            self._tally.add("not-put-aside")


def _name_of(feed: str) -> Mapping[str, str]:
    utterance = hashlib.sha256(f"about {feed} {NAME}".encode()).hexdigest()
    return {"type": "about", "about": feed, "name": NAME, "utterance": utterance}


def read(body: str) -> Said | None:
    """What a record asks for, or None where it is none of the arbiter's."""
    try:
        told = json.loads(body)
    except ValueError:
        return None
    match told:
        case {"id": str(id_), "root": str(root), "content": dict(content)} if _ID.fullmatch(id_):
            recps = told.get("recps")
            return Said(id_, root, content, recps if isinstance(recps, list) else None)
        case _:
            return None


def _waves(records: Sequence[OutboxRecord]) -> Iterator[Sequence[OutboxRecord]]:
    """The first record of each group, then the second of each, and so on."""
    groups: dict[str, list[OutboxRecord]] = {}
    for record in records:
        groups.setdefault(record.group_id, []).append(record)
    for turn in range(max(map(len, groups.values()), default=0)):
        yield [group[turn] for group in groups.values() if turn < len(group)]
