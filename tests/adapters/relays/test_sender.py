import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.sender import Sender, SenderLimits
from arbiter.application.queue_messages import QueueEntry
from tests.adapters.relays.watching import OwnThreads, WatchedQueue, WatchedTally
from tests.fakes.relay import PATIENCE_SECONDS

AT_ONCE = Backoff(first_seconds=0.001, longest_seconds=0.001)
NEVER = Backoff(first_seconds=1000.0, longest_seconds=1000.0)


def an_entry(number: int, group: str | None = None) -> QueueEntry:
    return QueueEntry(queue="moves", body="{}", group_id=group or str(number), dedup_id=str(number))


@contextmanager
def a_sender(
    queue: WatchedQueue,
    tally: WatchedTally | None = None,
    *,
    max_entries: int = 1000,
    retry: Backoff = AT_ONCE,
    pause_seconds: float = 0.01,
) -> Iterator[Sender]:
    limits = SenderLimits(max_entries=max_entries, retry=retry, pause_seconds=pause_seconds)
    sender = Sender(queue, limits, tally or WatchedTally(), lambda: 1.0, is_ordered=True)
    sender.start()
    try:
        yield sender
    finally:
        queue.is_open.set()
        sender.stop(0.0)
        sender.join()


def test_what_is_put_is_sent() -> None:
    queue = WatchedQueue()
    with a_sender(queue) as sender:
        assert sender.put(an_entry(1), may_wait=True)
        assert queue.ids(1) == ["1"]


def test_what_comes_while_a_request_is_under_way_goes_in_batches_of_ten() -> None:
    queue = WatchedQueue()
    with a_sender(queue) as sender:
        queue.is_open.clear()
        sender.put(an_entry(0), may_wait=True)
        queue.tried(1)
        for number in range(1, 26):
            sender.put(an_entry(number), may_wait=True)
        queue.is_open.set()
        assert queue.ids(26) == [str(number) for number in range(26)]
        assert [len(batch) for batch in queue.batches] == [1, 10, 10, 5]


def test_a_lone_entry_leaves_at_once_and_those_after_it_wait_for_company() -> None:
    queue, other_queue = WatchedQueue(), WatchedQueue()
    with a_sender(queue, pause_seconds=3600.0) as sender, a_sender(other_queue) as other:
        for number in range(11):
            sender.put(an_entry(number), may_wait=True)
            # In the time in which another sender sends, a hasty one would have done so too.
            other.put(an_entry(number), may_wait=True)
            other_queue.entries(number + 1)
            queue.entries(1)
        queue.entries(11)
        assert [len(batch) for batch in queue.batches] == [1, 10]
        sender.put(an_entry(11), may_wait=True)
        sender.stop(PATIENCE_SECONDS)
        queue.entries(12)


def test_failed_entries_are_tried_again_in_their_groups_order() -> None:
    queue, failures = WatchedQueue(), iter([True, True, False])
    queue.refuse = lambda entry: entry.dedup_id == "1" and next(failures, False)
    with a_sender(queue) as sender:
        for number, group in ((1, "a"), (2, "a"), (3, "b"), (4, "a")):
            sender.put(an_entry(number, group), may_wait=True)
        taken = queue.ids(4)
    assert [id_ for id_ in taken if id_ != "3"] == ["1", "2", "4"]


def test_a_queue_that_raises_loses_nothing() -> None:
    queue, tally, raises = WatchedQueue(), WatchedTally(), iter([True, True])

    def refuse(_: QueueEntry) -> bool:
        if next(raises, False):
            raise ConnectionError("the cloud is away")
        return False

    queue.refuse = refuse
    with a_sender(queue, tally) as sender:
        sender.put(an_entry(1), may_wait=True)
        assert queue.ids(1) == ["1"]
        tally.reaches("sent")
        assert tally.counts()["send-failed"] == 2


def test_without_room_a_put_waits_until_there_is_some() -> None:
    queue, was_put = WatchedQueue(), threading.Event()
    with a_sender(queue, max_entries=2) as sender:
        queue.is_open.clear()
        assert sender.put(an_entry(1), may_wait=True)
        assert sender.put(an_entry(2), may_wait=True)

        def put() -> None:
            if sender.put(an_entry(3), may_wait=True):
                was_put.set()

        waits = threading.Thread(target=put)
        waits.start()
        queue.tried(1)
        assert not was_put.is_set()
        queue.is_open.set()
        assert was_put.wait(PATIENCE_SECONDS)
        assert queue.ids(3) == ["1", "2", "3"]
        waits.join()


def test_without_room_a_put_that_may_not_wait_is_refused() -> None:
    queue = WatchedQueue()
    with a_sender(queue, max_entries=1) as sender:
        queue.is_open.clear()
        assert sender.put(an_entry(1), may_wait=False)
        assert not sender.put(an_entry(2), may_wait=False)


def test_stopping_sends_off_the_rest_first() -> None:
    queue = WatchedQueue()
    with a_sender(queue) as sender:
        queue.is_open.clear()
        for number in range(30):
            sender.put(an_entry(number), may_wait=True)
        sender.stop(PATIENCE_SECONDS)
        queue.is_open.set()
        sender.join()
        assert len(queue.taken) == 30
        assert not sender.put(an_entry(99), may_wait=True)


def test_stopping_gives_up_at_its_bound_and_counts_what_is_left() -> None:
    queue, tally = WatchedQueue(), WatchedTally()
    queue.refuse = lambda _: True
    with a_sender(queue, tally, retry=NEVER) as sender:
        sender.put(an_entry(1), may_wait=True)
        tally.reaches("send-failed")
        sender.stop(0.05)
        sender.join()
        assert tally.counts()["unsent"] == 1
        assert sender.waiting() == 1


def test_stopping_wakes_whoever_waits_for_room() -> None:
    queue, answers = WatchedQueue(), []
    with a_sender(queue, max_entries=1) as sender:
        queue.is_open.clear()
        sender.put(an_entry(1), may_wait=True)
        waits = threading.Thread(
            target=lambda: answers.append(sender.put(an_entry(2), may_wait=True))
        )
        waits.start()
        sender.stop(0.0)
        waits.join(PATIENCE_SECONDS)
        assert answers == [False]


@pytest.mark.parametrize("times", [1, 2])
def test_stopping_an_idle_sender_ends_at_once(times: int) -> None:
    threads = OwnThreads()
    with a_sender(WatchedQueue()) as sender:
        assert len(threads.running()) == 1
        for _ in range(times):
            sender.stop(PATIENCE_SECONDS)
            sender.join()
        assert threads.running() == []
