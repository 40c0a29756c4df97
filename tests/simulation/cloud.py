"""The cloud under the arbiter's own clients: table, queues, key, schedules, sockets.

The law: every call passes `port` twice, before and after it takes effect. There a process may be
killed, a call may be slow, refused or lose its answer, and other tasks get their turn, so that two
workers interleave at each call and nowhere else.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from tests.simulation.aws_errors import (
    answer_lost,
    internal_error,
    throttled,
    transaction_conflict,
    unreachable,
)
from tests.simulation.history import DeadLettered, Posted, Queued, Wrote
from tests.simulation.long_polls import LongPolls
from tests.simulation.plans import redrive
from tests.simulation.scheduler import Process
from tests.simulation.sim_queue import SimSqs
from tests.simulation.sim_table import SimDynamoDb
from tests.simulation.threads import Waiters
from tests.template.source import properties

if TYPE_CHECKING:
    from tests.simulation.world import World

HANGS_SECONDS = 60.0
RACE_SECONDS = 3.0
NEWER_ATTRIBUTE = "zz"
FORESEEN_KEYS = {"Table": "arbiter", "ShortLivedTable": "short-lived"}
QUEUES = {
    "MovesQueue": "moves.fifo",
    "SeeksQueue": "seeks.fifo",
    "RepublishQueue": "republish",
    "ClockQueue": "clock",
}
OUTBOX = {"ScuttlebuttQueue": "scuttlebutt.fifo"}
"""Only where there are players of Scuttlebutt."""
OWN_CALLS = ("relay.", "peer.", "disk.")
"""Made to no cloud: nobody throttles them."""


class Unforeseen(Exception):
    """What nobody thought of: a bug, a disk, a cosmic ray."""


class Cloud:
    """One account, with all that `template.yaml` puts into it."""

    def __init__(self, world: "World", secret_key: str) -> None:
        self._world = world
        self.secret_key = secret_key
        self.dynamodb = SimDynamoDb(
            world.clock,
            self.port,
            lag_ms=lambda: world.chance.choice((0, 0, 20, 500, 5_000)),
            index_lag_ms=lambda: world.chance.choice((0, 50, 2_000, 60_000)),
        )
        self.sqs = SimSqs(world.clock, self.port, chance=world.chance)
        self.urls: dict[str, str] = {}
        self.dead_arns: dict[str, str] = {}
        self.schedules: dict[str, str] = {}
        self.sockets: dict[str, Callable[[str | None], bool]] = {}
        self.calls: Counter[str] = Counter()
        self.written_by_newer_code: set[str] = set()
        self._latest: dict[tuple[str, bool], float] = {}
        self._unknown: int | None = None
        self.more = Waiters(world.scheduler)
        self._make_tables()
        self._make_queues()

    # ---------------------------------------------------------------------- the law

    def port(self, point: str) -> None:
        """Either side of a call: ``dynamodb.get_item.asked``, ``…done``; or one entry of it."""
        world = self._world
        task = world.scheduler.task
        if task is None:
            return
        world.scheduler.check()
        process = task.process
        call, _, side = point.rpartition(".")
        if side == "asked":
            self._before(call, process)
        elif side == "done":
            self._after(call, process)
        elif point.startswith("sqs.entry ") and world.faults.strikes("F31", process.name):
            raise throttled("SendMessageBatch")

    def _before(self, call: str, process: Process) -> None:
        world, faults = self._world, self._world.faults
        self.calls[call] += 1
        self._let_time_pass(process)
        self._crash(f"before {call}", process)
        if call.startswith(OWN_CALLS):
            return
        operation = _operation(call)
        if process.memory.get("lost", 0) > 0:
            # Nor does botocore's next try get through.
            process.memory["lost"] -= 1
            raise unreachable()
        if call.startswith("sqs.send") and faults.strikes("F30", process.name):
            raise unreachable()
        if faults.strikes("F26", process.name):
            raise world.chance.choice((throttled, internal_error))(operation)
        if call == "dynamodb.transact_write_items" and faults.strikes("F26 conflict", process.name):
            raise transaction_conflict(operation)
        if world.is_function(process) and faults.strikes("F23", process.name):
            world.scheduler.sleep(HANGS_SECONDS)
        if process.memory.pop("is_poisoned", False):
            raise Unforeseen

    def _after(self, call: str, process: Process) -> None:
        world = self._world
        wrote, self._unknown = self._unknown, None
        try:
            self._crash(f"after {call}", process)
            if call.startswith(OWN_CALLS):
                return
            is_write = wrote is not None or call.startswith("sqs.send")
            if is_write and world.faults.strikes("ambiguous write", f"{process.name} {call}"):
                process.memory["lost"] = world.chance.choice((0, 0, 2))
                raise answer_lost()  # noqa: TRY301 - one way out, whatever it was
        except BaseException:
            if wrote is not None:
                world.mark_unknown(wrote)
            raise
        self._let_time_pass(process)

    def _crash(self, point: str, process: Process) -> None:
        world = self._world
        if world.faults.crashes(point, process.name):
            world.note_crash(process)
            world.kill(process)

    def _let_time_pass(self, process: Process) -> None:
        world = self._world
        seconds = world.chance.random() * 0.006
        if world.faults.strikes("slow", process.name):
            seconds += world.chance.random() * 3.0
        world.scheduler.sleep(seconds)

    def sqs_of_process(self) -> Any:
        """The queues as the present process asks them: a bridge waits for what comes."""
        world = self._world
        is_bridge = world.scheduler.task and world.scheduler.task.process.memory.get("is_bridge")
        return LongPolls(world) if is_bridge else self.sqs

    def runs_newer_code(self) -> bool:
        """Whether the present process was deployed with a later version."""
        task = self._world.scheduler.task
        return task is not None and task.process.memory.get("is_newer", False)

    def forgotten(self) -> list[str]:
        """The games whose newer attribute the present code did away with."""
        standing = {item["pk"]["S"]: item for item in self.dynamodb.items("arbiter")}
        return sorted(
            key
            for key in self.written_by_newer_code
            if NEWER_ATTRIBUTE not in standing.get(key, {NEWER_ATTRIBUTE: None})
        )

    # ---------------------------------------------------------------- what was made

    def _make_tables(self) -> None:
        for resource, name in FORESEEN_KEYS.items():
            said = properties(resource)
            keys = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
            self.dynamodb.create_table(
                TableName=name,
                BillingMode="PAY_PER_REQUEST",
                **{key: said[key] for key in keys if key in said},
            )
        self.dynamodb.wrote = self._wrote

    def _make_queues(self) -> None:
        for resource, name in {**QUEUES, **(OUTBOX if self._world.settings.feeds else {})}.items():
            dead = f"dead-{name}"
            said = properties(resource)
            fifo = {"FifoQueue": "true"} if said.get("FifoQueue") else {}
            scope = {"DeduplicationScope": said["DeduplicationScope"]} if fifo else {}
            through = {"FifoThroughputLimit": said["FifoThroughputLimit"]} if fifo else {}
            letters = properties(said["RedrivePolicy"]["deadLetterTargetArn"]["GetAtt"][:-4])
            self.urls[dead] = self.sqs.create_queue(
                QueueName=dead,
                Attributes={
                    **fifo,
                    "MessageRetentionPeriod": str(letters["MessageRetentionPeriod"]),
                },
            )["QueueUrl"]
            self.dead_arns[name] = self.sqs.get_queue_attributes(
                QueueUrl=self.urls[dead], AttributeNames=["QueueArn"]
            )["Attributes"]["QueueArn"]
            redrive = {
                "deadLetterTargetArn": self.dead_arns[name],
                "maxReceiveCount": said["RedrivePolicy"]["maxReceiveCount"],
            }
            self.urls[name] = self.sqs.create_queue(
                QueueName=name,
                Attributes={
                    **fifo,
                    **scope,
                    **through,
                    "VisibilityTimeout": str(said["VisibilityTimeout"]),
                    "MessageRetentionPeriod": str(said["MessageRetentionPeriod"]),
                    "RedrivePolicy": json.dumps(redrive),
                },
            )["QueueUrl"]
        self.sqs.took = self._took
        self.sqs.buried = self._buried

    # ------------------------------------------------------------------- what happens

    def _wrote(self, table: str, items: Sequence[tuple[tuple[str, ...], Any, Any]]) -> None:
        if table == "arbiter":
            keyed = tuple((place[0], before, after) for place, before, after in items)
            self._unknown = self._world.write(
                Wrote(at_ms=self._world.now_ms(), who=self._world.who(), items=keyed)
            )

    def _took(self, queue: str, group: str, dedup_id: str, body: str, fate: str) -> None:
        self._world.write(
            Queued(
                at_ms=self._world.now_ms(),
                by=self._world.who(),
                queue=queue,
                group=group,
                dedup_id=dedup_id,
                body=body,
                fate=fate,
            )
        )
        if self._world.scheduler.task is not None and '"received_at_ms":' in body:
            # What the gateway stamped, for the history.
            memory = self._world.scheduler.task.process.memory
            memory["stamped_ms"] = json.loads(body)["received_at_ms"]
        if queue == "moves.fifo":
            self._note_race(group, is_nudge=body.startswith('{"nudge":'))
        self._world.lambdas.stir(queue)
        self.more.wake()

    def _note_race(self, group: str, *, is_nudge: bool) -> None:
        """A word of a player and a nudge of his clock within a few seconds of each other."""
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

    # ------------------------------------------------------------------- other clients

    def ssm(self) -> Any:
        """The key, for who may read it."""

        def get_parameter(**call: Any) -> dict[str, Any]:
            del call
            self.port("ssm.get_parameter.asked")
            value = {"Parameter": {"Value": self.secret_key}}
            self.port("ssm.get_parameter.done")
            return value

        return SimpleNamespace(get_parameter=get_parameter)

    def scheduler(self) -> Any:
        """EventBridge Scheduler: what is far off."""

        class ConflictException(Exception):
            pass

        def create_schedule(**call: Any) -> None:
            self.port("scheduler.create_schedule.asked")
            if call["Name"] in self.schedules:
                raise ConflictException
            self.schedules[call["Name"]] = call["Target"]["Input"]
            due_ms = self._world.unix_ms_of(call["ScheduleExpression"])
            late = self._world.chance.random() * 60
            self._world.at_ms(due_ms + late * 1000, lambda: self._fire(call["Name"]))
            self.port("scheduler.create_schedule.done")

        exceptions = SimpleNamespace(ConflictException=ConflictException)
        return SimpleNamespace(create_schedule=create_schedule, exceptions=exceptions)

    def _fire(self, name: str) -> None:
        body = self.schedules.pop(name)
        self.sqs.send_message(QueueUrl=self.urls["clock"], MessageBody=body)

    def gateway(self, endpoint: str) -> Any:
        """API Gateway's side of our own sockets."""
        del endpoint

        def post_to_connection(**call: Any) -> None:
            self.port("gateway.post_to_connection.asked")
            text = call["Data"].decode()
            hear = self.sockets.get(call["ConnectionId"])
            arrived = hear is not None and hear(text)
            self._world.write(
                Posted(
                    at_ms=self._world.now_ms(),
                    who=self._world.who(),
                    way=call["ConnectionId"],
                    frame=text,
                    arrived=arrived,
                )
            )
            if hear is None:
                raise _gone("PostToConnection")
            self.port("gateway.post_to_connection.done")

        def delete_connection(**call: Any) -> None:
            self.port("gateway.delete_connection.asked")
            hear = self.sockets.get(call["ConnectionId"])
            if hear is None:
                raise _gone("DeleteConnection")
            hear(None)
            self.port("gateway.delete_connection.done")

        return SimpleNamespace(
            post_to_connection=post_to_connection, delete_connection=delete_connection
        )


class NewerCode:
    """The table as a later version of the arbiter would use it: each game that it writes gets an
    attribute that the present code does not know, and must leave as it is.
    """

    def __init__(self, cloud: Cloud, real: SimDynamoDb) -> None:
        self._cloud = cloud
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def update_item(self, **call: Any) -> Any:
        """UpdateItem, with a word of its own."""
        key = call["Key"]["pk"]["S"]
        if call["TableName"] != "arbiter" or not key.startswith("g#"):
            return self._real.update_item(**call)
        names = {**call["ExpressionAttributeNames"], "#newer": NEWER_ATTRIBUTE}
        values = {**call["ExpressionAttributeValues"], ":newer": {"S": "kept"}}
        expression = call["UpdateExpression"].replace("SET ", "SET #newer = :newer, ", 1)
        more = {
            "UpdateExpression": expression,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }
        answer = self._real.update_item(**{**call, **more})
        self._cloud.written_by_newer_code.add(key)
        return answer


class Clients:
    """AwsClients, of this cloud."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def dynamodb(self) -> Any:
        client = self._cloud.dynamodb
        return NewerCode(self._cloud, client) if self._cloud.runs_newer_code() else client

    def sqs(self) -> Any:
        return self._cloud.sqs_of_process()

    def ssm(self) -> Any:
        return self._cloud.ssm()

    def scheduler(self) -> Any:
        return self._cloud.scheduler()

    def cloudwatch(self) -> Any:
        return SimpleNamespace()

    def gateway(self, endpoint: str) -> Any:
        return self._cloud.gateway(endpoint)


def _gone(operation: str) -> ClientError:
    return ClientError(
        {"Error": {"Code": "GoneException"}, "ResponseMetadata": {"HTTPStatusCode": 410}},  # type: ignore[typeddict-item]
        operation,
    )


def _operation(call: str) -> str:
    return "".join(word.title() for word in call.partition(".")[2].split("_"))
