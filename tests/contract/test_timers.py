import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.sqlite.timers import SqliteTimers
from arbiter.adapters.timers import QueueOrScheduleTimers, QueueTimers, Schedules
from arbiter.application.intake.queue_messages import parse_timer, timer_body
from arbiter.application.play.timers import due_second, is_far
from arbiter.application.ports import Timers
from arbiter.application.records import Timer
from tests.builders import NOW_MS
from tests.contract.sqlite_file import SqliteFile
from tests.fakes.timers import FakeTimers

GAME = "0123456789abcdef0123456789abcdef"
NOW_S = NOW_MS // 1000
ROLE = "arn:aws:iam::123456789012:role/scheduler"


@dataclass(frozen=True)
class Candidate:
    """One implementation, and a look behind it: the timers that can be received now, how many are
    held back, and the unix second each far one is scheduled for.
    """

    timers: Timers
    arrived: Callable[[], list[Timer | None]]
    held_back: Callable[[], int]
    scheduled: Callable[[], dict[Timer | None, int]]


@pytest.fixture(params=["memory", "sqlite", "ministack"])
def candidate(
    request: pytest.FixtureRequest,
    endpoint: Callable[[str], AwsClients],
    new_sqlite_file: SqliteFile,
) -> Candidate:
    if request.param == "sqlite":
        return sqlite_timers(new_sqlite_file)
    if request.param == "memory":
        fake = FakeTimers()
        return Candidate(
            timers=fake,
            arrived=lambda: [parse_timer(body) for body, delay in fake.near if delay == 0],
            held_back=lambda: sum(delay > 0 for _, delay in fake.near),
            scheduled=lambda: {timer: second for timer, second in fake.far.items()},  # noqa: C416
        )
    return Clock(endpoint(request.param)).candidate()


def sqlite_timers(file: SqliteFile) -> Candidate:
    """One table has all of them; near and far are only words for when they are due."""
    timers = SqliteTimers(file.opened)

    def waiting() -> list[Timer]:
        file.opened.write(lambda _: None)  # a timer waits for the next group of writes
        return [timer for timer in timers.due(2 * NOW_MS) if timer not in timers.due(NOW_MS)]

    def arrived() -> list[Timer | None]:
        waiting()
        return [*timers.due(NOW_MS)]

    return Candidate(
        timers=timers,
        arrived=arrived,
        held_back=lambda: sum(not is_far(timer, NOW_MS) for timer in waiting()),
        scheduled=lambda: {it: due_second(it) for it in waiting() if is_far(it, NOW_MS)},
    )


class Clock:
    """A clock queue and a group of schedules on a stand-in for AWS."""

    def __init__(self, clients: AwsClients) -> None:
        self._clients = clients
        self._sqs: Any = clients.sqs()
        self._scheduler: Any = clients.scheduler()
        self.group = f"deadlines-{uuid4().hex}"
        self._scheduler.create_schedule_group(Name=self.group)
        self.url: str = self._sqs.create_queue(QueueName=f"clock-{uuid4().hex}")["QueueUrl"]
        self.arn: str = self._attribute("QueueArn")
        self.near = QueueTimers(clients.sqs, self.url)

    def timers(self, group: str | None = None) -> QueueOrScheduleTimers:
        return QueueOrScheduleTimers(
            self.near,
            self._clients.scheduler,
            Schedules(group=group or self.group, target_arn=self.arn, role_arn=ROLE),
        )

    def candidate(self) -> Candidate:
        return Candidate(
            timers=self.timers(),
            arrived=self._arrived,
            held_back=lambda: int(self._attribute("ApproximateNumberOfMessagesDelayed")),
            scheduled=self._scheduled,
        )

    def schedules(self) -> list[dict[str, Any]]:
        listed = self._scheduler.list_schedules(GroupName=self.group)["Schedules"]
        return [
            self._scheduler.get_schedule(GroupName=self.group, Name=it["Name"]) for it in listed
        ]

    def _attribute(self, name: str) -> str:
        found = self._sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=[name])
        return str(found["Attributes"][name])

    def _arrived(self) -> list[Timer | None]:
        answer = self._sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10)
        return [parse_timer(message["Body"]) for message in answer.get("Messages", [])]

    def _scheduled(self) -> dict[Timer | None, int]:
        found = {}
        for schedule in self.schedules():
            expression = schedule["ScheduleExpression"]
            assert schedule["ScheduleExpressionTimezone"] == "UTC"
            found[parse_timer(schedule["Target"]["Input"])] = _SECONDS[expression]
        return found


# Written out rather than computed, so that both cannot be wrong in the same way.
_SECONDS = {
    "at(2027-01-15T08:15:01)": NOW_S + 901,
    "at(2027-01-15T09:00:00)": NOW_S + 3600,
    "at(2027-01-16T08:00:00)": NOW_S + 86_400,
}


@pytest.mark.parametrize(
    ("after_ms", "is_held_back", "second"),
    [
        (0, False, None),
        (-5000, False, None),
        (60_000, True, None),
        (900_000, True, None),
        (900_001, False, 901),
        (3_600_000, False, 3600),
        (3_599_001, False, 3600),
        (86_400_000, False, 86_400),
    ],
)
def test_a_timer_is_sent_at_once_or_held_back_or_scheduled_for_the_second_after(
    candidate: Candidate, after_ms: int, *, is_held_back: bool, second: int | None
) -> None:
    timer = Timer(GAME, 7, NOW_MS + after_ms)
    candidate.timers.set((timer,), NOW_MS)

    assert candidate.arrived() == ([] if is_held_back or second else [timer])
    assert candidate.held_back() == is_held_back
    assert candidate.scheduled() == ({timer: NOW_S + second} if second else {})


def test_many_timers_are_set_together(candidate: Candidate) -> None:
    due = [Timer(GAME, ply, NOW_MS) for ply in range(11)]
    far = Timer(GAME, 7, NOW_MS + 3_600_000)

    candidate.timers.set([*due, far], NOW_MS)

    arrived = [timer for _ in range(2) for timer in candidate.arrived()]
    assert {*arrived} == {*due}
    assert candidate.scheduled() == {far: NOW_S + 3600}


def test_a_timer_set_again_is_scheduled_once_beside_its_plys_next(candidate: Candidate) -> None:
    for now_ms in (NOW_MS, NOW_MS, NOW_MS + 1000):
        candidate.timers.set((Timer(GAME, 7, NOW_MS + 3_600_000),), now_ms)
    candidate.timers.set((Timer(GAME, 7, NOW_MS + 86_400_000),), NOW_MS)

    assert candidate.scheduled() == {
        Timer(GAME, 7, NOW_MS + 3_600_000): NOW_S + 3600,
        Timer(GAME, 7, NOW_MS + 86_400_000): NOW_S + 86_400,
    }


def test_a_schedule_sends_its_timer_and_is_gone(endpoint: Callable[[str], AwsClients]) -> None:
    clock = Clock(endpoint("ministack"))

    clock.timers().set((Timer(GAME, 7, NOW_MS + 3_600_000),), NOW_MS)

    (schedule,) = clock.schedules()
    target = schedule["Target"]
    assert (target["Arn"], target["RoleArn"]) == (clock.arn, ROLE)
    timer = timer_body(Timer(GAME, 7, NOW_MS + 3_600_000))
    assert json.loads(target["Input"]) == json.loads(timer)
    assert schedule["ActionAfterCompletion"] == "DELETE"
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}


def test_a_timer_that_could_not_be_set_is_an_error_and_a_queue_alone_holds_a_far_one_back(
    endpoint: Callable[[str], AwsClients],
) -> None:
    clients = endpoint("ministack")
    clock = Clock(clients)
    nowhere = QueueTimers(clients.sqs, clock.url + "-which-is-not-there")

    with pytest.raises(ClientError, match="NonExistentQueue"):
        nowhere.set((Timer(GAME, 7, NOW_MS),), NOW_MS)
    with pytest.raises(ClientError):
        clock.timers("no-such-group").set((Timer(GAME, 7, NOW_MS + 3_600_000),), NOW_MS)

    clock.near.set((Timer(GAME, 7, NOW_MS + 86_400_000),), NOW_MS)
    candidate = clock.candidate()
    assert (candidate.held_back(), candidate.scheduled(), candidate.arrived()) == (1, {}, [])
