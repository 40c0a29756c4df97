"""Lambda: functions, the environments that they run in, and what feeds them from the queues.

An environment is a `Process`. It is warm or new, runs one invocation at a time, is frozen
between two, and is ended by force when an invocation takes too long. What it kept in memory goes
with it; the records it had come again when their visibility is over.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from functions.clock import app as clock_app
from functions.gateway import app as gateway_app
from functions.process_events import app as process_app
from tests.simulation.history import Delivered, Removed
from tests.simulation.scheduler import Process
from tests.template.source import properties

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(frozen=True, slots=True)
class Returned:
    """What an invocation returned, and the last line that it logged."""

    value: dict[str, Any]
    said: dict[str, Any]
    stamped_ms: int | None


Done = Callable[[Returned | None], None]
"""Told of the end of an invocation; None if it raised, or its environment died."""

_HANDLERS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "process": process_app.handler,
    "clock": clock_app.handler,
    "gateway": gateway_app.handler,
}
_SECONDS = {"process": 8.0, "clock": 10.0, "gateway": 8.0}

_RESOURCES = {"process": "ProcessEventsFunction", "clock": "ClockFunction"}
MAY_LOOP = frozenset(
    function
    for function, resource in _RESOURCES.items()
    if properties(resource).get("RecursiveLoop") == "Allow"
)
MAX_CHAIN = 16
"""Invocations, each caused by a message of the one before. A longer chain is a loop to Lambda, and
its message is dropped, unless the function may loop.
"""

_POLL_SECONDS = 0.01


@dataclass(eq=False)
class Source:
    """What brings a queue's records to a function, a batch at a time."""

    queue: str
    function: str
    at_once: int
    busy: int = 0
    paused_until: float = 0.0
    next_poll: float = float("inf")


@dataclass(eq=False)
class Invocation:
    """One call of a function. ``wrote`` counts what it made; ``said`` what it published."""

    number: int
    done: Done
    is_over: bool = False


@dataclass(eq=False)
class Environment:
    """A warm process of one function, and what it is at."""

    process: Process
    function: str
    generation: int
    invocation: Invocation | None = None


@dataclass(eq=False)
class Lambdas:
    """All functions of the account."""

    world: "World"
    generation: int = 0
    environments: list[Environment] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    poisoned: dict[str, int] = field(default_factory=dict)
    numbers: int = 0

    def __post_init__(self) -> None:
        for queue, function, at_once in (
            ("moves.fifo", "process", 3),
            ("seeks.fifo", "process", 2),
            ("republish", "process", 2),
            ("clock", "clock", 2),
        ):
            self.sources[queue] = Source(queue, function, at_once)

    def invoke(self, function: str, invocation: dict[str, Any], done: Done) -> Process:
        environment = self._idle(function) or self._new(function)
        self.numbers += 1
        call = Invocation(self.numbers, done)
        environment.invocation = call
        process = environment.process
        process.memory |= {
            "function": function,
            "batch": call.number,
            "wrote": 0,
            "said": {},
            "stamped_ms": None,
            "lineage": 1,
        }
        process.memory["records"] = [one["messageId"] for one in invocation.get("Records", [])]
        scheduler = self.world.scheduler
        ends_at = scheduler.now + _SECONDS[function]
        context = SimpleNamespace(
            get_remaining_time_in_millis=lambda: round((ends_at - scheduler.now) * 1000)
        )

        def run() -> None:
            result: Returned | None = None
            try:
                value = _HANDLERS[function](invocation, context)
                result = Returned(value, process.memory["said"], process.memory["stamped_ms"])
            except Exception as failure:  # noqa: BLE001 - Lambda itself goes on
                self.world.note_failure(failure)
            scheduler.freeze(process)
            scheduler.at(scheduler.now, lambda: self._ended(environment, call, result))

        scheduler.thaw(process)
        scheduler.spawn(process, run)
        scheduler.at(ends_at, lambda: self._out_of_time(environment, call))
        return process

    def died(self, process: Process) -> None:
        """End an environment's invocation, if it has one: its caller gets no answer."""
        for environment in self.environments:
            if environment.process is process:
                self.environments.remove(environment)
                if environment.invocation is not None:
                    self._finish(environment, environment.invocation, None)
                return

    def deploy(self) -> None:
        """New code from now on: idle environments go, busy ones finish what they are at."""
        self.generation += 1
        for environment in [*self.environments]:
            if environment.invocation is None:
                self.world.kill(environment.process)

    def _idle(self, function: str) -> Environment | None:
        idle = [
            one
            for one in self.environments
            if one.function == function
            and one.invocation is None
            and one.generation == self.generation
        ]
        return self.world.chance.choice(idle) if idle else None

    def _new(self, function: str) -> Environment:
        self.numbers += 1
        process = Process(f"{function} {self.numbers}", self.world.environment())
        self.world.started(process)
        environment = Environment(process, function, self.generation)
        self.environments.append(environment)
        return environment

    def _out_of_time(self, environment: Environment, call: Invocation) -> None:
        if not call.is_over:
            self.world.memo(f"{environment.process.name} is out of time")
            self.world.kill(environment.process)

    def _ended(self, environment: Environment, call: Invocation, result: Returned | None) -> None:
        if not call.is_over:
            self._finish(environment, call, result)

    def _finish(self, environment: Environment, call: Invocation, result: Returned | None) -> None:
        call.is_over = True
        environment.invocation = None
        is_old = environment.generation != self.generation
        if is_old and environment.process.is_alive:
            self.world.kill(environment.process)
        self.world.scheduler.at(self.world.scheduler.now, lambda: call.done(result))

    def stir(self, queue: str) -> None:
        if queue in self.sources:
            self._poll_at(self.sources[queue], self.world.scheduler.now + _POLL_SECONDS)

    def pause(self, queue: str, seconds: float) -> None:
        source = self.sources[queue]
        source.paused_until = self.world.scheduler.now + seconds
        self._poll_at(source, source.paused_until)

    def _poll_at(self, source: Source, when: float) -> None:
        when = max(when, source.paused_until)
        if when < source.next_poll:
            source.next_poll = when
            self.world.scheduler.at(when, lambda: self._poll(source, when))

    def _poll(self, source: Source, when: float) -> None:
        if source.next_poll != when:
            return
        source.next_poll = float("inf")
        world = self.world
        url = world.cloud.urls[source.queue]
        while source.busy < source.at_once:
            answer = world.cloud.sqs.receive_message(
                QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"]
            )
            messages = answer.get("Messages", [])
            if not messages:
                break
            if messages := self._in_short_chains(source, url, messages):
                self._deliver(source, url, messages)
        if source.busy < source.at_once:
            due_ms = world.cloud.sqs.due_ms(url)
            if due_ms is not None:
                soonest = world.scheduler.now + _POLL_SECONDS
                self._poll_at(source, max(world.seconds_of(due_ms), soonest))

    def _in_short_chains(
        self, source: Source, url: str, messages: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """The messages without those that Lambda takes for a loop and drops."""
        looping = [one for one in messages if _lineage(one) >= MAX_CHAIN]
        for _ in looping:
            self.world.faults.note("loop", source.queue)
        if source.function in MAY_LOOP:
            return messages
        for one in looping:
            self.world.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=one["ReceiptHandle"])
        return [one for one in messages if one not in looping]

    def _deliver(self, source: Source, url: str, messages: list[dict[str, Any]]) -> None:
        world = self.world
        source.busy += 1
        records = [
            {
                "messageId": one["MessageId"],
                "receiptHandle": one["ReceiptHandle"],
                "body": one["Body"],
                "attributes": one["Attributes"],
            }
            for one in messages
        ]

        def done(result: Returned | None) -> None:
            source.busy -= 1
            self._settle(url, records, result)
            self._poll_at(source, world.scheduler.now + _POLL_SECONDS)

        process = self.invoke(source.function, {"Records": records}, done)
        process.memory["lineage"] = 1 + max(map(_lineage, messages))
        for one in records:
            attributes = one["attributes"]
            world.write(
                Delivered(
                    at_ms=world.now_ms(),
                    worker=process.name,
                    batch=process.memory["batch"],
                    queue=source.queue,
                    group=attributes.get("MessageGroupId", one["messageId"]),
                    record=one["messageId"],
                    body=one["body"],
                    count=int(attributes["ApproximateReceiveCount"]),
                )
            )
        self._poison(process, records)
        if world.faults.strikes("F29", source.queue):
            after = world.chance.random() * world.chance.choice((0.05, 0.5, 2.0))
            world.scheduler.after(after, lambda: self._make_visible(url, records))

    def _poison(self, process: Process, records: list[dict[str, Any]]) -> None:
        """Let a record meet an unforeseen exception: once, or until it is given up."""
        world = self.world
        for one in records:
            name = one["messageId"]
            if world.faults.strikes("F24", name):
                self.poisoned[name] = world.chance.choice((1, 1, 25))
            if self.poisoned.get(name, 0) > 0 and not world.faults.is_healed:
                self.poisoned[name] -= 1
                process.memory["is_poisoned"] = True

    def _make_visible(self, url: str, records: list[dict[str, Any]]) -> None:
        for one in records:
            try:
                self.world.cloud.sqs.change_message_visibility(
                    QueueUrl=url, ReceiptHandle=one["receiptHandle"], VisibilityTimeout=0
                )
            except ClientError:
                continue
        for queue, known in self.world.cloud.urls.items():
            if known == url:
                self.stir(queue)

    def _settle(self, url: str, records: list[dict[str, Any]], result: Returned | None) -> None:
        if result is None:
            return
        world = self.world
        failed = {one["itemIdentifier"] for one in result.value["batchItemFailures"]}
        if 0 < len(failed) < len(records):
            world.faults.note("F25", f"{len(failed)} of {len(records)}")
        if world.faults.allows("crash") and world.chance.random() < 0.01:
            world.faults.note("F22", "the queue's poller")
            return
        for one in records:
            if one["messageId"] not in failed:
                try:
                    world.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=one["receiptHandle"])
                except ClientError:
                    # Its visibility is over: it comes again.
                    world.memo(f"record {one['messageId']} was deleted too late")
                    continue
                if url == world.cloud.urls["clock"]:
                    name, body = one["messageId"], one["body"]
                    world.write(Removed(at_ms=world.now_ms(), record=name, body=body))


def _lineage(message: dict[str, Any]) -> int:
    header = message["Attributes"].get("AWSTraceHeader", "")
    return int(header.rpartition(":")[2] or 0)
