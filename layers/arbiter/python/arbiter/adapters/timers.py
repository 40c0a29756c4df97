"""Timers made of two services: a record that SQS holds back, or a schedule for what is far off.

The law: a reminder never comes before its time, so whole seconds are rounded up. How late is a
matter of the service: SQS delays to about a second; a schedule fires within the minute that follows
its second. Setting one that stands already changes nothing.

A schedule puts its nudge into the clock queue, not into the moves: Scheduler sends to a FIFO queue
only if the queue makes deduplication ids from contents, and ours are the events' own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from arbiter.application.queue_messages import Timer, timer_body
from arbiter.application.timers import delay_seconds, due_second, is_far

if TYPE_CHECKING:
    from types_boto3_scheduler.client import EventBridgeSchedulerClient
    from types_boto3_sqs.client import SQSClient


class QueueTimers:
    """Timers that need the clock queue alone: what is far off is delayed again and again, by
    whoever takes it from there.
    """

    def __init__(self, client: "Callable[[], SQSClient]", url: str) -> None:
        """``client`` makes or returns the client when it is first needed."""
        self._client = client
        self._url = url

    def set(
        self, game_id: str, ply: int, at_ms: int, now_ms: int, player: str | None = None
    ) -> None:
        """Put the nudge into the queue, held back for 900 seconds at most.

        Raises botocore's errors when the queue does not take it.
        """
        nudge = Timer(game_id, ply, at_ms, player)
        self._client().send_message(
            QueueUrl=self._url,
            MessageBody=timer_body(nudge),
            DelaySeconds=delay_seconds(nudge, now_ms),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedules:
    """Where schedules are kept, what they send to, and the role in which they do."""

    group: str
    target_arn: str
    role_arn: str


class QueueOrScheduleTimers:
    """Timers that leave to Scheduler what is more than a quarter of an hour off."""

    def __init__(
        self,
        near: QueueTimers,
        client: "Callable[[], EventBridgeSchedulerClient]",
        schedules: Schedules,
    ) -> None:
        """``near`` takes the others; ``client`` as there."""
        self._near = near
        self._client = client
        self._schedules = schedules

    def set(
        self, game_id: str, ply: int, at_ms: int, now_ms: int, player: str | None = None
    ) -> None:
        """Put the nudge into the queue, or make a schedule that will, and then be gone.

        Raises botocore's errors when neither was done.
        """
        nudge = Timer(game_id, ply, at_ms, player)
        if not is_far(nudge, now_ms):
            self._near.set(game_id, ply, at_ms, now_ms, player)
            return
        scheduler = self._client()
        at = datetime.fromtimestamp(due_second(nudge), UTC)
        try:
            scheduler.create_schedule(
                Name=nudge.name,
                GroupName=self._schedules.group,
                ScheduleExpression=f"at({at:%Y-%m-%dT%H:%M:%S})",
                ScheduleExpressionTimezone="UTC",
                FlexibleTimeWindow={"Mode": "OFF"},
                ActionAfterCompletion="DELETE",
                Target={
                    "Arn": self._schedules.target_arn,
                    "RoleArn": self._schedules.role_arn,
                    "Input": timer_body(nudge),
                },
            )
        except scheduler.exceptions.ConflictException:
            return  # the very same nudge is set already: the name says all of it
