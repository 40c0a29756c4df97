"""The functions on the simulated table: a listener, workers of `process_events` and of the clock,
side by side, each call of table or queue a moment at which another goes on, fails, or dies.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from arbiter.adapters.dynamodb.connections import DynamoDbRateLimits
from arbiter.adapters.dynamodb.outages import DynamoDbOutages
from arbiter.adapters.dynamodb.table import DynamoDbTable
from arbiter.adapters.items.stored_games import StoredGames
from arbiter.adapters.items.stored_lobby import StoredLobby
from arbiter.adapters.items.stored_ratings import StoredRatings
from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.adapters.relays.listener import Listener
from arbiter.adapters.relays.publisher import RelayPublisher
from arbiter.adapters.sqs import SqsEventQueue, SqsRepublishQueue
from arbiter.adapters.timers import QueueTimers
from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake import batch
from arbiter.application.intake.due_timers import ClockDeps, TimerStatus, forward_due_timers
from arbiter.core.rules import USUAL_RULES
from server.wiring import KeySigner
from tests.fakes import aws_errors
from tests.fakes.dynamodb import SimDynamoDb
from tests.fakes.sqs import SimSqs
from tests.simulation.history import Taken, Wrote
from tests.simulation.serving import ProcessClock
from tests.simulation.virtual_time import Process
from tests.template.source import properties

if TYPE_CHECKING:
    from tests.simulation.world import World

QUEUES = {
    "MovesQueue": "moves.fifo",
    "SeeksQueue": "seeks.fifo",
    "RepublishQueue": "republish",
    "ClockQueue": "clock",
}
WORKERS = {"moves.fifo": 3, "seeks.fifo": 2, "republish": 2, "clock": 2}
TIMEOUT_SECONDS, BATCH, HANGS_SECONDS = 8.0, 10, 60.0


class Functions:
    """One account."""

    parts = None

    def __init__(self, world: "World") -> None:
        self._world = world
        clock = _TrueClock(world)
        self.table = SimDynamoDb(
            clock,
            self._port,
            lag_ms=lambda: world.chance.choice((0, 0, 20, 500, 5_000)),
            index_lag_ms=lambda: world.chance.choice((0, 50, 2_000, 60_000)),
        )
        keys = ("KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes")
        for resource, name in (("Table", "arbiter"), ("ShortLivedTable", "short-lived")):
            said = properties(resource)
            self.table.create_table(
                TableName=name, **{key: said[key] for key in keys if key in said}
            )
        self.table.wrote = self._wrote
        self.sqs = SimSqs(clock, self._port, chance=world.chance)
        self.sqs.took, self.sqs.buried = self._took, self._buried
        self._urls, self._dead = self._make_queues()
        self.process = Process("listener-0")
        self._listener: Listener | None = None
        self._busy = dict.fromkeys(WORKERS, 0)
        self._numbers = 0
        self._acknowledged: set[str] = set()
        self._deps: dict[str, list[tuple[Process, Any]]] = {queue: [] for queue in WORKERS}
        self.is_wanted = True

    def _table(self) -> Any:
        return self.table

    def _sqs(self) -> Any:
        return self.sqs

    def start(self) -> None:
        """Listen, and take from the queues."""
        self._listen()
        for queue in WORKERS:
            self._poll(queue)

    def kill(self) -> None:
        """End the listener by force; Lambda starts another."""
        self._world.scheduler.kill(self.process)
        for relay in self._world.relays.values():
            relay.drop(self.process)
        self._world.scheduler.after(self._world.chance.choice((0.5, 5.0, 60.0)), self._listen)

    def end(self) -> None:
        """Start a second listener: its time is over, or new code is deployed."""
        old, listener = self.process, self._listener
        self._listen(is_second=True)
        if listener is not None:
            self._world.scheduler.spawn(old, listener.close)

    def is_idle(self) -> bool:
        names = [name for name in WORKERS if name != "clock"]
        return not any(self.sqs.waiting(self._urls[name]) for name in names)

    def items(self) -> list[dict[str, Any]]:
        return self.table.items("arbiter")

    def left(self) -> Iterator[str]:
        """Whatever waits in a queue when nobody plays, or failed and does not wait."""
        if self._acknowledged:
            yield f"{len(self._acknowledged)} records acknowledged that had failed"
        for name, url in {**self._urls, **self._dead}.items():
            if found := self.sqs.waiting(url):
                yield f"{len(found)} records in {name}, such as {found[0][:300]}"

    def opened(self, connection: Any) -> None:
        """There is no file."""

    def deliver_again(self) -> None:
        """Put back what lies among the dead letters."""
        for queue in self._dead:
            arn = f"arn:aws:sqs:us-east-1:000000000000:dead-{queue}"
            self.sqs.start_message_move_task(SourceArn=arn)

    def _listen(self, *, is_second: bool = False) -> None:
        if not self.is_wanted or (self.process.is_alive and self._listener and not is_second):
            return
        process = self._new("listener")
        self.process = process
        world = self._world
        self._listener = Listener(
            relays=[relay.url for relay in world.relays.values()],
            server_pubkey=world.server.pubkey,
            event_queue=SqsEventQueue(self._sqs, self._events()),
            clock=ProcessClock(world),
            outages=DynamoDbOutages(self._table, "arbiter"),
            games=StoredGames(DynamoDbTable(self._table, "arbiter")),
        )
        world.scheduler.spawn(process, self._listener.start)

    def _new(self, kind: str) -> Process:
        self._numbers += 1
        process = Process(f"{kind}-{self._numbers}")
        process.skew_ms = self._world.skew_ms
        return process

    def _events(self) -> Any:
        return {"moves": self._urls["moves.fifo"], "seeks": self._urls["seeks.fifo"]}

    def _poll(self, queue: str) -> None:
        """Give what can be received to workers that are free."""
        world = self._world
        if not self.is_wanted:
            return
        url = self._urls[queue]
        while self._busy[queue] < WORKERS[queue]:
            due_ms = self.sqs.due_ms(url)
            if due_ms is None or due_ms > world.now_ms():
                break
            records = self._received(url)
            if not records:
                break
            self._invoke(queue, records)
            if world.faults.strikes("F29", queue):
                again = partial(self._invoke, queue, records)
                world.scheduler.after(0.1 * world.chance.random(), again)
        due_ms = self.sqs.due_ms(url)
        waits_ms = 200 if due_ms is None else min(max(due_ms - world.now_ms(), 10), 200)
        world.scheduler.after(waits_ms / 1000, lambda: self._poll(queue))

    def _received(self, url: str) -> list[Any]:
        found: list[Any] = self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=BATCH).get(
            "Messages", []
        )
        return found

    def _invoke(self, queue: str, records: Sequence[Any]) -> None:
        world = self._world
        process, deps = self._worker(queue)
        self._busy[queue] += 1
        is_over = False

        def end(*, failed: Sequence[str] | None) -> None:
            nonlocal is_over
            if is_over:
                return
            is_over = True
            self._busy[queue] -= 1
            if failed is None or world.faults.strikes("F22", queue):
                self._lose(queue, process)
                return
            self._deps[queue].append((process, deps))
            for record in records:
                if record["MessageId"] not in failed:
                    self._delete(queue, record)

        def run() -> None:
            failed = self._handle(queue, deps, records)
            world.scheduler.loop.call_soon(lambda: end(failed=failed))

        world.scheduler.spawn(process, run)
        world.scheduler.after(TIMEOUT_SECONDS, lambda: end(failed=None))
        process.died = lambda: end(failed=None)

    def _handle(self, queue: str, deps: Any, records: Sequence[Any]) -> Sequence[str]:
        if queue == "clock":
            statuses = forward_due_timers(deps, [record["Body"] for record in records])
            found = zip(records, statuses, strict=True)
            return [it["MessageId"] for it, status in found if status is TimerStatus.FAILED]
        taken = [
            batch.Record(
                id=record["MessageId"],
                group=record["Attributes"].get("MessageGroupId", record["MessageId"]),
                body=record["Body"],
            )
            for record in records
        ]
        unhandled: set[str] = set()

        def log(processed: batch.Processed) -> None:
            if processed.result is None:
                unhandled.add(processed.record.id)

        failed = batch.process_batch(deps, taken, log)
        self._acknowledged |= unhandled - {*failed}
        if failed:
            self._world.faults.note("F25", queue)
        return failed

    def _delete(self, queue: str, record: Any) -> None:
        try:
            self.sqs.delete_message(
                QueueUrl=self._urls[queue], ReceiptHandle=record["ReceiptHandle"]
            )
        except ClientError:
            return  # it comes again
        if queue == "clock" and self._world.faults.strikes("timer twice", queue):
            self.sqs.send_message(QueueUrl=self._urls[queue], MessageBody=record["Body"])

    def _lose(self, queue: str, process: Process) -> None:
        self._world.scheduler.kill(process)
        for relay in self._world.relays.values():
            relay.drop(process)

    def _worker(self, queue: str) -> tuple[Process, Any]:
        if self._deps[queue]:
            return self._deps[queue].pop()
        process = self._new("clock" if queue == "clock" else "worker")
        before, self._world.scheduler.main = self._world.scheduler.main, process
        try:
            return process, self._clock() if queue == "clock" else self._arbiter()
        finally:
            self._world.scheduler.main = before

    def _arbiter(self) -> ArbiterDeps:
        world, signer = self._world, KeySigner(self._world.server)
        relays = [relay.url for relay in world.relays.values()]
        return ArbiterDeps(
            games=StoredGames(DynamoDbTable(self._table, "arbiter")),
            lobby=StoredLobby(DynamoDbTable(self._table, "arbiter"), ProcessClock(world)),
            ratings=StoredRatings(DynamoDbTable(self._table, "arbiter")),
            tournaments=StoredTournaments(DynamoDbTable(self._table, "arbiter")),
            queue=SqsEventQueue(self._sqs, self._events()),
            timers=QueueTimers(self._sqs, self._urls["clock"]),
            clock=ProcessClock(world),
            rules=USUAL_RULES,
            server=signer.pubkey,
            pairing_key=world.server.derive(b"arbiter/pairing/1"),
            rate_limits=DynamoDbRateLimits(self._table, "short-lived"),
            outages=DynamoDbOutages(self._table, "arbiter"),
            signer=signer,
            publisher=RelayPublisher(relays, authenticate=signer.sign),
            republish=SqsRepublishQueue(self._sqs, self._urls["republish"]),
        )

    def _clock(self) -> ClockDeps:
        return ClockDeps(
            clock=ProcessClock(self._world),
            timers=QueueTimers(self._sqs, self._urls["clock"]),
            moves=SqsEventQueue(self._sqs, self._events()),
        )

    def _port(self, point: str) -> None:
        """A side of a call, such as ``dynamodb.get_item.asked``: what may go wrong there."""
        world, task = self._world, self._world.scheduler.task
        if task is None:
            return
        where = f"{task.process.name} {point}"
        if task.process.died is not None and world.faults.strikes("crash", where):
            world.scheduler.loop.call_soon(task.process.died)
            world.scheduler.park()
        if point.startswith("sqs.entry"):
            if world.faults.strikes("F31", where):
                raise aws_errors.aws_error("InternalError", "SendMessageBatch")
        elif point.endswith(".asked"):
            world.scheduler.sleep(0.002 + 0.01 * world.chance.random())
            self._refuse(point, where)
        elif point.endswith(".done"):
            is_write = any(word in point for word in ("write", "update", "put"))
            if is_write and world.faults.strikes("ambiguous write", where):
                raise aws_errors.answer_lost()
            if world.faults.strikes("F23 call", where):
                world.scheduler.sleep(HANGS_SECONDS)

    def _refuse(self, point: str, where: str) -> None:
        service, name, _ = point.split(".")
        operation = "".join(map(str.capitalize, name.split("_")))
        faults = self._world.faults
        if service == "sqs" and faults.strikes("F30", where):
            raise aws_errors.unreachable()
        if faults.strikes("F26", where):
            raise aws_errors.throttled(operation)
        if name == "transact_write_items" and faults.strikes("F26 conflict", where):
            raise aws_errors.transaction_conflict(operation)

    def _make_queues(self) -> tuple[dict[str, str], dict[str, str]]:
        urls: dict[str, str] = {}
        dead: dict[str, str] = {}
        kept = ("VisibilityTimeout", "MessageRetentionPeriod", "DeduplicationScope")
        for resource, name in QUEUES.items():
            said = properties(resource)
            policy = said["RedrivePolicy"]
            dead[name] = self.sqs.create_queue(QueueName=f"dead-{name}")["QueueUrl"]
            arn = f"arn:aws:sqs:us-east-1:000000000000:dead-{name}"
            redrive = {"deadLetterTargetArn": arn, "maxReceiveCount": policy["maxReceiveCount"]}
            attributes = {key: str(said[key]) for key in kept if key in said}
            attributes["RedrivePolicy"] = json.dumps(redrive)
            urls[name] = self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        return urls, dead

    def _wrote(self, table: str, items: Sequence[tuple[tuple[str, ...], Any, Any]]) -> None:
        world = self._world
        if table != "arbiter":
            return
        keyed = tuple((place[0], before, after) for place, before, after in items)
        who = world.scheduler.process().name
        world.write(Wrote(at_ms=world.now_ms(), who=who, items=keyed))

    def _took(self, queue: str, group: str, dedup_id: str, body: str, status: str) -> None:
        del group, dedup_id
        if status == "taken" and queue.endswith(".fifo"):
            who = self._world.scheduler.process().name
            self._world.write(Taken(at_ms=self._world.now_ms(), who=who, body=body))

    def _buried(self, queue: str, *_: str) -> None:
        self._world.faults.note("dead letter", queue)
        self._world.scheduler.after(1.0, self.deliver_again)


class _TrueClock:
    def __init__(self, world: "World") -> None:
        self._world = world

    def now_ms(self) -> int:
        return self._world.now_ms()
