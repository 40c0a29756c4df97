"""From what was received to what is sent: each record is kept in the inbox, handled in its turn,
answered once that is on the disk, published, and then forgotten.

Invariant: what the process was killed over is in the inbox, and is handled again at the next start;
games remember their events, so nothing is done twice.
"""

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from arbiter.adapters.relays.rate_limits import Paired
from arbiter.adapters.sqlite.queues import SqliteInbox
from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.batch import Processed, Record, handle_record, publish_later
from arbiter.application.intake.routing import players_group
from arbiter.application.notices.asked import notices_of
from arbiter.application.ports import Publisher
from arbiter.application.records import QueueEntry
from arbiter.application.reply.render import has_pgn_note
from arbiter.application.reply.send import Sent, send
from arbiter.core.replies import GameEnded, GameStarted, MovePlayed
from arbiter.nostr.event import VerifiedEvent
from server.job_groups import Job
from server.mates import KnownMates, LongSearch
from server.metrics import Metrics
from server.notices import Notices
from server.pairing import ChildPairing
from server.pairings import KnownPairings, LongPairing
from server.questions import Mate, Note
from server.reading import ReaderFailed, Reading, TooMuch
from server.sockets import LocalSockets
from server.transaction_loop import NotYet, TransactionLoop

_log = logging.getLogger("arbiter")

MAX_KNOWN = 20_000
"""Entries of the gateway that are known when they come again, the latest: some 4 MB."""

MAX_UNPUBLISHED = 500
"""Publications under way at relays; beyond, no more is read from relays."""

SEARCH_AGAIN_SECONDS = 1.0

PLAYED_PLIES = 20
"""To play so many costs as much as a search; a game may begin where a search is long."""

LONG_PLIES = 300
"""The note of a longer game takes over 20 ms to write."""

PublishToRelays = Callable[[Sequence[VerifiedEvent]], Coroutine[Any, Any, set[str]]]
"""The ids of those events that some relay accepted."""


class FollowUps:
    """The `ports.EventQueue` of the arbiter's messages to itself."""

    def __init__(self, processing: "Processing") -> None:
        self._processing = processing

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        for entry in batch:
            self._processing.follow_up(entry)
        return ()


class Processing:
    """The way of a record; `send` makes it the `ports.EventQueue` of this process."""

    def __init__(
        self,
        deps: ArbiterDeps,
        transactions: TransactionLoop,
        inbox: SqliteInbox,
        sockets: LocalSockets,
        gateway: Publisher,
        relays: PublishToRelays | None,
        metrics: Metrics,
        paired: Paired,
        reading: Reading,
        notices: Notices,
    ) -> None:
        """``gateway`` serves our own subscribers; ``paired`` tells who plays new games."""
        self._mates = KnownMates()
        self._pairings = KnownPairings(ChildPairing().pair)
        self._deps = replace(
            deps,
            rules=replace(deps.rules, can_mate=self._mates.can_mate),
            queue=FollowUps(self),
            notices=notices,
            engine=self._pairings,
        )
        self._transactions = transactions
        self._inbox = inbox
        self._sockets = sockets
        self._gateway = gateway
        self._relays = relays
        self._metrics = metrics
        self._paired = paired
        self._reading = reading
        self._notices = notices
        self._publishing: set[asyncio.Task[None]] = set()
        self._known: OrderedDict[str, Job | None] = OrderedDict()
        self._finished: list[QueueEntry] = []

    @property
    def are_relays_ahead(self) -> bool:
        return self._transactions.is_full or len(self._publishing) >= MAX_UNPUBLISHED

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Take these entries, each id once, as SQS does. What is said on sockets in this call of
        the gateway from now on waits until they are on the disk.
        """
        for entry in batch:
            if entry.dedup_id not in self._known:
                self._remember(entry.dedup_id, self.take(entry))
            if job := self._known[entry.dedup_id]:
                self._sockets.held = job.held
        return ()

    def _remember(self, dedup_id: str, job: Job) -> None:
        self._known[dedup_id] = job
        if len(self._known) > MAX_KNOWN:
            self._known.popitem(last=False)

    def take(
        self,
        entry: QueueEntry,
        before: Callable[[], object] | None = None,
        after: Callable[[], object] | None = None,
    ) -> Job:
        """The job of this entry; ``before`` in its transaction, ``after`` on the disk."""

        def work(_: Job) -> tuple[int, Processed]:
            self._inbox.accept((entry,))
            if before is not None:
                before()
            # Answers are dated by this time, before a game is read (docs/decisions/0008).
            return self._deps.clock.now_ms(), self._handle(entry)

        def settle(job: Job) -> None:
            if after is not None:
                after()
            if self._known.get(entry.dedup_id) is job:
                # Given up, it may be sent again.
                self._known[entry.dedup_id] = None
                if job.failure is not None:
                    del self._known[entry.dedup_id]
            self._settle(entry, job)

        job = Job(entry.group_id, work, settle)
        self._transactions.put(job)
        return job

    def follow_up(self, entry: QueueEntry) -> None:
        """Take an entry that follows from the one in hand, which is on the disk if that one is."""
        self._inbox.accept((entry,))
        self.take(entry)

    async def keep(self, entries: Sequence[QueueEntry]) -> None:
        """Have these on the disk, then process them, in order. Raises StoreError: none is."""
        await self._transactions.run("kept", lambda: self._inbox.accept(entries))
        for entry in entries:
            self.take(entry)

    def take_unfinished(self) -> int:
        left = self._inbox.unfinished()
        for entry in left:
            self.take(entry)
        return len(left)

    async def wait_published(self) -> None:
        while self._publishing:
            await asyncio.wait(self._publishing)

    def _handle(self, entry: QueueEntry) -> Processed:
        record = Record(
            id=entry.dedup_id, group=entry.group_id, body=entry.body, message=entry.message
        )
        processed = handle_record(self._deps, record)
        if isinstance(processed.failure, LongSearch):
            raise NotYet(self._search(processed.failure, entry.group_id))
        if isinstance(processed.failure, LongPairing):
            raise NotYet(self._pairings.find(processed.failure.tournament))
        if processed.failure is not None:
            self._metrics.count("RecordFaults")
            raise processed.failure
        return processed

    async def _search(self, wanted: LongSearch, group: str) -> None:
        """Search elsewhere, however often that is refused or fails, and remember what was found.
        Games that hardly began share the time of one address, and all wait for the others.
        """
        is_played = wanted.plies >= PLAYED_PLIES
        keys = (f"search:{group}",) if is_played else ("searches",)
        question = Mate(wanted.position)
        while True:
            try:
                found = await self._reading.ask(question, keys, is_player=is_played)
                self._mates.remember(wanted.position, found)
            except (TooMuch, ReaderFailed):
                await asyncio.sleep(SEARCH_AGAIN_SECONDS)
            else:
                return

    def _settle(self, entry: QueueEntry, job: Job, *, is_written: bool = False) -> None:
        """Send what came of a record that is on the disk; long notes are written before."""
        if job.failure is not None:
            self._give_up(entry, job.failure)
            return
        now_ms: int
        processed: Processed
        now_ms, processed = job.result
        self._note_players(processed, entry.group_id)
        long_games = [] if is_written else _long_games(processed)
        if long_games:
            self._go_on(self._settle_later(entry, job, long_games))
            return
        sent = send(self._deps, processed.result, now_ms) if processed.result else Sent()
        if sent.failure is not None:
            # The state is committed: the next attempt sends it.
            self._log_failure(Processed(processed.record, failure=sent.failure))
            if not self._transactions.try_again(job):
                self._give_up(entry, sent.failure)
            return
        if sent.events:
            self._gateway.publish(sent.events, 0)
        self._log(processed)
        if self._relays is None or not sent.events:
            self._conclude(entry, processed)
            return
        self._go_on(self._publish(self._relays, entry, processed, sent.events))

    async def _settle_later(self, entry: QueueEntry, job: Job, game_ids: Sequence[str]) -> None:
        for game_id in game_ids:
            with contextlib.suppress(TooMuch, ReaderFailed):  # then it is written here
                await self._reading.ask(Note(game_id), (entry.group_id,), is_player=True)
        self._settle(entry, job, is_written=True)

    def _go_on(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)

    def _note_players(self, processed: Processed, group: str) -> None:
        """Tell the listener who plays, and put what they say first meanwhile."""
        groups = self._transactions.groups
        for reply in processed.result.replies if processed.result else ():
            if isinstance(reply, GameStarted):
                game = reply.game
                self._paired.append((game.id, frozenset((game.white.player, game.black.player))))
            if isinstance(reply, MovePlayed) and groups.is_first(group):
                continue  # as the opponent's is
            if isinstance(reply, GameStarted | MovePlayed | GameEnded):
                game = reply.game
                put = groups.put_with_others if game.outcome else groups.put_first
                for seat in (game.white, game.black):
                    put(players_group(game.id, seat.player))

    async def _publish(
        self,
        publish: PublishToRelays,
        entry: QueueEntry,
        processed: Processed,
        events: Sequence[VerifiedEvent],
    ) -> None:
        try:
            accepted = await publish(events)
            if not all(event.id in accepted for event in events):
                await self._transactions.run(
                    entry.group_id, lambda: self._publish_later(processed), is_tried_again=True
                )
        except Exception as failure:  # noqa: BLE001 - it stays in the inbox, for the next start
            self._log_failure(Processed(processed.record, failure=failure))
        else:
            self._conclude(entry, processed)

    def _publish_later(self, processed: Processed) -> None:
        later = publish_later(self._deps, processed)
        if later.failure is not None:
            raise later.failure

    def _conclude(self, entry: QueueEntry, processed: Processed) -> None:
        """Have its players told who are away, and then forget this entry."""
        asked = notices_of(self._deps, processed.result) if processed.result else ()
        if asked:
            self._notices.take(asked, partial(self._finish, entry))
        else:
            self._finish(entry)

    def _finish(self, entry: QueueEntry) -> None:
        """Forget this entry in the next transaction, with the others of until then."""
        if not self._finished:
            finished = self._finished

            def finish() -> None:
                if self._finished is finished:
                    self._finished = []
                self._inbox.finish(finished)

            self._transactions.write_soon(finish)
        self._finished.append(entry)

    def _give_up(self, entry: QueueEntry, failure: Exception) -> None:
        reason = type(failure).__name__
        self._transactions.write_soon(lambda: self._inbox.bury(entry, reason))
        self._metrics.count("RecordsBuried")

    def _log(self, processed: Processed) -> None:
        result = processed.result
        if result is not None:
            self._metrics.count("Records", status=result.status)
            _log.info({"status": result.status, "event": result.event_key, "game": result.game_id})

    def _log_failure(self, processed: Processed) -> None:
        self._metrics.count("RecordFaults")
        _log.error({"status": "failed", "record": processed.record.id}, exc_info=processed.failure)


def _long_games(processed: Processed) -> list[str]:
    replies = processed.result.replies if processed.result else ()
    ended = (reply.game for reply in replies if isinstance(reply, GameEnded))
    return [game.id for game in ended if game.ply > LONG_PLIES and has_pgn_note(game)]
