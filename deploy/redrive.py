"""Gives dead letters back to the queues that they came from, once their cause is fixed.

Invariant: a dead letter is deleted only after its record is back. A record that is given back twice
changes nothing, since the game remembers its events. Its deduplication id is another, for SQS would
drop its own within five minutes, and derives from the dead letter.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import boto3

from arbiter.application.intake.queue_messages import parse, republish_body
from arbiter.application.records import Republish
from deploy.stack import Refused, Stack, arguments, run_for

if TYPE_CHECKING:
    from types_boto3_sqs.client import SQSClient

_DEAD, _LIVE = "DeadLettersUrl", "QueueUrl"

_WAIT_SECONDS = 2
"""A poll without waiting may leave out messages."""

_NOT_BY_ITSELF = "seeks"
"""Their players have asked again, or gone: paired now, they would keep an opponent waiting."""


@dataclass(frozen=True, slots=True)
class Way:
    """From the dead letters of a queue back into it."""

    name: str
    dead_url: str
    queue_url: str


def ways(stack: Stack) -> tuple[Way, ...]:
    """The queues of a stack that have dead letters, by the names of its outputs."""
    outputs = stack.outputs
    return tuple(
        Way(base.lower(), url, outputs[f"{base}{_LIVE}"])
        for name, url in sorted(outputs.items())
        if name.endswith(_DEAD)
        for base in (name.removesuffix(_DEAD),)
    )


def chosen(every: Iterable[Way], names: Iterable[str]) -> tuple[Way, ...]:
    """The ways with these names; without names all but seeks. Raises Refused."""
    by_name = {way.name: way for way in every}
    asked = tuple(names) or tuple(name for name in by_name if name != _NOT_BY_ITSELF)
    unknown = [name for name in asked if name not in by_name]
    if unknown:
        raise Refused(f"No queue is called {unknown[0]}: there are {', '.join(by_name)}.")
    return tuple(by_name[name] for name in asked)


def give_back(sqs: "SQSClient", way: Way) -> int:
    """Give back as many records as there were at the start; how many. Raises botocore's errors."""
    most, given = waiting(sqs, way.dead_url), 0
    while given < most:
        messages = sqs.receive_message(
            QueueUrl=way.dead_url,
            MaxNumberOfMessages=min(10, most - given),
            WaitTimeSeconds=_WAIT_SECONDS,
            MessageSystemAttributeNames=["MessageGroupId"],
        ).get("Messages", [])
        if not messages:
            break
        for message in messages:  # in order, which within a group is the order of the moves
            _send(sqs, way, message)
            sqs.delete_message(QueueUrl=way.dead_url, ReceiptHandle=message["ReceiptHandle"])
            given += 1
    return given


def waiting(sqs: "SQSClient", url: str) -> int:
    told = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"])
    return int(told["Attributes"]["ApproximateNumberOfMessages"])


def anew(body: str) -> str:
    """The body to give back, a reply's count of attempts at 0, so that it may fail again."""
    again = parse(body)
    return republish_body(replace(again, attempt=0)) if isinstance(again, Republish) else body


def _send(sqs: "SQSClient", way: Way, message: Mapping[str, Any]) -> None:
    group = message.get("Attributes", {}).get("MessageGroupId")
    order: Any = {}
    if group is not None and way.queue_url.endswith(".fifo"):
        again = f"again-{message['MessageId']}"
        order = {"MessageGroupId": group, "MessageDeduplicationId": again}
    sqs.send_message(QueueUrl=way.queue_url, MessageBody=anew(message["Body"]), **order)


def main() -> int:
    """Give back the dead letters of the queues that are named. Return 1 if that failed."""
    parser = arguments("redrive", __doc__)
    parser.add_argument("queues", nargs="*", help="moves, clock, …; all but seeks if none is named")
    options = parser.parse_args()

    def act(stack: Stack) -> int:
        sqs = boto3.client("sqs")
        for way in chosen(ways(stack), options.queues):
            given = give_back(sqs, way)
            print(f"{way.name}: {given} given back, {waiting(sqs, way.dead_url)} left", flush=True)
        return 0

    return run_for(options.stack_name, act)


if __name__ == "__main__":
    sys.exit(main())
