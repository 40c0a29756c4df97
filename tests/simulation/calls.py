"""What may happen to a call: it is slow, refused, loses its answer, or its process dies.

Every call to the cloud or to a relay passes `Calls.port` twice, before and
after it takes effect. There other tasks get their turn, so that two workers interleave at each call
and nowhere else.
"""

from typing import TYPE_CHECKING

from tests.simulation.aws_errors import (
    answer_lost,
    internal_error,
    throttled,
    transaction_conflict,
    unreachable,
)
from tests.simulation.history import Wrote
from tests.simulation.scheduler import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

HANGS_SECONDS = 60.0
RELAY = "relay."
"""Not made to the cloud, so never throttled."""


class Unforeseen(Exception):
    """What no handler expects: a bug, a disk, a cosmic ray."""


class Calls:
    """All calls of all processes of one world, with what strikes them."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._unknown: int | None = None

    def wrote(self, write: Wrote) -> None:
        self._unknown = self._world.write(write)

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
        elif side == "entry" and world.faults.strikes("F26", process.name):
            # DynamoDB throttles a part of a batch, which botocore does not send again.
            raise throttled(_operation(call))

    def _before(self, call: str, process: Process) -> None:
        world, faults = self._world, self._world.faults
        self._let_time_pass(process)
        self._crash(f"before {call}", process)
        if call.startswith(RELAY):
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
            if call.startswith(RELAY):
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


def _operation(call: str) -> str:
    return "".join(word.title() for word in call.partition(".")[2].split("_"))
