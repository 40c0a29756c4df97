"""Health checks: table, queues and relays, each tried; what could not be checked is None.

Nothing raises or waits long. Queues and relays are checked at most every half minute.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.dynamodb.calls import get
from arbiter.adapters.relays.connection import trouble_with
from arbiter.application.ports import Clock
from arbiter.application.queries import DEAD_LETTERS, HealthReport, QueueDepth, RelayReach

if TYPE_CHECKING:
    from types_boto3_dynamodb.client import DynamoDBClient
    from types_boto3_sqs.client import SQSClient

KEPT_MS = 30_000

_AGE_MINUTES = 5
"""CloudWatch has one value a minute, some minutes late."""

_NO_SUCH_ITEM: Mapping[str, Any] = {"pk": {"S": "healthz"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The table, URLs of queues (by name) and their dead-letter queues, and of relays."""

    table: str
    queues: Mapping[str, str] = field(default_factory=dict)
    dead_letters: Sequence[str] = ()
    relays: Sequence[str] = ()


class AwsHealth:
    """The health of one stack. Thread-safe."""

    def __init__(
        self,
        watched: Watched,
        clock: Clock,
        dynamodb: "Callable[[], DynamoDBClient]",
        sqs: "Callable[[], SQSClient]",
        cloudwatch: Callable[[], Any],
    ) -> None:
        self._watched = watched
        self._clock = clock
        self._dynamodb = dynamodb
        self._sqs = sqs
        self._cloudwatch = cloudwatch
        self._lock = Lock()
        self._seen: HealthReport | None = None

    def has_table(self) -> bool:
        try:
            get(self._dynamodb(), self._watched.table, dict(_NO_SUCH_ITEM))
        except (BotoCoreError, ClientError):
            return False
        return True

    def report(self) -> HealthReport:
        with self._lock:  # one check at a time; concurrent callers get its result
            now_ms = self._clock.now_ms()
            if self._seen is None or not 0 <= now_ms - self._seen.looked_at_ms < KEPT_MS:
                self._seen = self._look(now_ms)
            return self._seen

    def _look(self, now_ms: int) -> HealthReport:
        queues, dead, relays = (
            self._watched.queues,
            self._watched.dead_letters,
            self._watched.relays,
        )
        with ThreadPoolExecutor(max(len(queues) + len(dead) + len(relays), 1)) as threads:
            troubles = threads.map(trouble_with, relays)
            buried = threads.map(self._waiting, dead)
            depths = threads.map(lambda name: self._depth(name, queues[name], now_ms), queues)
            reached = (*map(RelayReach, relays, troubles),)
            return HealthReport((*depths, *_together([*buried])), reached, now_ms)

    def _depth(self, name: str, url: str, now_ms: int) -> QueueDepth:
        waiting = self._waiting(url)
        if waiting is None:
            return QueueDepth(name, None)
        return QueueDepth(name, waiting, self._age_seconds(url, now_ms) if waiting else 0)

    def _waiting(self, url: str) -> int | None:
        try:
            answer = self._sqs().get_queue_attributes(
                QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"]
            )
            return int(answer["Attributes"]["ApproximateNumberOfMessages"])
        except (BotoCoreError, ClientError, KeyError):
            return None

    def _age_seconds(self, url: str, now_ms: int) -> int | None:
        """The age of the oldest message by CloudWatch's latest value; None if unknown."""
        now = datetime.fromtimestamp(now_ms / 1000, UTC)
        try:
            answer = self._cloudwatch().get_metric_statistics(
                Namespace="AWS/SQS",
                MetricName="ApproximateAgeOfOldestMessage",
                Dimensions=[{"Name": "QueueName", "Value": url.rpartition("/")[2]}],
                StartTime=now - timedelta(minutes=_AGE_MINUTES),
                EndTime=now,
                Period=60,
                Statistics=["Maximum"],
            )
            points: list[dict[str, Any]] = answer.get("Datapoints", [])
            newest = max(points, key=lambda point: point["Timestamp"])
        except (BotoCoreError, ClientError, ValueError):
            return None
        return int(newest["Maximum"])


def _together(counts: Sequence[int | None]) -> tuple[QueueDepth, ...]:
    """All dead letters together; None if one queue is unknown."""
    known = [count for count in counts if count is not None]
    if not counts:
        return ()
    return (QueueDepth(DEAD_LETTERS, sum(known) if len(known) == len(counts) else None),)
