"""Dead letters that deploy/redrive.py gives back to their queues."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from arbiter.adapters.aws_clients import AwsClients
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.intake.batch import REPUBLISH_ATTEMPTS
from arbiter.application.intake.queue_messages import republish_body
from arbiter.application.records import QueueEntry, Republish
from deploy.redrive import Way, anew, chosen, give_back, waiting, ways
from deploy.stack import Refused, Stack
from tests.application.world import World
from tests.builders import ALICE, BOB
from tests.contract.queue_cloud import QueueCloud
from tests.fakes.faults import crash_at


@dataclass
class Line:
    """A queue with its dead letters, as the template has them but for how soon records die."""

    cloud: QueueCloud
    way: Way

    def send(self, body: str) -> None:
        entry = QueueEntry(queue="moves", body=body, group_id="group", dedup_id=body)
        queue = SqsEventQueue(lambda: self.cloud.sqs, {"moves": self.way.queue_url})
        assert queue.send([entry]) == ()

    def let_die(self, how_many: int) -> None:
        """Receive without end, as a function does that always fails."""
        until = time.monotonic() + 60
        while waiting(self.cloud.sqs, self.way.dead_url) < how_many:
            assert time.monotonic() < until, "nothing dies here"
            self.cloud.let_go(self.way.queue_url, *self.cloud.receive(self.way.queue_url))


@pytest.fixture
def cloud(endpoint: Callable[[str], AwsClients]) -> QueueCloud:
    return QueueCloud(endpoint("ministack").sqs())


def a_line(cloud: QueueCloud, *, is_fifo: bool = True) -> Line:
    queue, dead = cloud.with_dead_letters(2, is_fifo=is_fifo)
    return Line(cloud, Way("moves", dead, queue))


def test_dead_letters_come_back_in_order_though_their_ids_were_used(cloud: QueueCloud) -> None:
    line = a_line(cloud)
    for number, body in enumerate(("one", "two"), 1):
        # Each by itself: which of a group's records dies first is for the stand-in to say.
        line.send(body)
        line.let_die(number)

    assert give_back(cloud.sqs, line.way) == 2

    assert waiting(cloud.sqs, line.way.dead_url) == 0
    came = cloud.drained(line.way.queue_url, 2)
    assert [message["Body"] for message in came] == ["one", "two"]
    assert {message["Attributes"]["MessageGroupId"] for message in came} == {"group"}


def test_a_queue_without_groups_gets_its_dead_letters_back_too(cloud: QueueCloud) -> None:
    line = a_line(cloud, is_fifo=False)
    cloud.sqs.send_message(QueueUrl=line.way.queue_url, MessageBody="a timer")
    line.let_die(1)

    assert give_back(cloud.sqs, line.way) == 1

    assert cloud.bodies(line.way.queue_url) == ["a timer"]
    assert give_back(cloud.sqs, line.way) == 0


@pytest.mark.parametrize("step", ["send_message", "delete_message"])
def test_a_program_that_ends_half_way_gives_a_record_back_once(
    cloud: QueueCloud, step: str
) -> None:
    line = a_line(cloud)
    line.send("a move")
    line.let_die(1)

    class Dying:
        def __getattr__(self, name: str) -> Any:
            if name == step:
                raise ConnectionError
            return getattr(cloud.sqs, name)

        def receive_message(self, **asked: Any) -> Any:
            return cloud.sqs.receive_message(**asked, VisibilityTimeout=0)

    dying: Any = Dying()
    with pytest.raises(ConnectionError):
        give_back(dying, line.way)
    assert give_back(cloud.sqs, line.way) == 1

    assert cloud.emptied(line.way.queue_url) == ["a move"]


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
    with pytest.raises(Refused, match="news"):
        chosen(every, ("moves", "news"))
