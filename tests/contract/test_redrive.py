"""Dead letters come back into their queue, on everything that stands in for SQS; and what comes
back twice changes nothing twice.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.process_batch import REPUBLISH_ATTEMPTS, Record
from arbiter.application.queue_messages import QueueEntry, Republish, republish_body
from arbiter.application.routing import players_group
from deploy.redrive import Way, anew, chosen, give_back, waiting, ways
from deploy.stack import Refused, Stack
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.fakes.faults import crash_at

_RECEIVES = 2


@dataclass
class Line:
    """A queue with its dead letters, as the template has them but for how soon records die."""

    sqs: Any
    way: Way

    def received(self) -> list[dict[str, Any]]:
        """What comes out of the queue now, with its group."""
        return list(
            self.sqs.receive_message(
                QueueUrl=self.way.queue_url,
                MaxNumberOfMessages=10,
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["All"],
            ).get("Messages", [])
        )

    def done(self, message: dict[str, Any]) -> None:
        self.sqs.delete_message(QueueUrl=self.way.queue_url, ReceiptHandle=message["ReceiptHandle"])

    def let_die(self, how_many: int) -> None:
        """Receive without end, as a function does that always fails."""
        until = time.monotonic() + 60
        while waiting(self.sqs, self.way.dead_url) < how_many:
            assert time.monotonic() < until, "nothing dies here"
            for message in self.received():
                self.sqs.change_message_visibility(
                    QueueUrl=self.way.queue_url,
                    ReceiptHandle=message["ReceiptHandle"],
                    VisibilityTimeout=0,
                )


def a_line(clients: AwsClients, *, is_fifo: bool) -> Line:
    sqs: Any = clients.sqs()
    ending = ".fifo" if is_fifo else ""
    fifo = {"FifoQueue": "true", "DeduplicationScope": "messageGroup"} if is_fifo else {}
    if is_fifo:
        fifo["FifoThroughputLimit"] = "perMessageGroupId"
    name = uuid4().hex
    dead = sqs.create_queue(
        QueueName=f"{name}-dead{ending}", Attributes={"FifoQueue": "true"} if is_fifo else {}
    )["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]
    policy = {"deadLetterTargetArn": arn["QueueArn"], "maxReceiveCount": str(_RECEIVES)}
    queue = sqs.create_queue(
        QueueName=f"{name}{ending}", Attributes={**fifo, "RedrivePolicy": json.dumps(policy)}
    )["QueueUrl"]
    return Line(sqs, Way("moves", dead, queue))


def send(line: Line, *entries: QueueEntry) -> None:
    assert SqsEventQueue(lambda: line.sqs, {"moves": line.way.queue_url}).send(entries) == ()


def an_entry(body: str, group: str, dedup_id: str) -> QueueEntry:
    return QueueEntry(queue="moves", body=body, group_id=group, dedup_id=dedup_id)


@pytest.fixture(params=["moto", "ministack"])
def clients(request: pytest.FixtureRequest, endpoint: Callable[[str], AwsClients]) -> AwsClients:
    return endpoint(request.param)


def test_the_dead_come_back_in_the_order_and_the_group_they_were_in(clients: AwsClients) -> None:
    line = a_line(clients, is_fifo=True)
    for body in ("one", "two"):
        # Each by itself: which of a group's records dies first is for the stand-in to say.
        send(line, an_entry(body, "group", body))
        line.let_die(1 if body == "one" else 2)

    assert give_back(line.sqs, line.way) == 2

    assert waiting(line.sqs, line.way.dead_url) == 0
    came: list[dict[str, Any]] = []
    while messages := line.received():
        came += messages
        for message in messages:
            line.done(message)
    assert [message["Body"] for message in came] == ["one", "two"]
    assert {message["Attributes"]["MessageGroupId"] for message in came} == {"group"}


def test_a_record_that_died_within_five_minutes_is_not_lost_to_deduplication(
    clients: AwsClients,
) -> None:
    line = a_line(clients, is_fifo=True)
    send(line, an_entry("a move", "group", "its id"))
    line.let_die(1)

    assert give_back(line.sqs, line.way) == 1

    assert [message["Body"] for message in line.received()] == ["a move"]


def test_a_queue_without_groups_gets_its_dead_back_too(clients: AwsClients) -> None:
    line = a_line(clients, is_fifo=False)
    line.sqs.send_message(QueueUrl=line.way.queue_url, MessageBody="a nudge")
    line.let_die(1)

    assert give_back(line.sqs, line.way) == 1

    assert [message["Body"] for message in line.received()] == ["a nudge"]
    assert give_back(line.sqs, line.way) == 0


def test_what_is_given_back_twice_changes_nothing_twice(clients: AwsClients) -> None:
    world = World()
    table = world.start(ALICE, BOB)
    body = world.body(table.move_event("e2e4"))
    line = a_line(clients, is_fifo=True)
    entry = an_entry(body, players_group(table.game_id, ALICE.pubkey), "e2e4")

    def handle(line: Line) -> list[str]:
        """As the arbiter function does with what is in the queue."""
        messages = line.received()
        records = [
            Record(id=it["MessageId"], group=it["Attributes"]["MessageGroupId"], body=it["Body"])
            for it in messages
        ]
        failed = world.deliver(*records)
        for message in messages:
            if message["MessageId"] not in failed:
                line.done(message)
        return world.statuses()[-len(records) :] if records else []

    # The commit is made, and the process dies before it is told: applied, and yet dead.
    world.games.hook = crash_at("games.committed")
    send(line, entry)
    assert handle(line) == ["failed"]
    assert world.game(table.game_id).ply == 1
    line = a_line(clients, is_fifo=True)  # where nothing of that is hidden for a while
    for _ in range(2):
        line.sqs.send_message(
            QueueUrl=line.way.dead_url,
            MessageBody=body,
            MessageGroupId=entry.group_id,
            MessageDeduplicationId=uuid4().hex,
        )
    standing = world.game(table.game_id)

    assert give_back(line.sqs, line.way) == 2
    assert handle(line) + handle(line) == ["duplicate", "duplicate"]

    assert world.game(table.game_id) == standing
    said = [event.content for event in world.publisher.taken_events if event.kind == 20302]
    assert said[-1].startswith("rnbqkbnr/pppppppp/8/8/4P3")


def test_a_program_that_dies_half_way_gives_a_record_back_once(clients: AwsClients) -> None:
    line = a_line(clients, is_fifo=True)
    send(line, an_entry("a move", "group", "its id"))
    line.let_die(1)

    class Dying:
        def __getattr__(self, name: str) -> Any:
            if name == "delete_message":
                raise ConnectionError
            return getattr(line.sqs, name)

        def receive_message(self, **asked: Any) -> Any:
            return line.sqs.receive_message(**asked, VisibilityTimeout=0)

    dying: Any = Dying()
    with pytest.raises(ConnectionError):
        give_back(dying, line.way)
    assert give_back(line.sqs, line.way) == 1

    messages = line.received()
    assert [message["Body"] for message in messages] == ["a move"]
    line.done(messages[0])
    assert line.received() == []


def test_a_reply_that_was_tried_for_a_day_is_tried_for_another_when_it_is_given_back() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    world.publisher.deaf = True
    world.hear(table.move_event("e2e4"))
    game = world.game(table.game_id)
    order = Republish(game_id=game.id, changed_at_ms=game.changed_at_ms, attempt=REPUBLISH_ATTEMPTS)
    body = republish_body(order)

    assert world.deliver(world.record(body)) != ()
    assert world.deliver(world.record(anew(body))) == ()

    assert world.statuses()[-2:] == ["failed", "said-again"]
    assert json.loads(world.republish.bodies[-1])["republish"]["attempt"] == 1


def test_a_move_is_given_back_as_it_came() -> None:
    world = World()
    body = world.body(world.start(ALICE, BOB).move_event("e2e4"))

    assert anew(body) == body


_STACK = Stack(
    {},
    {
        "MovesQueueUrl": "m",
        "MovesDeadLettersUrl": "md",
        "SeeksQueueUrl": "s",
        "SeeksDeadLettersUrl": "sd",
        "TableName": "t",
    },
)


def test_requests_to_play_are_given_back_only_when_they_are_asked_for() -> None:
    every = ways(_STACK)

    assert every == (Way("moves", "md", "m"), Way("seeks", "sd", "s"))
    assert chosen(every, ()) == every[:1]
    assert chosen(every, ("seeks",)) == every[1:]


def test_a_queue_that_is_not_there_is_refused() -> None:
    refused = chosen(ways(_STACK), ("moves", "news"))

    assert isinstance(refused, Refused)
    assert "news" in refused.text
