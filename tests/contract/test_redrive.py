"""Dead letters that deploy/redrive.py gives back to their queues."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.process_batch import REPUBLISH_ATTEMPTS
from arbiter.application.queue_messages import QueueEntry, Republish, republish_body
from deploy.redrive import Way, anew, chosen, give_back, waiting, ways
from deploy.stack import Refused, Stack
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.contract.queue_cloud import FIFO
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


def a_line(clients: AwsClients, *, is_fifo: bool = True) -> Line:
    sqs: Any = clients.sqs()
    ending, fifo = (".fifo", FIFO) if is_fifo else ("", {})
    name = uuid4().hex
    dead = sqs.create_queue(QueueName=f"{name}-dead{ending}", Attributes=fifo)["QueueUrl"]
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


@pytest.fixture
def clients(endpoint: Callable[[str], AwsClients]) -> AwsClients:
    return endpoint("ministack")


def test_dead_letters_come_back_in_order_though_their_ids_were_used(clients: AwsClients) -> None:
    line = a_line(clients)
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


def test_a_queue_without_groups_gets_its_dead_letters_back_too(clients: AwsClients) -> None:
    line = a_line(clients, is_fifo=False)
    line.sqs.send_message(QueueUrl=line.way.queue_url, MessageBody="a nudge")
    line.let_die(1)

    assert give_back(line.sqs, line.way) == 1

    assert [message["Body"] for message in line.received()] == ["a nudge"]
    assert give_back(line.sqs, line.way) == 0


def test_a_program_that_ends_half_way_gives_a_record_back_once(clients: AwsClients) -> None:
    line = a_line(clients)
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


def a_move(world: World) -> tuple[str, str]:
    """The id of a new game, and the record of a move in it."""
    table = world.start(ALICE, BOB)
    return table.game_id, world.body(table.move_event("e2e4"))


def test_a_move_is_given_back_as_it_came_and_is_made_once_however_often() -> None:
    world = World()
    game_id, body = a_move(world)
    # The commit is made, and the process dies before it is known.
    world.games.hook = crash_at("games.committed")
    world.deliver(world.record(body))
    before = world.game(game_id)
    assert (world.statuses()[-1], before.ply) == ("failed", 1)

    for _ in range(2):
        assert anew(body) == body
        assert world.deliver(world.record(anew(body))) == ()

    assert world.statuses()[-2:] == ["duplicate", "duplicate"]
    assert world.game(game_id) == before
    states = [event.content for event in world.publisher.taken_events if event.kind == 20302]
    assert states[-1].startswith("rnbqkbnr/pppppppp/8/8/4P3")


def test_a_reply_that_was_tried_for_a_day_is_tried_for_another_when_it_is_given_back() -> None:
    world = World()
    game_id, body = a_move(world)
    world.publisher.deaf = True
    world.deliver(world.record(body))
    order = Republish(
        game_id=game_id, changed_at_ms=world.game(game_id).changed_at_ms, attempt=REPUBLISH_ATTEMPTS
    )
    body = republish_body(order)

    assert world.deliver(world.record(body)) != ()
    assert world.deliver(world.record(anew(body))) == ()

    assert world.statuses()[-2:] == ["failed", "published-again"]
    assert json.loads(world.republish.bodies[-1])["republish"]["attempt"] == 1


def test_requests_to_play_are_given_back_only_when_they_are_asked_for() -> None:
    queues = {"MovesQueueUrl": "m", "MovesDeadLettersUrl": "md"}
    queues |= {"SeeksQueueUrl": "s", "SeeksDeadLettersUrl": "sd", "TableName": "t"}
    every = ways(Stack({}, queues))

    assert every == (Way("moves", "md", "m"), Way("seeks", "sd", "s"))
    assert chosen(every, ()) == every[:1]
    assert chosen(every, ("seeks",)) == every[1:]
    refused = chosen(every, ("moves", "news"))
    assert isinstance(refused, Refused)
    assert "news" in refused.text
