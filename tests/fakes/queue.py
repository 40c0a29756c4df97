"""The queues in memory: FIFO with deduplication, and the one that waits."""

from collections.abc import Sequence

from arbiter.application.records import QueueEntry
from tests.fakes.faults import Hook, quiet


class FakeEventQueue:
    """Points of the hook: ``queue.send``, ``queue.sent``, and ``queue.entry <dedup id>`` for each
    entry.

    A fault at an entry is a failed entry, since the port never raises for infrastructure.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.waiting: list[QueueEntry] = []
        self.hook = hook
        self._seen: set[tuple[str, str, str]] = set()

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        self.hook("queue.send")
        failed: list[QueueEntry] = []
        for entry in batch:
            stuck = any(
                (lost.queue, lost.group_id) == (entry.queue, entry.group_id) for lost in failed
            )
            if stuck or not self._takes(entry):
                failed.append(entry)
        self.hook("queue.sent")
        return tuple(failed)

    def _takes(self, entry: QueueEntry) -> bool:
        try:
            self.hook(f"queue.entry {entry.dedup_id}")
        except Exception:  # noqa: BLE001 - a test throws whatever SQS may
            return False
        key = (entry.queue, entry.group_id, entry.dedup_id)
        if key not in self._seen:
            self._seen.add(key)
            self.waiting.append(entry)
        return True


class FakeRepublishQueue:
    """Takes everything, or (``broken``) nothing. Points of the hook: ``republish.send``,
    ``republish.queued``.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.waiting: list[tuple[str, int]] = []
        self.broken = False
        self.hook = hook

    @property
    def bodies(self) -> list[str]:
        """The bodies that wait, without their delays."""
        return [body for body, _ in self.waiting]

    def send(self, body: str, delay_seconds: int) -> None:
        if self.broken:
            raise ConnectionError
        self.hook("republish.send")
        self.waiting.append((body, max(0, min(delay_seconds, 900))))
        self.hook("republish.queued")
