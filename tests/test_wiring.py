"""The timers that the environment asks for."""

import pytest

from arbiter import wiring
from arbiter.adapters.clients import AwsClients
from arbiter.adapters.timers import QueueOrScheduleTimers, QueueTimers


@pytest.fixture
def laptop(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SCHEDULE_GROUP", "SCHEDULE_TARGET_ARN", "SCHEDULER_ROLE_ARN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CLOCK_QUEUE_URL", "http://127.0.0.1:9/clock")


@pytest.mark.parametrize("group", [None, ""])
def test_without_schedules_the_queue_keeps_every_deadline(
    laptop: None, monkeypatch: pytest.MonkeyPatch, group: str | None
) -> None:
    if group is not None:
        monkeypatch.setenv("SCHEDULE_GROUP", group)

    assert isinstance(wiring.timers(AwsClients()), QueueTimers)


def test_with_schedules_far_deadlines_are_left_to_them(
    laptop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDULE_GROUP", "deadlines")
    monkeypatch.setenv("SCHEDULE_TARGET_ARN", "arn:aws:sqs:us-east-1:123456789012:clock")
    monkeypatch.setenv("SCHEDULER_ROLE_ARN", "arn:aws:iam::123456789012:role/scheduler")

    assert isinstance(wiring.timers(AwsClients()), QueueOrScheduleTimers)


def test_a_group_without_a_role_is_noticed_before_a_deadline_is_lost(
    laptop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCHEDULE_GROUP", "deadlines")

    with pytest.raises(KeyError, match="SCHEDULE"):
        wiring.timers(AwsClients())
