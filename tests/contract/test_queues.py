from collections.abc import Callable
from hashlib import sha256
from uuid import uuid4

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.records import QueueEntry, QueueName
from tests.contract.candidates import Queues


def an_entry(body: str, group: str = "one", queue: QueueName = "moves") -> QueueEntry:
    return QueueEntry(
        queue=queue,
        body=body,
        group_id=sha256(group.encode()).hexdigest(),
        dedup_id=sha256(body.encode()).hexdigest(),
    )


def test_more_entries_than_a_call_takes_arrive_in_order_of_their_groups(queues: Queues) -> None:
    sent = [
        an_entry(f"{group} {number}", group) for number in range(9) for group in ("a", "b", "c")
    ]

    assert queues.events.send([*sent, an_entry("a request", queue="seeks")]) == ()

    assert queues.arrived("seeks") == ["a request"]
    arrived = queues.arrived("moves")
    assert len(arrived) == 27
    for group in ("a", "b", "c"):
        own = [body for body in arrived if body.startswith(group)]
        assert own == [f"{group} {number}" for number in range(9)]


def test_the_largest_events_arrive_though_ten_of_them_fill_more_than_a_call(queues: Queues) -> None:
    sent = [an_entry(f"{number}" * 190_000) for number in range(5)]

    assert queues.events.send(sent) == ()

    assert queues.arrived("moves") == [entry.body for entry in sent]


def test_an_event_that_two_relays_brought_arrives_once(queues: Queues) -> None:
    for batch in ([], [an_entry("a move")], [an_entry("a move"), an_entry("another")]):
        assert queues.events.send(batch) == ()

    assert queues.arrived("moves") == ["a move", "another"]


def test_what_is_to_be_published_again_arrives_when_its_delay_is_over(queues: Queues) -> None:
    queues.republish.send("now", 0)
    queues.republish.send("in a minute", 60)
    queues.republish.send("in an hour, which is a quarter here", 3600)

    assert queues.repeated() == ["now"]


def test_no_queue_takes_nothing_and_raises_nothing(endpoint: Callable[[str], AwsClients]) -> None:
    clients = endpoint("ministack")
    server = clients._client("sqs").meta.endpoint_url
    url = f"{server}/123456789012/{uuid4().hex}.fifo"
    sent = [an_entry(f"move {number}") for number in range(12)]

    assert SqsEventQueue(clients.sqs, {"moves": url}).send(sent) == tuple(sent)
