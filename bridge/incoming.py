"""From our peer's log into the arbiter's queues, in the log's order.

Invariant: the cursor passes a message only when the queue has accepted every envelope that followed
from it. What the queue refuses is retried and delays its own game alone.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from arbiter.adapters.relays.counters import Counters
from arbiter.application.ports import Clock, EventQueue
from arbiter.application.records import QueueEntry
from bridge.cursor import Cursor
from bridge.envelopes import EnvelopeWriter
from bridge.forwarding import Log, forwarded_from, in_game_order, messages_to_forward
from bridge.peer_log import GameFacts, Message
from bridge.peer_process import PeerRefused

MAX_WAITING = 1_000
_GAMES_TOLD_OF_A_FORK = 50

_MS = 1000


class GrowingLog(Log, Protocol):
    """A log that also reports new messages: a `PeerLog`."""

    def messages_after(self, after: int) -> Sequence[Message]: ...

    def forks(self) -> Mapping[str, tuple[int, str]]:
        """For each forked feed the number that two of its messages have, and the key of ours."""
        ...


class Incoming:
    """Reads, writes envelopes and sends them; one thread uses it."""

    def __init__(
        self,
        *,
        log: GrowingLog,
        us: str,
        writer: EnvelopeWriter,
        queue: EventQueue,
        cursor: Cursor,
        clock: Clock,
        counters: Counters,
    ) -> None:
        self._log = log
        self._us = us
        self._writer = writer
        self._queue = queue
        self._cursor = cursor
        self._clock = clock
        self._counters = counters
        self._reached = cursor.starts_after(clock.now_ms() // _MS)
        self._waiting: list[tuple[int, QueueEntry]] = []
        self._forks_told: set[str] = set()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def step(self) -> bool:
        """Read a page and send what is due; whether there was a page. Raises as `Peer.ask`."""
        page = () if len(self._waiting) >= MAX_WAITING else self._log.messages_after(self._reached)
        for heard in page:
            self._counters.add("heard")
            try:
                for facts, message in messages_to_forward(self._log, self._us, heard):
                    self._write(heard.at, facts, message)
            except PeerRefused as refusal:
                if refusal.kind != "bad-argument":
                    raise
                self._counters.add("no-letter")  # It names what cannot be asked for.
            self._reached = heard.at
        self._send()
        return bool(page)

    def tell_forks(self) -> None:
        """Say of each feed that is forked, once, in each of its latest games, that it is."""
        for author, fork in self._log.forks().items():
            if author in self._forks_told:
                continue
            self._forks_told.add(author)
            for root in self._log.games(author)[-_GAMES_TOLD_OF_A_FORK:]:
                facts = self._log.facts(root)
                since = forwarded_from(facts, self._us) if facts else None
                if facts is None or since is None:
                    continue
                said = in_game_order(facts, self._us, [*self._log.thread(root, self._reached)])
                by_author = [message for message in said if message.author == author]
                if by_author:
                    self._counters.add("fork")
                    self._write(self._reached, facts, by_author[-1], fork)

    def _write(
        self, place: int, facts: GameFacts, message: Message, fork: tuple[int, str] | None = None
    ) -> None:
        entry = self._writer.envelope(facts, message, self._clock.now_ms(), fork)
        if entry is None:
            self._counters.add("no-letter")
        else:
            self._waiting.append((place, entry))

    def _send(self) -> None:
        refused = {*self._queue.send([entry for _, entry in self._waiting])}
        for _, entry in self._waiting:
            self._counters.add("refused-by-queue" if entry in refused else f"letter-{entry.queue}")
        self._waiting = [it for it in self._waiting if it[1] in refused]
        place = min((at - 1 for at, _ in self._waiting), default=self._reached)
        self._cursor.advance(place, self._clock.now_ms() // _MS)
