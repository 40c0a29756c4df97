"""The system clock, and timers: a delayed SQS message, or a schedule beyond 15 minutes.

Invariant: a timer never fires early, and setting one again changes nothing. SQS is late by a
second, a schedule by a minute. It sends to the clock queue, not to the moves, as Scheduler needs
content deduplication for a FIFO queue.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arbiter.adapters.sqs import ENTRIES_PER_CALL, raise_if_rejected
from arbiter.application.intake.queue_messages import timer_body
from arbiter.application.play.timers import delay_seconds, due_second, is_far
from arbiter.application.records import Timer

if TYPE_CHECKING:
    from types_boto3_scheduler.client import EventBridgeSchedulerClient
    from types_boto3_sqs.client import SQSClient


class SystemClock:
    """Unix time, as exact as the machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class QueueTimers:
    """Timers by the clock queue alone: its consumer delays far ones again and again."""

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        self._client = client
        self._url = url

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        """Queue the timers, by 900 seconds at most. Raises ``QueueRejected``, botocore's errors."""
        for start in range(0, len(timers), ENTRIES_PER_CALL):
            answer = self._client().send_message_batch(
                QueueUrl=self._url,
                Entries=[
                    {
                        "Id": str(at),
                        "MessageBody": timer_body(timer),
                        "DelaySeconds": delay_seconds(timer, now_ms),
                    }
                    for at, timer in enumerate(timers[start : start + ENTRIES_PER_CALL])
                ],
            )
            raise_if_rejected(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedules:
    """The group of the schedules, the ARN that they send to, and the role in which they do."""

    group: str
    target_arn: str
    role_arn: str


class QueueOrScheduleTimers:
    """Timers by EventBridge Scheduler if due in over a quarter of an hour, else by ``near``."""

    def __init__(
        self,
        near: QueueTimers,
        client: "Callable[[], EventBridgeSchedulerClient]",
        schedules: Schedules,
    ) -> None:
        self._near = near
        self._client = client
        self._schedules = schedules

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        """Queue each timer, or create a schedule that does. Raises as `QueueTimers.set`."""
        self._near.set([timer for timer in timers if not is_far(timer, now_ms)], now_ms)
        for timer in timers:
            if is_far(timer, now_ms):
                self._schedule(timer)

    def _schedule(self, timer: Timer) -> None:
        scheduler = self._client()
        at = datetime.fromtimestamp(due_second(timer), UTC)
        try:
            scheduler.create_schedule(
                Name=timer.name,
                GroupName=self._schedules.group,
                ScheduleExpression=f"at({at:%Y-%m-%dT%H:%M:%S})",
                ScheduleExpressionTimezone="UTC",
                FlexibleTimeWindow={"Mode": "OFF"},
                ActionAfterCompletion="DELETE",
                Target={
                    "Arn": self._schedules.target_arn,
                    "RoleArn": self._schedules.role_arn,
                    "Input": timer_body(timer),
                },
            )
        except scheduler.exceptions.ConflictException:
            return  # the name holds all of a timer, so the same one is already set
