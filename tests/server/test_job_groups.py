"""Whose job is next: players in running games, and now and then another."""

import pytest

from server import job_groups
from server.job_groups import OTHERS_AFTER, Job, JobGroups


def groups_of(*jobs: str) -> JobGroups:
    groups = JobGroups(1000)
    for group in jobs:
        groups.add(Job(group, lambda _: None, lambda _: None))
    return groups


def taken(groups: JobGroups) -> list[str]:
    found = []
    while groups.is_ready:
        found.append(groups.take().group)
    return found


def test_jobs_of_the_first_groups_are_taken_before_all_others() -> None:
    groups = groups_of("stranger", "player", "stranger")
    groups.put_first("player")
    assert taken(groups) == ["player", "stranger", "stranger"]


def test_others_have_their_turn_while_the_first_have_jobs_without_end() -> None:
    groups = JobGroups(1000)
    groups.put_first("player")
    for _ in range(10 * OTHERS_AFTER):
        groups.add(Job("player", lambda _: None, lambda _: None))
    groups.add(Job("newcomer", lambda _: None, lambda _: None))
    assert taken(groups).index("newcomer") == OTHERS_AFTER


def test_a_group_keeps_its_order_when_it_becomes_first_and_when_it_no_longer_is() -> None:
    groups = JobGroups(1000)
    jobs = [Job("a", lambda _: None, lambda _: None) for _ in range(4)]
    groups.add(jobs[0])
    groups.put_first("a")
    groups.add(jobs[1])
    groups.put_with_others("a")
    groups.add(jobs[2])
    groups.put_first("a")
    groups.add(jobs[3])
    assert [groups.take() for _ in jobs] == jobs
    assert not groups.is_ready


def test_a_resting_group_that_becomes_first_rests_on() -> None:
    groups = groups_of("a", "b")
    groups.stop("a")
    groups.put_first("a")
    assert taken(groups) == ["b"]
    groups.resume("a")
    assert taken(groups) == ["a"]
    assert len(groups) == 0


def test_the_memory_of_first_groups_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_groups, "MAX_FIRST", 2)
    groups = groups_of("a")
    for group in ("a", "b", "c"):
        groups.put_first(group)
    assert [groups.is_first(group) for group in "abc"] == [False, True, True]
    assert taken(groups) == ["a"], "its job was lost with its place"
