"""The cloud under the arbiter's clients: table, queues, key, schedules, sockets, as `template.yaml`
has them. What may happen to a call is in `calls`; here is what each does to the world.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from tests.simulation.calls import Calls
from tests.simulation.expressions import Item
from tests.simulation.fault_plans import redrive
from tests.simulation.history import DeadLettered, Queued, Wrote
from tests.simulation.services import (
    NEWER_ATTRIBUTE,
    NewerCode,
    Parameters,
    Schedules,
    Sockets,
)
from tests.simulation.sim_queue import SimSqs
from tests.simulation.sim_table import SimDynamoDb
from tests.template.source import properties

if TYPE_CHECKING:
    from tests.simulation.world import World


FORESEEN_KEYS = {"Table": "arbiter", "ShortLivedTable": "short-lived"}
QUEUES = {
    "MovesQueue": "moves.fifo",
    "SeeksQueue": "seeks.fifo",
    "RepublishQueue": "republish",
    "ClockQueue": "clock",
}


@dataclass(frozen=True)
class Queues:
    """``urls`` by name, those of dead letters as ``dead-…``; ``dead_arns`` by the queue's name."""

    urls: dict[str, str] = field(default_factory=dict)
    dead_arns: dict[str, str] = field(default_factory=dict)


def make_tables(dynamodb: SimDynamoDb) -> None:
    for resource, name in FORESEEN_KEYS.items():
        said = properties(resource)
        keys = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            **{key: said[key] for key in keys if key in said},
        )


def make_queues(sqs: SimSqs) -> Queues:
    """Each queue behind its dead letters."""
    queues = Queues()

    def made(name: str, said: dict[str, Any], **more: str) -> str:
        kept = ("VisibilityTimeout", "MessageRetentionPeriod", "DeduplicationScope")
        attributes = {key: str(said[key]) for key in kept if key in said} | more
        queues.urls[name] = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        asked = {"QueueUrl": queues.urls[name], "AttributeNames": ["QueueArn"]}
        arn: str = sqs.get_queue_attributes(**asked)["Attributes"]["QueueArn"]
        return arn

    for resource, name in QUEUES.items():
        said = properties(resource)
        policy = said["RedrivePolicy"]
        letters = properties(policy["deadLetterTargetArn"]["GetAtt"][:-4])
        arn = queues.dead_arns[name] = made(f"dead-{name}", letters)
        redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": policy["maxReceiveCount"]}
        made(name, said, RedrivePolicy=json.dumps(redrive))
    return queues


RACE_SECONDS = 3.0


class Cloud:
    """One account, with all that `template.yaml` puts into it."""

    def __init__(self, world: "World", secret_key: str) -> None:
        self._world = world
        self.calls = Calls(world)
        self.port = self.calls.port
        self.dynamodb = SimDynamoDb(
            world.clock,
            self.port,
            lag_ms=lambda: world.chance.choice((0, 0, 20, 500, 5_000)),
            index_lag_ms=lambda: world.chance.choice((0, 50, 2_000, 60_000)),
        )
        self.sqs = SimSqs(world.clock, self.port, chance=world.chance)
        self.parameters = Parameters(self.calls, secret_key)
        self.schedules = Schedules(world, self.calls, self._fire)
        self.sockets = Sockets(world, self.calls)
        self.written_by_newer_code: set[str] = set()
        self._latest: dict[tuple[str, bool], float] = {}
        make_tables(self.dynamodb)
        self.dynamodb.wrote = self._wrote
        queues = make_queues(self.sqs)
        self.urls, self.dead_arns = queues.urls, queues.dead_arns
        self.sqs.took = self._took
        self.sqs.buried = self._buried
        self.sqs.lineage = self._lineage

    def runs_newer_code(self) -> bool:
        task = self._world.scheduler.task
        return task is not None and task.process.memory.get("is_newer", False)

    def items(self) -> list[Item]:
        """All that is stored of games, players and ratings."""
        return self.dynamodb.items("arbiter")

    def forgotten(self) -> list[str]:
        standing = {item["pk"]["S"]: item for item in self.items()}
        return sorted(
            key
            for key in self.written_by_newer_code
            if NEWER_ATTRIBUTE not in standing.get(key, {NEWER_ATTRIBUTE: None})
        )

    def _wrote(self, table: str, items: Sequence[tuple[tuple[str, ...], Any, Any]]) -> None:
        if table == "arbiter":
            keyed = tuple((place[0], before, after) for place, before, after in items)
            self.calls.wrote(Wrote(at_ms=self._world.now_ms(), who=self._world.who(), items=keyed))

    def _took(self, queue: str, group: str, dedup_id: str, body: str, status: str) -> None:
        self._world.write(
            Queued(
                at_ms=self._world.now_ms(),
                by=self._world.who(),
                queue=queue,
                group=group,
                dedup_id=dedup_id,
                body=body,
                status=status,
            )
        )
        if self._world.scheduler.task is not None and '"received_at_ms":' in body:
            # What the gateway stamped, for the history.
            memory = self._world.scheduler.task.process.memory
            memory["stamped_ms"] = json.loads(body)["received_at_ms"]
        if queue == "moves.fifo":
            self._note_race(group, is_nudge=body.startswith('{"nudge":'))
        self._world.lambdas.stir(queue)

    def _lineage(self) -> int:
        task = self._world.scheduler.task
        return 0 if task is None else task.process.memory.get("lineage", 0)

    def _note_race(self, group: str, *, is_nudge: bool) -> None:
        now = self._world.scheduler.now
        other = self._latest.get((group, not is_nudge))
        if other is not None and now - other < RACE_SECONDS:
            self._world.faults.note("F38", group[:8])
        self._latest[group, is_nudge] = now

    def _buried(self, queue: str, group: str, record: str, body: str) -> None:
        world = self._world
        world.faults.note("dead letter", queue)
        world.write(
            DeadLettered(at_ms=world.now_ms(), queue=queue, group=group, record=record, body=body)
        )
        if world.faults.is_healed:
            # The operator is still there, and what is given up now failed before.
            world.scheduler.after(1.0, partial(redrive, world))

    def _fire(self, body: str) -> None:
        self.sqs.send_message(QueueUrl=self.urls["clock"], MessageBody=body)


class Clients:
    """AwsClients, of this cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def dynamodb(self) -> Any:
        client = self._cloud.dynamodb
        if not self._cloud.runs_newer_code():
            return client
        return NewerCode(client, self._cloud.written_by_newer_code)

    def sqs(self) -> Any:
        return self._cloud.sqs

    def ssm(self) -> Any:
        return self._cloud.parameters

    def scheduler(self) -> Any:
        return self._cloud.schedules

    def cloudwatch(self) -> Any:
        return SimpleNamespace()

    def gateway(self, endpoint: str) -> Any:
        del endpoint
        return self._cloud.sockets
