import random
from collections.abc import Sequence

import pytest

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.sender import BATCH_BYTES, Backlog
from arbiter.application.queue_messages import QueueEntry

RETRY = Backoff(first_seconds=1.0, longest_seconds=8.0)


def an_entry(group: str, number: int, size: int = 1) -> QueueEntry:
    return QueueEntry(queue="moves", body="x" * size, group_id=group, dedup_id=f"{group}{number}")


def a_backlog(
    *entries: QueueEntry, is_ordered: bool = True, max_entries: int = 100, max_bytes: int = 10**6
) -> Backlog:
    backlog = Backlog(
        max_entries=max_entries, max_bytes=max_bytes, is_ordered=is_ordered, retry=RETRY
    )
    for entry in entries:
        backlog.add(entry)
    return backlog


def ids(batch: Sequence[QueueEntry]) -> list[str]:
    return [entry.dedup_id for entry in batch]


def test_entries_leave_in_the_order_in_which_they_came() -> None:
    backlog = a_backlog(*(an_entry(group, 1) for group in "abc"))
    assert ids(backlog.take(0.0)) == ["a1", "b1", "c1"]


def test_a_batch_is_ten_entries() -> None:
    backlog = a_backlog(*(an_entry(f"{number:02}", 1) for number in range(12)))
    assert len(backlog.take(0.0)) == 10
    backlog.settle((), 0.0, 1.0)
    assert ids(backlog.take(0.0)) == ["101", "111"]


def test_a_batch_carries_no_more_bytes_than_a_request_may() -> None:
    half = BATCH_BYTES // 2
    backlog = a_backlog(an_entry("a", 1, half), an_entry("b", 1, half), an_entry("c", 1, half))
    assert ids(backlog.take(0.0)) == ["a1", "b1"]


def test_nothing_overtakes_an_entry_of_its_group_that_did_not_fit() -> None:
    half = BATCH_BYTES // 2
    backlog = a_backlog(
        an_entry("a", 1, half), an_entry("b", 1, half + 1), an_entry("b", 2), an_entry("c", 1)
    )
    assert ids(backlog.take(0.0)) == ["a1", "c1"]
    backlog.settle((), 0.0, 1.0)
    assert ids(backlog.take(0.0)) == ["b1"]


def test_an_entry_too_large_for_company_goes_alone() -> None:
    backlog = a_backlog(an_entry("a", 1, BATCH_BYTES + 1), an_entry("b", 1))
    assert ids(backlog.take(0.0)) == ["a1"]


def test_two_moves_of_one_game_never_share_a_batch() -> None:
    backlog = a_backlog(an_entry("a", 1), an_entry("a", 2), an_entry("b", 1))
    assert ids(backlog.take(0.0)) == ["a1", "b1"]
    backlog.settle((), 0.0, 1.0)
    assert ids(backlog.take(0.0)) == ["a2"]


def test_entries_whose_order_means_nothing_share_a_batch() -> None:
    backlog = a_backlog(an_entry("a", 1), an_entry("a", 2), is_ordered=False)
    assert ids(backlog.take(0.0)) == ["a1", "a2"]


def test_a_failed_entry_holds_back_its_group_and_no_other() -> None:
    backlog = a_backlog(an_entry("a", 1), an_entry("a", 2), an_entry("b", 1), an_entry("b", 2))
    batch = backlog.take(0.0)
    backlog.settle([batch[0]], 0.0, 1.0)
    assert ids(backlog.take(0.5)) == ["b2"]
    backlog.settle((), 0.5, 1.0)
    assert backlog.ready_at(0.5) == 1.0
    assert ids(backlog.take(0.9)) == []
    assert ids(backlog.take(1.0)) == ["a1"]


def test_a_failed_entry_waits_longer_each_time_and_less_after_success() -> None:
    backlog = a_backlog(an_entry("a", 1), an_entry("a", 2))
    for now, ready_at in ((0.0, 1.0), (1.0, 3.0), (3.0, 7.0)):
        backlog.settle(backlog.take(now), now, 1.0)
        assert backlog.ready_at(now) == ready_at
    backlog.take(7.0)
    backlog.settle((), 7.0, 1.0)
    assert backlog.ready_at(7.0) == 7.0
    backlog.settle(backlog.take(7.0), 7.0, 1.0)
    assert backlog.ready_at(7.0) == 8.0


def test_what_failed_together_comes_back_in_its_order() -> None:
    backlog = a_backlog(*(an_entry("a", number) for number in range(4)), is_ordered=False)
    batch = backlog.take(0.0)
    backlog.settle([batch[3], batch[1], batch[0]], 0.0, 1.0)
    assert ids(backlog.take(1.0)) == ["a0", "a1", "a3"]


def test_nothing_waits_in_an_empty_backlog() -> None:
    backlog = a_backlog()
    assert backlog.ready_at(0.0) is None
    assert backlog.take(0.0) == ()


def test_entries_under_way_still_take_up_room() -> None:
    backlog = a_backlog(an_entry("a", 1), max_entries=1)
    batch = backlog.take(0.0)
    assert not backlog.has_room()
    backlog.settle(batch, 0.0, 1.0)
    assert not backlog.has_room()
    backlog.take(9.0)
    backlog.settle((), 9.0, 1.0)
    assert backlog.has_room()


def test_bytes_take_up_room_as_entries_do() -> None:
    backlog = a_backlog(an_entry("a", 1, 600), an_entry("b", 1, 600), max_bytes=1000)
    assert not backlog.has_room()
    backlog.take(0.0)
    backlog.settle((), 0.0, 1.0)
    assert backlog.has_room()


@pytest.mark.parametrize("seed", range(30))
def test_whatever_fails_nothing_is_lost_and_every_group_keeps_its_order(seed: int) -> None:
    chance = random.Random(seed)
    backlog, now = a_backlog(), 0.0
    sent: list[QueueEntry] = []
    coming = [
        [an_entry(group, number) for number in range(chance.randrange(1, 20))] for group in "abcdef"
    ]
    expected = {entries[0].group_id: ids(entries) for entries in coming}
    while any(coming) or len(backlog):
        for entries in coming:
            if entries and chance.random() < 0.3:
                backlog.add(entries.pop(0))
        batch = backlog.take(now)
        failed = [entry for entry in batch if chance.random() < 0.4]
        chance.shuffle(failed)
        sent.extend(entry for entry in batch if entry not in failed)
        backlog.settle(failed, now, chance.random())
        now += chance.random() * 2
    for group, wanted in expected.items():
        assert [entry.dedup_id for entry in sent if entry.group_id == group] == wanted
