"""The cheap looks at an event, before anything is paid for it.

The law: pure, and no check here trusts a signature, for none was verified yet. A relay may send
what was never asked for, so the filter that it was given is applied again.

The ids of events that were verified and passed on, the latest of them.

The law: only verified events enter. A forged copy that comes first under the id of a genuine event
must not make the genuine one look like a repetition (RUSTSEC-2026-0224, -0232). Whole ids are kept:
a shortened one could be made to collide.

The one gate between all relays and the queues: each event once, verified, within its share.

The law, in this order: cheap looks, repetition, shares, signature. Only a verified event is
remembered as seen and only a verified event costs a token: what a hostile relay makes up in
somebody's name neither shadows their genuine event nor uses up their share. One lock makes
"verified once" true across relays, and keeps the order in which events were judged; what waits
until it is known who plays its game keeps its place in that game.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.stranger_limiter import Candidate, StrangerLimiter, Verdict
from arbiter.adapters.relays.token_buckets import Rate, TokenBuckets
from arbiter.application.queue_messages import QueueEntry, QueueName
from arbiter.application.routing import Route, game_named_by, questions_key, queue_entry, route
from arbiter.nostr.event import NostrEvent, ParseError, VerifiedEvent, verify
from arbiter.nostr.filters import Filter, matches


class Drop(StrEnum):
    """Why an event goes no further. The words are counter names."""

    OWN = "own"
    """The server's own words, or an attempt to pass for them: either way no player's."""
    NOT_LISTENED_KIND = "not-listened-kind"
    NOT_FOR_US = "not-for-us"
    """No `p` tag names the server: signed for somebody else."""
    NOT_ASKED_FOR = "not-asked-for"
    """Outside the filter in another way, such as too old."""
    TOO_MANY = "too-many"
    """Its author sent more than his share."""
    TOO_MANY_QUESTIONS = "too-many-questions"
    """All who ask about one game sent more than a game's share."""
    TOO_MANY_STRANGERS = "too-many-strangers"
    """All who do not play the game that they name sent more than their share."""
    REPEATED = "repeated"
    """Passed on before."""
    FORGED = "forged"
    """The id or the signature is wrong."""
    QUEUE_FULL = "queue-full"
    """No room is left, and it is not worth stopping the relays for, or we are stopping."""


def screened(event: NostrEvent, wanted: Filter, server_pubkey: str) -> Route | Drop:
    """Where the event would go if its signature holds, or why it is dropped without a look."""
    at = route(event)
    if at is None or event.kind not in wanted.kinds:
        return Drop.NOT_LISTENED_KIND
    if event.pubkey == server_pubkey:
        return Drop.OWN
    if not any(tag[0] == "p" and tag[1:2] == (server_pubkey,) for tag in event.tags):
        return Drop.NOT_FOR_US
    if not matches(wanted, event):
        return Drop.NOT_ASKED_FOR
    return at


class RecentIds:
    """A bounded set of event ids; the one longest unmentioned is forgotten first."""

    def __init__(self, max_ids: int) -> None:
        self._max_ids = max_ids
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: str) -> bool:
        """Whether this event was passed on; to ask is to mention it."""
        if event_id not in self._ids:
            return False
        self._ids.move_to_end(event_id)
        return True

    def add(self, event: VerifiedEvent) -> None:
        """Remember an event. The type is the proof that it was verified."""
        self._ids[event.id] = None
        self._ids.move_to_end(event.id)
        if len(self._ids) > self._max_ids:
            self._ids.popitem(last=False)


AUTHOR_RATE = Rate(per_second=30.0, burst=100.0)
"""Roomy enough for a bot at full speed."""
LINE_RATE = Rate(per_second=20.0, burst=60.0)
"""For what one author says in one game: they wait in one line, which is to be empty soon."""
QUESTION_RATE = Rate(per_second=2.0, burst=20.0)
"""For the questions about one game, whoever asks: an answer is published, and so answers all."""
ANSWERED_SECONDS = 2.0
"""So long relays wait for the table at most, when no more can be held."""
_MAX_AUTHORS = 20_000
_MAX_GAMES = 20_000
_MAX_SEEN = 50_000


class Outlet(Protocol):
    """The way to a queue."""

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        """Take the entry; without room wait for it, or answer False."""
        ...


class Ingester:
    """The gate. ``offer`` may be called from any thread. ``tally`` counts each event's fate.

    ``ask`` has it found out who plays the game of this id, and `learn` told; without it everybody
    may be a player.
    """

    def __init__(
        self,
        server_pubkey: str,
        outlets: Mapping[QueueName, Outlet],
        tally: Counters,
        ask: Callable[[str], None] | None = None,
        *,
        author_rate: Rate = AUTHOR_RATE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server_pubkey = server_pubkey
        self._outlets = outlets
        self._tally = tally
        self._monotonic = monotonic
        self._shares = TokenBuckets(author_rate, _MAX_AUTHORS)
        self._lines = TokenBuckets(LINE_RATE, _MAX_AUTHORS)
        self._questions = TokenBuckets(QUESTION_RATE, _MAX_GAMES)
        self._strangers = StrangerLimiter(ask)
        self._seen = RecentIds(_MAX_SEEN)
        self._changed = threading.Condition()

    def offer(self, event: NostrEvent, wanted: Filter, received_at_ms: int) -> Drop | None:
        """Pass the event on, hold it until it is known who plays its game, or say why not. Blocks
        while the moves' backlog is full, or too much is held.

        ``wanted`` is what its relay was asked for, ``received_at_ms`` (unix) when it came.
        """
        at = screened(event, wanted, self._server_pubkey)
        if isinstance(at, Drop):
            self._tally.add(at)
            return at
        with self._changed:
            while not self._has_room(event, at):
                if not self._changed.wait(ANSWERED_SECONDS):
                    self._let_go(self._strangers.learn({}, self._monotonic()))
            drop = self._let_in(event, at, received_at_ms)
            if drop is not None:
                self._tally.add(drop)
            return drop

    def learn(self, players: Mapping[str, frozenset[str] | None]) -> None:
        """Judge what waits for it to be known who plays these games; None: that cannot be told."""
        with self._changed:
            self._let_go(self._strangers.learn(players, self._monotonic()))

    def close(self, within_seconds: float) -> None:
        """Pass on what is held, and hold nothing more. Not if a relay waits for room all the time:
        then there is none.
        """
        if self._changed.acquire(timeout=within_seconds):
            try:
                self._let_go(self._strangers.ask_no_more())
            finally:
                self._changed.release()

    def _let_in(self, event: NostrEvent, at: Route, received_at_ms: int) -> Drop | None:
        if event.id in self._seen:
            return Drop.REPEATED
        now = self._monotonic()
        shares = self._shares_of(event, at)
        for drop, buckets, key in shares:
            if not buckets.has_token(key, now):
                return drop
        verdict = self._verdict(event, at, now)
        if verdict is Verdict.TOO_MANY:
            return Drop.TOO_MANY_STRANGERS
        verified = verify(event)
        if isinstance(verified, ParseError):
            return Drop.FORGED
        for _, buckets, key in shares:
            buckets.take(key, now)
        entry = queue_entry(verified, at, received_at_ms)
        said = Candidate(entry, event.pubkey, game_named_by(event))
        if verdict is Verdict.WAITS:
            self._strangers.hold(said)
        elif not self._put(said, verdict, now):
            return Drop.QUEUE_FULL
        self._seen.add(verified)
        return None

    def _let_go(self, released: Sequence[Candidate]) -> None:
        for said in released:
            if drop := self._judge(said):
                self._tally.add(drop)
        self._changed.notify_all()

    def _judge(self, said: Candidate) -> Drop | None:
        """Pass on what was held, or say why not, now that all is known that can be."""
        now = self._monotonic()
        verdict = self._strangers.verdict(said.game_id, said.author, now)
        if verdict is Verdict.TOO_MANY:
            return Drop.TOO_MANY_STRANGERS
        return None if self._put(said, verdict, now) else Drop.QUEUE_FULL

    def _put(self, said: Candidate, verdict: Verdict, now: float) -> bool:
        # A move waits for room, and holds up the relays meanwhile: TCP then tells them. A request
        # to play is not worth that. Its author will ask again, and it would be stale.
        queue = said.entry.queue
        if not self._outlets[queue].put(said.entry, may_wait=queue == "moves"):
            return False
        if verdict is Verdict.SHARES:
            self._strangers.take(said.game_id, now)
        self._tally.add("passed-on")
        return True

    def _has_room(self, event: NostrEvent, at: Route) -> bool:
        """Whether this event, should it have to be held, can be."""
        if self._strangers.has_room() or event.id in self._seen:
            return True
        return self._verdict(event, at, self._monotonic()) is not Verdict.WAITS

    def _verdict(self, event: NostrEvent, at: Route, now: float) -> Verdict:
        if at.queue != "moves":
            return Verdict.PASSES
        return self._strangers.verdict(game_named_by(event), event.pubkey, now)

    def _shares_of(self, event: NostrEvent, at: Route) -> list[tuple[Drop, TokenBuckets, str]]:
        """The shares that this event is a part of, and how it is dropped beyond each."""
        shares = [(Drop.TOO_MANY, self._shares, event.pubkey)]
        if at.queue == "moves":
            shares.append((Drop.TOO_MANY, self._lines, f"{at.group_id}:{event.pubkey}"))
        if (key := questions_key(event)) is not None:
            shares.append((Drop.TOO_MANY_QUESTIONS, self._questions, key))
        return shares
