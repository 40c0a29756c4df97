"""The relays: the listener's threads feed the event loop, and its events go out by the publisher's
threads.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arbiter.adapters.relays.publisher import Publisher
from arbiter.application.publish import PUBLISH_SECONDS, publish_batches
from arbiter.application.queue_messages import QueueEntry
from arbiter.nostr.event import VerifiedEvent
from server.processing import Processing

_AT_ONCE = 16


class FromListener:
    """The `ports.EventQueue` of the listener, which calls it in threads of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, processing: Processing) -> None:
        self._loop = loop
        self._processing = processing

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Hand these to the event loop, or none of them while it has too much to do: then the
        listener tries again, and reads no more from its relays meanwhile.
        """
        if self._processing.are_relays_ahead:
            return batch
        self._loop.call_soon_threadsafe(self._take, batch)
        return ()

    def _take(self, batch: Sequence[QueueEntry]) -> None:
        for entry in batch:
            self._processing.take(entry)


class ToRelays:
    """Publishes to all relays, in threads."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="to-relays")

    async def publish(self, events: Sequence[VerifiedEvent]) -> set[str]:
        """The ids of those that some relay accepted."""
        loop = asyncio.get_running_loop()
        accepted: set[str] = set()
        batches = publish_batches((events,))
        for batch in batches:
            report = await loop.run_in_executor(
                self._threads, self._publisher.publish, batch, PUBLISH_SECONDS / len(batches)
            )
            accepted |= {event.id for event in batch if report.taken(event.id)}
        return accepted

    def close(self) -> None:
        """Disconnect."""
        self._publisher.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
