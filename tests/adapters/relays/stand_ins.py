"""Stand-ins that a test can wait on, and events to send."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from arbiter.adapters.relays.counters import Counters
from arbiter.application.records import QueueEntry
from arbiter.nostr.event import EventTemplate, VerifiedEvent, event_to_json
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, SERVER
from tests.fakes.relay import PATIENCE_SECONDS

GAME = "0123456789abcdef0123456789abcdef"


def a_seek(by: SecretKey = ALICE, content: str = "") -> VerifiedEvent:
    """A request to play, made now."""
    return by.sign(EventTemplate(20300, (("p", SERVER.pubkey),), content, int(time.time())))


def a_move(uci: str, by: SecretKey = ALICE, game: str = GAME, ago: int = 0) -> VerifiedEvent:
    """A move, made so many seconds ago."""
    tags = (("d", game), ("p", SERVER.pubkey))
    return by.sign(EventTemplate(20303, tags, uci, int(time.time()) - ago))


def json_of(event: VerifiedEvent) -> dict[str, Any]:
    return event_to_json(event)


def forged(event: VerifiedEvent) -> dict[str, Any]:
    """The event's id under another content: what a hostile relay may send first."""
    return {**json_of(event), "content": "forged"}


class SystemTime:
    """The real clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class OwnThreads:
    """The threads that a listener or sender starts while it is watched, and not those of others."""

    def __init__(self) -> None:
        self._others = set(threading.enumerate())

    def running(self) -> list[threading.Thread]:
        """Those that run now."""
        return [
            thread
            for thread in threading.enumerate()
            if thread not in self._others and thread.name in {"relay", "sender"}
        ]

    def lasting(self) -> list[str]:
        """The names of those that do not end by themselves, when each was given time to."""
        found = self.running()
        for thread in found:
            thread.join(PATIENCE_SECONDS)
        return [thread.name for thread in found if thread.is_alive()]


class WatchedCounters(Counters):
    """Counts that can be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    def add(self, name: str) -> None:
        with self._changed:
            super().add(name)
            self._changed.notify_all()

    def reaches(self, name: str, count: int = 1) -> int:
        """The count of ``name``, once it is this high or higher."""
        with self._changed:
            came = self._changed.wait_for(lambda: self.counts()[name] >= count, PATIENCE_SECONDS)
            counted = self.counts()[name]
        assert came, f"waited in vain for {count} {name}: {dict(self.counts())}"
        return counted


class WatchedQueue:
    """An event queue that keeps what it took. ``refuse`` says of each entry whether it fails."""

    def __init__(self) -> None:
        self.batches: list[list[QueueEntry]] = []
        self.taken: list[QueueEntry] = []
        self.refuse: Callable[[QueueEntry], bool] = lambda _: False
        self.is_open = threading.Event()
        self.is_open.set()
        self._changed = threading.Condition()

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        with self._changed:
            self.batches.append(list(batch))
            self._changed.notify_all()
        assert self.is_open.wait(PATIENCE_SECONDS)
        with self._changed:
            failed = [entry for entry in batch if self.refuse(entry)]
            self.taken.extend(entry for entry in batch if entry not in failed)
            self._changed.notify_all()
        return failed

    def ids(self, count: int) -> list[str]:
        """The ids of what was taken, once that is ``count`` entries."""
        return [entry.dedup_id for entry in self.entries(count)]

    def entries(self, count: int) -> list[QueueEntry]:
        """The entries taken, once there are ``count``."""
        self._wait(lambda: len(self.taken) >= count, f"{count} entries")
        return list(self.taken)

    def tried(self, count: int) -> list[list[QueueEntry]]:
        """The batches that were sent, once that many were."""
        self._wait(lambda: len(self.batches) >= count, f"{count} batches")
        return list(self.batches)

    def _wait(self, is_so: Callable[[], bool], what: str) -> None:
        with self._changed:
            came = self._changed.wait_for(is_so, PATIENCE_SECONDS)
        assert came, f"waited in vain for {what}, got {len(self.taken)}"


def received_at_ms(entry: QueueEntry) -> int:
    """The time at which the entry's event came, by its body."""
    return int(json.loads(entry.body)["received_at_ms"])
