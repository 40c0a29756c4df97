"""The queues as a bridge has them: it waits for what comes, as the poller of Lambda does not."""

from typing import TYPE_CHECKING, Any

from tests.simulation.history import Delivered

if TYPE_CHECKING:
    from tests.simulation.world import World


class LongPolls:
    """`SimSqs` for the present process."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._real = world.cloud.sqs

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def receive_message(self, **call: Any) -> Any:
        """As the real one, after waiting for a message as long as is asked for."""
        world, url = self._world, call["QueueUrl"]
        ends_at = world.scheduler.now + call.get("WaitTimeSeconds", 0)
        while (left := ends_at - world.scheduler.now) > 0:
            due_ms = self._real.due_ms(url)
            until = None if due_ms is None else world.seconds_of(due_ms) - world.scheduler.now
            if until is not None and until <= 0:
                break
            world.cloud.more.wait(left if until is None else min(left, until))
        answer = self._real.receive_message(**call)
        names = {known: queue for queue, known in world.cloud.urls.items()}
        for one in answer.get("Messages", ()):
            world.write(
                Delivered(
                    at_ms=world.now_ms(),
                    worker=world.who(),
                    batch=0,
                    queue=names[url],
                    group=one["Attributes"]["MessageGroupId"],
                    record=one["MessageId"],
                    body=one["Body"],
                    count=0,
                )
            )
        return answer
