"""SQS in memory: the calls that our adapters and Lambda's poller make of it, in virtual time.

The law is that of sim_table.py: what it does not know, it refuses to do. Nothing waits here: a long
poll answers at once, and ``due_ms`` tells when it is worth asking again.

A standard queue is as bad as AWS allows if ``chance`` is given: its messages come in any order, and
some of them (``duplicates``, a probability) twice. A FIFO queue keeps what AWS promises of one.

Faults come through the hook (see aws_errors.py). ``sqs.entry <deduplication id>`` is asked for each
entry of a batch that is sent, of a standard queue with the entry's own id: a ClientError raised
there makes it one of those that failed.
"""

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from arbiter.application.ports import Clock
from tests.fakes.faults import Hook, quiet
from tests.simulation.aws_errors import ATTEMPTS, answered
from tests.simulation.queue_answers import Answer
from tests.simulation.queue_receiving import Buried, Receiving
from tests.simulation.queue_sending import Sending, Took
from tests.simulation.queues import Queues


def _taken(queue: str, group: str, dedup_id: str, body: str, status: str) -> None:
    """Nobody wants to know."""


def _buried(queue: str, group: str, message_id: str, body: str) -> None:
    """Nobody wants to know."""


class SimSqs:
    """One region's queues, as one client sees them."""

    def __init__(
        self,
        clock: Clock,
        hook: Hook = quiet,
        *,
        attempts: int = ATTEMPTS,
        chance: random.Random | None = None,
        duplicates: float = 0.0,
        scan_limit: int = 120_000,
    ) -> None:
        """``clock`` is the cloud's own, which never goes back; ``attempts`` are botocore's for one
        call; ``scan_limit`` bounds the messages of a FIFO queue that are looked at, and those that
        are in flight.

        Who sets ``took`` hears of each message at the moment when a queue takes it (its status is
        "taken") or knows it already ("repeated"), and who sets ``buried`` of each that goes to the
        dead letters.
        """
        self.hook = hook
        self.took: Took = _taken
        self.buried: Buried = _buried
        self._attempts = attempts
        self._queues = Queues(clock, scan_limit)
        self._sending = Sending(
            self._queues,
            chance,
            duplicates,
            lambda *message: self.took(*message),  # noqa: PLW0108 - it may be set later
            lambda entry: self.hook(f"sqs.entry {entry}"),
        )
        self._receiving = Receiving(
            self._queues,
            chance,
            lambda *message: self.buried(*message),  # noqa: PLW0108 - it may be set later
        )

    # ------------------------------------------------------------------ for the stage

    def due_ms(self, url: str) -> int | None:
        """When the next message of this queue can be received; None if none waits."""
        return self._queues.of({"QueueUrl": url}).due_ms(self._queues.clock.now_ms())

    def waiting(self, url: str) -> list[str]:
        """The bodies of all that is in this queue, in flight or not, in the order it came."""
        return [one.body for one in self._queues.of({"QueueUrl": url}).messages.values()]

    def create_queue(self, **call: Any) -> Answer:
        """A queue, by the attributes that ours have, which are texts."""
        return {"QueueUrl": self._queues.create(call)}

    # ------------------------------------------------------------------ botocore's calls

    def get_queue_attributes(self, **call: Any) -> Answer:
        """How much waits, is in flight and is delayed, and the queue's name among resources."""
        attributes = self._queues.attributes
        return self._answer(
            "get_queue_attributes", lambda call: {"Attributes": attributes(call)}, call
        )

    def send_message(self, **call: Any) -> Answer:
        """One message."""
        return self._answer("send_message", self._sending.send_message, call)

    def send_message_batch(self, **call: Any) -> Answer:
        """Up to ten messages, each for itself."""
        return self._answer("send_message_batch", self._sending.send_message_batch, call)

    def receive_message(self, **call: Any) -> Answer:
        """Up to ten messages that nobody else has."""
        return self._answer("receive_message", self._receiving.receive_message, call)

    def delete_message(self, **call: Any) -> Answer:
        """One message that was received is done with."""
        return self._answer("delete_message", self._receiving.delete_message, call)

    def delete_message_batch(self, **call: Any) -> Answer:
        """Up to ten messages that were received are done with, each for itself."""
        return self._answer("delete_message_batch", self._receiving.delete_message_batch, call)

    def change_message_visibility(self, **call: Any) -> Answer:
        """One message that was received is hidden for so long from now on."""
        change = self._receiving.change_message_visibility
        return self._answer("change_message_visibility", change, call)

    def change_message_visibility_batch(self, **call: Any) -> Answer:
        """Up to ten messages that were received are hidden for so long, each for itself."""
        change = self._receiving.change_message_visibility_batch
        return self._answer("change_message_visibility_batch", change, call)

    def start_message_move_task(self, **call: Any) -> Answer:
        """Dead letters go back to where they came from, or to the queue that is named."""
        move = self._receiving.start_message_move_task
        return self._answer("start_message_move_task", move, call)

    def _answer(
        self, name: str, make: Callable[[Mapping[str, Any]], Answer], call: Mapping[str, Any]
    ) -> Answer:
        return answered("sqs", name, self.hook, self._attempts, partial(make, call))
