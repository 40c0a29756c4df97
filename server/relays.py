"""The relays: the listener's threads feed the event loop, and its results are published."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product

from arbiter.adapters.relays.publish_attempt import lasts
from arbiter.adapters.relays.publisher import PublishReport, RelayPublisher, counts_as_accepted
from arbiter.application.ports import Signer
from arbiter.application.records import QueueEntry
from arbiter.application.reply.send import PUBLISH_SECONDS, publish_batches
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus
from server.metrics import Metrics
from server.processing import Processing
from server.relay_link import RelayLink, Settled

_log = logging.getLogger("arbiter")

_AT_ONCE = 16

OWED_SECONDS, MAX_OWED = 600.0, 500
"""Events that a relay must store are kept for it while away: a player needs the note."""


class FromListener:
    """The `ports.EventQueue` of the listener, which calls it in threads of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, processing: Processing) -> None:
        self._loop = loop
        self._processing = processing

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Hand these to the event loop, or none while it has too much to do: it tries again."""
        if self._processing.are_relays_ahead:
            return batch
        self._loop.call_soon_threadsafe(self._take, batch)
        return ()

    def _take(self, batch: Sequence[QueueEntry]) -> None:
        for entry in batch:
            self._processing.take(entry)


class ToRelays:
    """Publishes to all relays at once; the publisher asks for what they must store."""

    def __init__(
        self, relays: Sequence[str], publisher: RelayPublisher, signer: Signer, metrics: Metrics
    ) -> None:
        self._connected: asyncio.Queue[str] = asyncio.Queue()
        self._links = [
            RelayLink(url, signer.sign, self._connected.put_nowait) for url in dict.fromkeys(relays)
        ]
        self._publisher = publisher
        self._metrics = metrics
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="to-relays")

    async def publish(self, events: Sequence[VerifiedEvent]) -> set[str]:
        """The ids of those that some relay accepted; returns as soon as each is accepted by one."""
        accepted: set[str] = set()
        batches = publish_batches((events,))
        for batch in batches:
            seconds = PUBLISH_SECONDS / len(batches)
            stored = [event for event in batch if lasts(event)]
            if stored:
                accepted |= await self._publish_to_stay(stored, seconds)
            others = [event for event in batch if not lasts(event)]
            answers = await asyncio.gather(*(self._offer(event, seconds) for event in others))
            accepted |= {event.id for event, is_ok in zip(others, answers, strict=True) if is_ok}
        return accepted

    async def restore(self, events: Sequence[VerifiedEvent]) -> tuple[str, int]:
        """Wait for the next new connection, and give it what it lost; its URL, and how many."""
        relay = await self._connected.get()
        loop, seconds = asyncio.get_running_loop(), PUBLISH_SECONDS
        restore = self._publisher.restore
        return relay, await loop.run_in_executor(self._threads, restore, relay, events, seconds)

    async def close(self) -> None:
        for link in self._links:
            await link.close()
        self._publisher.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _publish_to_stay(self, events: Sequence[VerifiedEvent], seconds: float) -> set[str]:
        loop = asyncio.get_running_loop()
        report = await loop.run_in_executor(self._threads, self._publisher.publish, events, seconds)
        accepted = {event.id for event in events if report.is_accepted(event.id)}
        # What no relay accepted is published again as a whole.
        self._owe([event for event in events if event.id in accepted], report)
        return accepted

    def _owe(self, events: Sequence[VerifiedEvent], report: PublishReport) -> None:
        """Offer these to the relays that did not answer: now, and at each new connection."""
        for link, event in product(self._links, events):
            is_missing = report.statuses[event.id].get(link.url) is PublishStatus.RETRY
            if is_missing and len(link) < MAX_OWED:
                link.offer(event)
                asyncio.get_running_loop().call_later(OWED_SECONDS, link.give_up, event.id)

    async def _offer(self, event: VerifiedEvent, seconds: float) -> bool:
        """Whether some relay accepted the event in time; the others go on."""
        loop = asyncio.get_running_loop()
        offered = {link: link.offer(event) for link in self._links}
        loop.call_later(PUBLISH_SECONDS, self._conclude, event, offered)
        waiting, ends_at = {*offered.values()}, loop.time() + seconds
        while waiting:
            done, waiting = await asyncio.wait(
                waiting, timeout=ends_at - loop.time(), return_when=asyncio.FIRST_COMPLETED
            )
            if any(counts_as_accepted(settled.result()) for settled in done):
                return True
            if not done:
                break
        return False

    def _conclude(self, event: VerifiedEvent, offered: Mapping[RelayLink, Settled]) -> None:
        """Give up where no OK came, and log which relays did not take the event."""
        for link, settled in offered.items():
            status = settled.result() if settled.done() else PublishStatus.RETRY
            if not settled.done():
                link.give_up(event.id)
            if not counts_as_accepted(status):
                self._metrics.count("UntakenByRelay", relay=link.url)
                why = status.name.lower()
                _log.warning({"status": "untaken", "relay": link.url, "events": 1, "why": [why]})
