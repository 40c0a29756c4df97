"""The backlog of one queue, the thread that empties it, and the pauses after failures."""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.sender import BATCH_BYTES, Backlog, Sender, SenderLimits
from arbiter.application.records import QueueEntry
from tests.adapters.relays.stand_ins import WatchedCounters, WatchedQueue
from tests.fakes.relay import PATIENCE_SECONDS

RETRY = Backoff(first_seconds=1.0, longest_seconds=8.0)
AT_ONCE = Backoff(first_seconds=0.001, longest_seconds=0.001)
NEVER = Backoff(first_seconds=1000.0, longest_seconds=1000.0)


def test_each_failure_doubles_the_pause_up_to_its_limit_and_half_of_it_is_random() -> None:
    pauses = [RETRY.delay_seconds(failures, 1.0) for failures in (-1, 0, 1, 2, 3, 4, 5, 10**9)]
    assert pauses == [1, 1, 1, 2, 4, 8, 8, 8]
    assert [RETRY.delay_seconds(3, chance) for chance in (0.0, 0.5)] == [2.0, 3.0]


def an_entry(name: str, size: int = 1) -> QueueEntry:
    """An entry of the group that its first letter names."""
    return QueueEntry(queue="moves", body="x" * size, group_id=name[0], dedup_id=name)


def a_backlog(
    *entries: QueueEntry, is_ordered: bool = True, max_entries: int = 100, max_bytes: int = 10**6
) -> Backlog:
    backlog = Backlog(
        max_entries=max_entries, max_bytes=max_bytes, is_ordered=is_ordered, retry=RETRY
    )
    for entry in entries:
        backlog.add(entry)
    return backlog


def ids(batch: Sequence[QueueEntry]) -> str:
    return " ".join(entry.dedup_id for entry in batch)


HALF = BATCH_BYTES // 2


@pytest.mark.parametrize(
    ("names", "sizes", "batches"),
    [
        ("a1 b1 c1", {}, ["a1 b1 c1", ""]),
        ("a b c d e f g h i j k l", {}, ["a b c d e f g h i j", "k l"]),
        ("a1 a2 b1", {}, ["a1 b1", "a2"]),
        ("a1 b1 c1", {"a1": HALF, "b1": HALF}, ["a1 b1", "c1"]),
        ("a1 b1 b2 c1", {"a1": HALF, "b1": HALF + 1}, ["a1 c1", "b1", "b2"]),
        ("a1 b1", {"a1": BATCH_BYTES + 1}, ["a1", "b1"]),
    ],
)
def test_a_batch_is_ten_entries_of_different_groups_that_fit_into_one_request(
    names: str, sizes: dict[str, int], batches: list[str]
) -> None:
    backlog = a_backlog(*(an_entry(name, sizes.get(name, 1)) for name in names.split()))
    for expected in batches:
        batch = backlog.take(0.0)
        assert ids(batch) == expected
        backlog.settle(batch, (), 0.0, 1.0)


def test_entries_without_order_share_a_batch_and_come_back_in_the_order_they_had() -> None:
    backlog = a_backlog(*(an_entry(f"a{number}") for number in range(4)), is_ordered=False)
    batch = backlog.take(0.0)
    assert ids(batch) == "a0 a1 a2 a3"
    backlog.settle(batch, [batch[3], batch[1], batch[0]], 0.0, 1.0)
    assert ids(backlog.take(1.0)) == "a0 a1 a3"


def test_a_failed_entry_holds_back_its_group_and_no_other() -> None:
    backlog = a_backlog(*map(an_entry, ("a1", "a2", "b1", "b2")))
    assert backlog.ready_at(0.0) == 0.0
    batch = backlog.take(0.0)
    backlog.settle(batch, [batch[0]], 0.0, 1.0)
    batch = backlog.take(0.5)
    assert ids(batch) == "b2"
    backlog.settle(batch, (), 0.5, 1.0)
    assert backlog.ready_at(0.5) == 1.0
    assert ids(backlog.take(0.9)) == ""
    assert ids(backlog.take(1.0)) == "a1"


def test_a_failed_entry_waits_longer_each_time_and_less_after_success() -> None:
    backlog = a_backlog(an_entry("a1"), an_entry("a2"))
    for now, ready_at in ((0.0, 1.0), (1.0, 3.0), (3.0, 7.0)):
        batch = backlog.take(now)
        backlog.settle(batch, batch, now, 1.0)
        assert backlog.ready_at(now) == ready_at
    backlog.settle(backlog.take(7.0), (), 7.0, 1.0)
    assert backlog.ready_at(7.0) == 7.0
    batch = backlog.take(7.0)
    backlog.settle(batch, batch, 7.0, 1.0)
    assert backlog.ready_at(7.0) == 8.0


@pytest.mark.parametrize(("max_entries", "max_bytes"), [(1, 10**6), (100, 600)])
def test_entries_take_up_room_until_they_are_sent(max_entries: int, max_bytes: int) -> None:
    backlog = a_backlog(an_entry("a1", 600), max_entries=max_entries, max_bytes=max_bytes)
    batch = backlog.take(0.0)
    assert not backlog.has_room()
    backlog.settle(batch, batch, 0.0, 1.0)
    assert not backlog.has_room()
    backlog.settle(backlog.take(9.0), (), 9.0, 1.0)
    assert backlog.has_room()
    assert backlog.ready_at(9.0) is None


@pytest.mark.parametrize("seed", range(30))
def test_whatever_fails_nothing_is_lost_and_every_group_keeps_its_order(seed: int) -> None:
    chance = random.Random(seed)
    backlog, now = a_backlog(), 0.0
    sent: list[QueueEntry] = []
    coming = [
        [an_entry(f"{group}{number}") for number in range(chance.randrange(1, 20))]
        for group in "abcdef"
    ]
    expected = {entries[0].group_id: ids(entries) for entries in coming}
    under_way: list[Sequence[QueueEntry]] = []
    while any(coming) or len(backlog):
        for entries in coming:
            if entries and chance.random() < 0.3:
                backlog.add(entries.pop(0))
        if batch := backlog.take(now):
            groups = [entry.group_id for one in (*under_way, batch) for entry in one]
            assert len(groups) == len(set(groups))
            under_way.append(batch)
        # Later calls may be answered before earlier ones.
        while under_way and chance.random() < 0.6:
            answered = under_way.pop(chance.randrange(len(under_way)))
            failed = [entry for entry in answered if chance.random() < 0.4]
            chance.shuffle(failed)
            sent.extend(entry for entry in answered if entry not in failed)
            backlog.settle(answered, failed, now, chance.random())
        now += chance.random() * 2
    for group, wanted in expected.items():
        assert ids([entry for entry in sent if entry.group_id == group]) == wanted


@contextmanager
def a_sender(
    queue: WatchedQueue,
    counters: WatchedCounters | None = None,
    *,
    max_entries: int = 1000,
    retry: Backoff = AT_ONCE,
    pause_seconds: float = 0.01,
    at_once: int = 1,
) -> Iterator[Sender]:
    limits = SenderLimits(
        at_once=at_once, max_entries=max_entries, retry=retry, pause_seconds=pause_seconds
    )
    sender = Sender(queue, limits, counters or WatchedCounters(), lambda: 1.0, is_ordered=True)
    sender.start()
    try:
        yield sender
    finally:
        queue.is_open.set()
        sender.stop(0.0)
        sender.join()


def put(sender: Sender, *names: str) -> None:
    for name in names:
        assert sender.put(an_entry(name), may_wait=True)


ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def test_what_comes_during_a_request_goes_in_batches_of_ten() -> None:
    queue = WatchedQueue()
    with a_sender(queue) as sender:
        queue.is_open.clear()
        put(sender, "a")
        queue.tried(1)
        put(sender, *ALPHABET[1:])
        queue.is_open.set()
        assert queue.ids(26) == [*ALPHABET]
        assert [len(batch) for batch in queue.batches] == [1, 10, 10, 5]


def test_while_a_request_is_under_way_others_leave_but_none_of_its_groups() -> None:
    queue = WatchedQueue()
    with a_sender(queue, at_once=3) as sender:
        queue.is_open.clear()
        put(sender, "a1")
        queue.tried(1)
        put(sender, "a2", "b1")
        queue.tried(2)
        put(sender, "b2", "c1")
        assert sorted(map(ids, queue.tried(3))) == ["a1", "b1", "c1"]
        assert sender.waiting() == 5
        queue.is_open.set()
        assert sorted(queue.ids(5)) == ["a1", "a2", "b1", "b2", "c1"]


def test_while_a_group_is_held_back_an_entry_of_another_leaves_at_once() -> None:
    queue, counters = WatchedQueue(), WatchedCounters()
    queue.refuse = lambda entry: entry.dedup_id == "a1"
    with a_sender(queue, counters, retry=NEVER, at_once=2) as sender:
        put(sender, "b1", "a1")
        counters.reaches("send-failed")
        put(sender, "a2", "c1")
        assert {*queue.ids(2)} == {"b1", "c1"}


def test_a_lone_entry_leaves_at_once_and_those_after_it_wait_for_company() -> None:
    queue, other_queue = WatchedQueue(), WatchedQueue()
    with a_sender(queue, pause_seconds=3600.0) as sender, a_sender(other_queue) as other:
        for number, name in enumerate(ALPHABET[:11]):
            put(sender, name)
            # In the time in which another sender sends, a hasty one would have done so too.
            put(other, name)
            other_queue.entries(number + 1)
            queue.entries(1)
        queue.entries(11)
        assert [len(batch) for batch in queue.batches] == [1, 10]
        put(sender, "z")
        sender.stop(PATIENCE_SECONDS)
        queue.entries(12)


def test_a_queue_that_raises_loses_nothing() -> None:
    queue, counters, raises = WatchedQueue(), WatchedCounters(), iter([True, True])

    def refuse(_: QueueEntry) -> bool:
        if next(raises, False):
            raise ConnectionError
        return False

    queue.refuse = refuse
    with a_sender(queue, counters) as sender:
        put(sender, "a")
        assert queue.ids(1) == ["a"]
        counters.reaches("sent")
        assert counters.counts()["send-failed"] == 2


def test_without_room_an_entry_waits_for_some_or_is_refused() -> None:
    queue = WatchedQueue()
    with a_sender(queue, max_entries=2) as sender:
        queue.is_open.clear()
        put(sender, "a", "b")
        assert not sender.put(an_entry("x"), may_wait=False)
        waiting = threading.Thread(target=put, args=(sender, "c"))
        waiting.start()
        queue.tried(1)
        assert sender.waiting() == 2
        queue.is_open.set()
        assert queue.ids(3) == ["a", "b", "c"]
        waiting.join(PATIENCE_SECONDS)


def test_stopping_sends_the_rest_first() -> None:
    queue = WatchedQueue()
    with a_sender(queue) as sender:
        queue.is_open.clear()
        put(sender, *ALPHABET)
        sender.stop(PATIENCE_SECONDS)
        queue.is_open.set()
        sender.join()
        assert len(queue.taken) == 26
        assert not sender.put(an_entry("z"), may_wait=True)


def test_stopping_ends_once_the_last_of_a_game_is_sent() -> None:
    queue = WatchedQueue()
    queue.is_open.clear()
    with a_sender(queue, at_once=3) as sender:
        put(sender, "a1", "a2")
        queue.tried(1)
        sender.stop(3600.0)
        ending = threading.Thread(target=sender.join, daemon=True)
        ending.start()
        queue.is_open.set()
        ending.join(PATIENCE_SECONDS)
        assert not ending.is_alive()
        assert queue.ids(2) == ["a1", "a2"]


def test_stopping_ends_at_its_limit_and_counts_what_is_left() -> None:
    queue, counters = WatchedQueue(), WatchedCounters()
    queue.refuse = lambda _: True
    with a_sender(queue, counters, retry=NEVER) as sender:
        put(sender, "a")
        counters.reaches("send-failed")
        sender.stop(0.05)
        sender.join()
        assert (counters.counts()["unsent"], sender.waiting()) == (1, 1)


def test_stopping_wakes_what_waits_for_room() -> None:
    queue, answers = WatchedQueue(), []
    with a_sender(queue, max_entries=1) as sender:
        queue.is_open.clear()
        put(sender, "a")
        waiting = threading.Thread(
            target=lambda: answers.append(sender.put(an_entry("b"), may_wait=True))
        )
        waiting.start()
        sender.stop(0.0)
        waiting.join(PATIENCE_SECONDS)
        assert answers == [False]
