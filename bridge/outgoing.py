"""From the arbiter's outbox into our log, and before the first message our feed's name.

Invariant: a record is deleted once its message is on our disk, and the peer publishes an id once: a
bridge that is killed in between repeats and loses nothing. While the peer fails, all waits in its
order; what no peer would publish becomes a dead letter and holds up nothing.
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
from bridge.peer_log import INVITES, GameFacts
from bridge.peer_process import PeerJson, PeerRefused, await_answer

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

    def ask_soon(self, what: str, **arguments: object) -> "Future[PeerJson]": ...


class Games(Protocol):
    """The games as we have them: a `PeerLog`."""

    def facts(self, root: str) -> GameFacts | None:
        """The newest message of a game, among other things; None of an unknown one."""
        ...


@dataclass(frozen=True, slots=True)
class OutboxMessage:
    """The content of one record: for this game, to all or to these feeds."""

    id: str
    root: str
    content: Mapping[str, Any]
    recps: Sequence[str] | None


class PublishStatus(Enum):
    """The fate of a record."""

    PUBLISHED = auto()
    RETRY = auto()
    UNPUBLISHABLE = auto()


class Outgoing:
    """Receives, publishes, deletes; one thread uses it."""

    def __init__(
        self, *, us: str, records: OutboxRecords, peer: Publishes, games: Games, counters: Counters
    ) -> None:
        self._name = _name_of(us)
        self._is_named = False
        self._records = records
        self._peer = peer
        self._games = games
        self._counters = counters

    def step(self) -> None:
        """Publish one batch of records. Raises QueueUnreachable, or as `Peer.ask` does."""
        held_up: set[str] = set()
        records = self._records.receive()
        if records and not self._is_named:
            self._publish_our_name()
        for batch in _publish_batches(records):
            # A publication waits for the disk, and several of them wait together.
            asked = [
                (record, self._ask(record)) for record in batch if record.group_id not in held_up
            ]
            for record, answer in asked:
                match self._status(record, answer):
                    case PublishStatus.PUBLISHED:
                        self._records.delete(record)
                    case PublishStatus.UNPUBLISHABLE:
                        self._put_aside(record)
                    case PublishStatus.RETRY:
                        held_up.add(record.group_id)

    def _publish_our_name(self) -> None:
        """Only before something else: a folder restored too early forks its feed by it."""
        try:
            await_answer(self._peer.ask_soon("publish", content=self._name))
        except PeerRefused as refusal:
            self._counters.add(f"unnamed-{refusal.kind}")
        self._is_named = True

    def _ask(self, record: OutboxRecord) -> "Future[PeerJson] | None":
        message = read(record.body)
        if message is None:
            return None
        content = {**message.content, "utterance": message.id}
        if message.content.get("type") not in INVITES:
            # The arbiter cannot know the keys of what we have published since.
            facts = self._games.facts(message.root)
            content |= {"branch": facts.newest if facts else message.root}
        private = {"recps": [*message.recps]} if message.recps else {}
        return self._peer.ask_soon("publish", content=content, **private)

    def _status(self, record: OutboxRecord, answer: "Future[PeerJson] | None") -> PublishStatus:
        if answer is None:
            return self._unpublished(record, "unreadable", PublishStatus.UNPUBLISHABLE)
        try:
            again = await_answer(answer)["again"]
        except PeerRefused as refusal:
            status = (
                PublishStatus.UNPUBLISHABLE if refusal.kind in _FOR_EVER else PublishStatus.RETRY
            )
            return self._unpublished(record, refusal.kind, status)
        self._counters.add("said-before" if again else "said")
        return PublishStatus.PUBLISHED

    def _unpublished(self, record: OutboxRecord, why: str, status: PublishStatus) -> PublishStatus:
        self._counters.add(f"unsaid-{why}")
        message = read(record.body)
        _LOG.error({"status": "unsaid", "why": why, "id": message.id if message else ""})
        return status

    def _put_aside(self, record: OutboxRecord) -> None:
        try:
            self._records.put_aside(record)
        except QueueUnreachable:
            self._counters.add("not-put-aside")


def _name_of(feed: str) -> Mapping[str, str]:
    id_ = hashlib.sha256(f"about {feed} {NAME}".encode()).hexdigest()
    return {"type": "about", "about": feed, "name": NAME, "utterance": id_}


def read(body: str) -> OutboxMessage | None:
    """Parse a record, or return None where it is none of the arbiter's."""
    try:
        told = json.loads(body)
    except ValueError:
        return None
    match told:
        case {"id": str(id_), "root": str(root), "content": dict(content)} if _ID.fullmatch(id_):
            recps = told.get("recps")
            return OutboxMessage(id_, root, content, recps if isinstance(recps, list) else None)
        case _:
            return None


def _publish_batches(records: Sequence[OutboxRecord]) -> Iterator[Sequence[OutboxRecord]]:
    """The first record of each group, then the second of each, and so on."""
    groups: dict[str, list[OutboxRecord]] = {}
    for record in records:
        groups.setdefault(record.group_id, []).append(record)
    for nth in range(max(map(len, groups.values()), default=0)):
        yield [group[nth] for group in groups.values() if nth < len(group)]
