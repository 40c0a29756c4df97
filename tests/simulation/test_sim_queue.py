"""What the simulated queue does that nothing else can be asked for: time, chance, bounds and faults
on call.

What it has in common with SQS is in test_sim_fifo.py.
"""

import json
import random
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.faults import Crash, crash_at
from tests.simulation.aws_errors import Unsupported, answer_lost, aws_error
from tests.simulation.sim_queue import SimSqs

FIFO = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", "VisibilityTimeout": "48"}


def fifo(sqs: SimSqs, name: str = "moves.fifo", **attributes: str) -> str:
    url: str = sqs.create_queue(QueueName=name, Attributes=FIFO | attributes)["QueueUrl"]
    return url


def an_entry(body: str) -> dict[str, str]:
    """An entry whose group is the first letter, and whose ids are the body."""
    ids = {"MessageGroupId": body[0], "MessageDeduplicationId": body}
    return {"Id": body, "MessageBody": body, **ids}


def send(sqs: SimSqs, url: str, *bodies: str) -> list[str]:
    """Send these as one batch; the ids of those that failed."""
    answer = sqs.send_message_batch(QueueUrl=url, Entries=[an_entry(body) for body in bodies])
    return [entry["Id"] for entry in answer.get("Failed", [])]


def received(sqs: SimSqs, url: str, most: int = 10) -> list[str]:
    answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=most)
    return [message["Body"] for message in answer.get("Messages", [])]


def test_a_queue_says_when_it_is_worth_asking_again() -> None:
    clock = FakeClock(NOW_MS)
    sqs = SimSqs(clock)
    url = fifo(sqs)
    assert sqs.due_ms(url) is None

    send(sqs, url, "a1", "a2")
    assert sqs.due_ms(url) == NOW_MS
    received(sqs, url, 1)
    assert sqs.due_ms(url) == NOW_MS + 48_000
    clock.advance(47.999)
    assert received(sqs, url) == []
    clock.advance(0.001)
    assert received(sqs, url) == ["a1", "a2"]


def test_a_delayed_message_says_when_it_comes() -> None:
    sqs = SimSqs(FakeClock(NOW_MS))
    url = sqs.create_queue(QueueName="clock")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="nudge", DelaySeconds=900)

    assert sqs.due_ms(url) == NOW_MS + 900_000


def test_a_backlog_of_one_group_hides_the_groups_behind_it() -> None:
    sqs = SimSqs(FakeClock(NOW_MS), scan_limit=5)
    url = fifo(sqs)
    send(sqs, url, *(f"a{number}" for number in range(6)), "b0")
    assert received(sqs, url, 1) == ["a0"]

    assert received(sqs, url) == []


def test_no_more_are_in_flight_than_a_queue_allows() -> None:
    sqs = SimSqs(FakeClock(NOW_MS), scan_limit=5)
    url = fifo(sqs)
    send(sqs, url, *"abcd")
    assert len(received(sqs, url)) == 4
    send(sqs, url, *"ef")

    assert received(sqs, url) == ["e"]
    assert received(sqs, url) == []


def test_a_queue_without_order_says_that_too_many_are_in_flight() -> None:
    sqs = SimSqs(FakeClock(NOW_MS), scan_limit=5)
    url = sqs.create_queue(QueueName="clock")["QueueUrl"]
    for body in "abcdef":
        sqs.send_message(QueueUrl=url, MessageBody=body)

    assert received(sqs, url) == ["a", "b", "c", "d", "e"]
    with pytest.raises(ClientError, match="OverLimit"):
        received(sqs, url)


def standard(seed: int, **more: Any) -> list[str]:
    """Twenty messages of a queue without order, as they come."""
    sqs = SimSqs(FakeClock(NOW_MS), chance=random.Random(seed), **more)
    url = sqs.create_queue(QueueName="republish")["QueueUrl"]
    for number in range(20):
        sqs.send_message(QueueUrl=url, MessageBody=str(number))
    return [body for _ in range(4) for body in received(sqs, url)]


def test_a_queue_without_order_has_none_and_chance_repeats_itself() -> None:
    came = standard(1)

    assert came != sorted(came, key=int)
    assert sorted(came, key=int) == [str(number) for number in range(20)]
    assert came == standard(1) != standard(2)


def test_a_queue_without_order_may_bring_a_message_twice() -> None:
    came = standard(1, duplicates=0.5)

    assert {*came} == {str(number) for number in range(20)}
    assert len(came) > 20


def test_an_entry_that_is_to_fail_fails_alone() -> None:
    def hook(point: str) -> None:
        if point == "sqs.entry a2":
            raise aws_error("InternalError", "SendMessageBatch")

    sqs = SimSqs(FakeClock(NOW_MS), hook)
    url = fifo(sqs)

    assert send(sqs, url, "a1", "a2", "a3") == ["a2"]
    assert received(sqs, url) == ["a1", "a3"]


def test_a_batch_whose_answer_is_lost_is_sent_again_and_taken_once() -> None:
    statuses: list[str] = []
    errors = [answer_lost()]

    def hook(point: str) -> None:
        if point == "sqs.send_message_batch.done" and errors:
            raise errors.pop()

    def took(queue: str, group: str, dedup_id: str, body: str, status: str) -> None:
        assert (queue, group, dedup_id, body) == ("moves.fifo", "a", "a1", "a1")
        statuses.append(status)

    sqs = SimSqs(FakeClock(NOW_MS), hook)
    sqs.took = took
    url = fifo(sqs)

    assert send(sqs, url, "a1") == []
    assert statuses == ["taken", "repeated"]
    assert sqs.waiting(url) == ["a1"]


def test_who_dies_while_receiving_holds_the_messages_until_their_time_is_over() -> None:
    clock = FakeClock(NOW_MS)
    sqs = SimSqs(clock, crash_at("sqs.receive_message.done"))
    url = fifo(sqs)
    send(sqs, url, "a1")

    with pytest.raises(Crash):
        received(sqs, url)
    assert received(sqs, url) == []
    clock.advance(48)
    assert received(sqs, url) == ["a1"]


def test_dead_letters_are_told_of_and_come_back_after_days() -> None:
    clock = FakeClock(NOW_MS)
    sqs = SimSqs(clock)
    dead = fifo(sqs, "dead.fifo", MessageRetentionPeriod="1209600")
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])
    arn = arn["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 5})
    url = fifo(sqs, RedrivePolicy=policy)
    heard: list[tuple[str, str, str]] = []
    sqs.buried = lambda queue, group, _, body: heard.append((queue, group, body))
    send(sqs, url, "a1", "a2")

    for _ in range(5):
        assert received(sqs, url, 1) == ["a1"]
        clock.advance(48)
    assert received(sqs, url, 1) == ["a2"]
    assert heard == [("moves.fifo", "a", "a1")]

    clock.advance(6 * 86_400)
    sqs.start_message_move_task(SourceArn=arn)
    assert (sqs.waiting(dead), sqs.waiting(url)) == ([], ["a1"])  # a2 waited for too long
    assert received(sqs, url) == ["a1"]


def test_what_the_queue_was_not_taught_it_refuses_to_do() -> None:
    sqs = SimSqs(FakeClock(NOW_MS))
    url = fifo(sqs)

    with pytest.raises(Unsupported):
        sqs.create_queue(QueueName="x.fifo", Attributes={"ContentBasedDeduplication": "true"})
    with pytest.raises(Unsupported):
        sqs.send_message(QueueUrl=url, **an_entry("a"), MessageAttributes={})
    with pytest.raises(ClientError, match="NonExistentQueue"):
        sqs.receive_message(QueueUrl=url + "x")
