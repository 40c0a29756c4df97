"""SQS, or an emulator of it, as the cases about queues ask it."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

_POLLS = 5
_POLL_SECONDS = 2

FIFO = {
    "FifoQueue": "true",
    "DeduplicationScope": "messageGroup",
    "FifoThroughputLimit": "perMessageGroupId",
}


@dataclass
class QueueCloud:
    """One stand-in, by botocore's client for it."""

    sqs: Any

    def fifo(self, **attributes: str) -> str:
        """The URL of a new queue that keeps order."""
        return self.made(".fifo", **(FIFO | attributes))

    def made(self, ending: str = "", **attributes: str) -> str:
        name = f"{uuid4().hex}{ending}"
        return str(self.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])

    def with_dead_letters(self, max_receives: int, *, is_fifo: bool = True) -> tuple[str, str]:
        made = self.fifo if is_fifo else self.made
        dead = made()
        policy = {"deadLetterTargetArn": self.arn(dead), "maxReceiveCount": max_receives}
        return made(RedrivePolicy=json.dumps(policy)), dead

    def arn(self, url: str) -> str:
        """The queue's name among all resources."""
        return self.counts(url, "QueueArn")[0]

    def counts(self, url: str, *names: str) -> list[str]:
        """These attributes of a queue."""
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[*names])
        return [answer["Attributes"][name] for name in names]

    def send(self, url: str, body: str, group: str = "a", dedup_id: str = "") -> dict[str, Any]:
        """One message into a FIFO queue; it repeats no other unless it is told what to be."""
        dedup_id = dedup_id or uuid4().hex
        sent: dict[str, Any] = self.sqs.send_message(
            QueueUrl=url, MessageBody=body, MessageGroupId=group, MessageDeduplicationId=dedup_id
        )
        return sent

    def send_all(self, url: str, *bodies: str) -> None:
        """A message for each body, in the group that its first letter names."""
        for body in bodies:
            self.send(url, body, group=body[0])

    def receive(self, url: str, most: int = 10) -> list[dict[str, Any]]:
        """Up to so many messages, with all that is told of them."""
        answer = self.sqs.receive_message(
            QueueUrl=url, MaxNumberOfMessages=most, AttributeNames=["All"]
        )
        messages: list[dict[str, Any]] = answer.get("Messages", [])
        return messages

    def bodies(self, url: str, most: int = 10) -> list[str]:
        return [message["Body"] for message in self.receive(url, most)]

    def delete(self, url: str, *messages: dict[str, Any]) -> None:
        for message in messages:
            self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    def let_go(self, url: str, *messages: dict[str, Any]) -> None:
        """These messages may be received again at once."""
        for message in messages:
            self.sqs.change_message_visibility(
                QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
            )

    def drained(self, url: str, most: int) -> list[dict[str, Any]]:
        """This number of messages, each deleted before the next is asked for; fewer, if no more
        come in a while.
        """
        found: list[dict[str, Any]] = []
        for _ in range(_POLLS):
            answer = self.sqs.receive_message(
                QueueUrl=url, AttributeNames=["All"], WaitTimeSeconds=_POLL_SECONDS
            )
            for message in answer.get("Messages", []):
                found.append(message)
                self.delete(url, message)
            if len(found) >= most:
                break
        return found

    def emptied(self, url: str) -> list[str]:
        """The bodies that can be received now, in the order in which they come."""
        bodies: list[str] = []
        while messages := self.receive(url):
            bodies += [message["Body"] for message in messages]
            self.delete(url, *messages)
        return bodies
