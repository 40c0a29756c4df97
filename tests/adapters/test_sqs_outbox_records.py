"""The far end of the outbox: what a bridge receives, deletes, and is told when it cannot."""

from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from arbiter.adapters.sqs import OutboxRecord, QueueUnreachable, SqsOutboxRecords

MESSAGE = {"Body": "{}", "ReceiptHandle": "r", "Attributes": {"MessageGroupId": "g"}}


class ScriptedSqs:
    def __init__(self, *messages: dict[str, Any], trouble: Exception | None = None) -> None:
        self.messages = messages
        self.trouble = trouble
        self.asked: list[dict[str, Any]] = []

    def receive_message(self, **arguments: Any) -> dict[str, Any]:
        return self._answer(arguments, {"Messages": [*self.messages]} if self.messages else {})

    def delete_message(self, **arguments: Any) -> dict[str, Any]:
        return self._answer(arguments, {})

    def send_message(self, **arguments: Any) -> dict[str, Any]:
        return self._answer(arguments, {})

    def _answer(self, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(arguments)
        if self.trouble:
            raise self.trouble
        return answer


def records(sqs: ScriptedSqs) -> SqsOutboxRecords:
    return SqsOutboxRecords(lambda: sqs, "the outbox", "its dead")  # type: ignore[arg-type,return-value]


def test_a_record_has_its_group_and_what_deletes_it() -> None:
    sqs = ScriptedSqs(MESSAGE)

    assert records(sqs).receive() == (OutboxRecord(body="{}", group_id="g", receipt="r"),)
    [asked] = sqs.asked
    assert asked["QueueUrl"] == "the outbox"
    assert asked["MessageSystemAttributeNames"] == ["MessageGroupId"]
    # Less than a client waits for an answer: see adapters/aws_clients.py.
    assert 0 < asked["WaitTimeSeconds"] < 3


def test_an_empty_queue_has_none() -> None:
    assert records(ScriptedSqs()).receive() == ()


def test_what_was_said_is_deleted_by_its_receipt() -> None:
    sqs = ScriptedSqs()
    records(sqs).delete(OutboxRecord(body="{}", group_id="g", receipt="r"))

    assert sqs.asked == [{"QueueUrl": "the outbox", "ReceiptHandle": "r"}]


def test_what_will_never_be_said_is_among_the_dead_before_it_is_deleted() -> None:
    sqs = ScriptedSqs()
    records(sqs).put_aside(OutboxRecord(body="{}", group_id="g", receipt="r" * 1024))

    sent, deleted = sqs.asked
    assert sent["QueueUrl"] == "its dead"
    assert (sent["MessageBody"], sent["MessageGroupId"]) == ("{}", "g")
    assert len(sent["MessageDeduplicationId"]) <= 128
    assert deleted == {"QueueUrl": "the outbox", "ReceiptHandle": "r" * 1024}


def test_a_record_that_was_given_back_and_dies_again_is_another_dead_letter() -> None:
    sqs = ScriptedSqs()
    for receipt in ("first", "second"):
        records(sqs).put_aside(OutboxRecord(body="{}", group_id="g", receipt=receipt))

    # Under one id SQS would take the second within five minutes, and drop it.
    ids = [it["MessageDeduplicationId"] for it in sqs.asked if it["QueueUrl"] == "its dead"]
    assert len({*ids}) == 2


@pytest.mark.parametrize(
    ("trouble", "named"),
    [
        (EndpointConnectionError(endpoint_url="http://x"), "EndpointConnectionError"),
        (ClientError({"Error": {"Code": "Throttled", "Message": "of {}"}}, "Receive"), "Throttled"),
    ],
)
def test_a_queue_that_cannot_be_asked_is_told_by_a_code_alone(
    trouble: Exception, named: str
) -> None:
    sqs = ScriptedSqs(trouble=trouble)
    out = records(sqs)

    with pytest.raises(QueueUnreachable, match=f"^{named}$"):
        out.receive()
    with pytest.raises(QueueUnreachable, match=f"^{named}$"):
        out.delete(OutboxRecord(body="{}", group_id="g", receipt="r"))
    with pytest.raises(QueueUnreachable, match=f"^{named}$"):
        out.put_aside(OutboxRecord(body="{}", group_id="g", receipt="r"))
    # What was not put aside is not deleted either.
    assert [asked["QueueUrl"] for asked in sqs.asked] == ["the outbox", "the outbox", "its dead"]
