"""Order under faults: from a listener's backlog through SQS and batches to a game, and back from
dead letters. A record may be handled twice; none is lost, and none overtakes an earlier one of its
game.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.sender import Backlog
from arbiter.adapters.sqs import SqsEventQueue
from arbiter.application.intake import batch
from arbiter.application.intake.batch import Record, process_batch
from arbiter.application.intake.queue_messages import timer_fired_body
from arbiter.application.records import QueueEntry, Timer, TimerFired
from arbiter.application.results import Result
from deploy.redrive import Way, give_back, waiting
from tests.application.world import World
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock

GAMES = [f"{number:032x}" for number in range(4)]
WAY = Way("moves", "dead.fifo", "moves.fifo")
PLIES = 12


@dataclass
class Message:
    """``visible_ms`` is when it can be received (again)."""

    id: str
    body: str
    group: str
    visible_ms: int = 0
    receives: int = 0


class FifoQueues:
    """A FIFO queue of SQS and its dead letters, as far as order goes: a group of which a message is
    in flight gives no other, and what was received too often is a dead letter.
    """

    def __init__(self, clock: FakeClock, max_receives: int) -> None:
        self._clock, self._max_receives = clock, max_receives
        self._queues: dict[str, list[Message]] = {WAY.queue_url: [], WAY.dead_url: []}
        self._seen: set[tuple[str, str, str]] = set()

    def send_message(self, **asked: str) -> None:
        url, group = asked["QueueUrl"], asked["MessageGroupId"]
        known = (url, group, asked["MessageDeduplicationId"])
        if known not in self._seen:
            self._seen.add(known)
            message = Message(f"message-{len(self._seen)}", asked["MessageBody"], group)
            self._queues[url].append(message)

    def send_message_batch(self, *, QueueUrl: str, Entries: list[Any]) -> None:  # noqa: N803 - botocore's
        for one in Entries:
            self.send_message(QueueUrl=QueueUrl, **one)

    def receive_message(self, **asked: Any) -> dict[str, Any]:
        url, now_ms = asked["QueueUrl"], self._clock.ms
        blocked = {it.group for it in self._queues[url] if it.visible_ms > now_ms}
        taken = list[Message]()
        for one in [it for it in self._queues[url] if it.group not in blocked]:
            if url == WAY.queue_url and one.receives >= self._max_receives:
                self._queues[url].remove(one)
                self._queues[WAY.dead_url].append(replace(one, visible_ms=0))
            elif len(taken) < asked["MaxNumberOfMessages"]:
                one.receives += 1
                one.visible_ms = now_ms + 30_000
                taken.append(one)
        return {"Messages": [*map(_told, taken)]}

    def delete_message(self, *, QueueUrl: str, ReceiptHandle: str) -> None:  # noqa: N803 - botocore's
        queue = self._queues[QueueUrl]
        queue[:] = [it for it in queue if f"{it.id}#{it.receives}" != ReceiptHandle]

    def get_queue_attributes(self, *, QueueUrl: str, **_: Any) -> dict[str, Any]:  # noqa: N803 - botocore's
        return {"Attributes": {"ApproximateNumberOfMessages": str(len(self._queues[QueueUrl]))}}


def _told(message: Message) -> dict[str, Any]:
    return {
        "MessageId": message.id,
        "ReceiptHandle": f"{message.id}#{message.receives}",
        "Body": message.body,
        "Attributes": {"MessageGroupId": message.group},
    }


class Line:
    """A backlog, a queue and a function, of which any call or record may fail."""

    def __init__(self, *, max_receives: int = 1000) -> None:
        self.fails: Callable[[str], bool] = lambda _: False
        self.handled: list[tuple[str, int]] = []
        self.clock, self.deps = FakeClock(NOW_MS), World().deps
        self.sqs: Any = FifoQueues(self.clock, max_receives)
        faulty: Any = self
        self.queue = SqsEventQueue(lambda: faulty, {"moves": WAY.queue_url})
        retry = Backoff(first_seconds=1.0, longest_seconds=8.0)
        self.backlog = Backlog(max_entries=1000, max_bytes=10**6, is_ordered=True, retry=retry)

    def send_message_batch(self, QueueUrl: str, Entries: list[Any]) -> dict[str, Any]:  # noqa: N803 - botocore's
        """As SQS, of which a request, some entries or the answer get lost."""
        lost = ClientError({"Error": {"Code": "ServiceUnavailable"}}, "SendMessageBatch")
        if self.fails("a request"):
            raise lost
        failed = [{"Id": one["Id"], "Code": "x"} for one in Entries if self.fails("an entry")]
        taken = [one for one in Entries if one["Id"] not in {it["Id"] for it in failed}]
        if taken:
            self.sqs.send_message_batch(QueueUrl=QueueUrl, Entries=taken)
        if self.fails("an answer"):
            raise lost
        return {"Failed": failed}

    def add(self, game: str, ply: int) -> None:
        body = timer_fired_body(Timer(game, ply, 0), 1)
        entry = QueueEntry(queue="moves", body=body, group_id=game, dedup_id=f"{game}-{ply}")
        self.backlog.add(entry)

    def send(self) -> None:
        now = self.clock.ms / 1000
        if taken := self.backlog.take(now):
            self.backlog.settle(taken, self.queue.send(taken), now, 1.0)

    def process(self) -> bool:
        """One invocation, which may end before its records are deleted; whether there were any."""
        asked = {"QueueUrl": WAY.queue_url, "MaxNumberOfMessages": 10}
        messages = self.sqs.receive_message(**asked)["Messages"]
        records = [
            Record(id=one["MessageId"], group=one["Attributes"]["MessageGroupId"], body=one["Body"])
            for one in messages
        ]
        failed = process_batch(self.deps, records, lambda _: None)
        if not self.fails("an invocation"):
            for one in (it for it in messages if it["MessageId"] not in failed):
                self.sqs.delete_message(QueueUrl=WAY.queue_url, ReceiptHandle=one["ReceiptHandle"])
        self.clock.ms += 60_000  # what failed is visible again
        return bool(messages)

    def handle(self, _: object, message: TimerFired) -> Result:
        """In place of a game, which would forgive what comes out of order."""
        if self.fails(message.game_id):
            raise ConnectionError
        self.handled.append((message.game_id, message.ply))
        return Result(status="played")

    def plies(self, game: str) -> list[int]:
        """The plies of a game in the order in which each was handled first."""
        return [*dict.fromkeys(ply for which, ply in self.handled if which == game)]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_fails_each_games_records_are_handled_in_order_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, line = random.Random(seed), Line()
    line.fails = lambda _: chance.random() < 0.2
    monkeypatch.setattr(batch, "_handle", line.handle)
    coming = [(game, ply) for ply in range(PLIES) for game in GAMES]
    while line.process() or coming or len(line.backlog):
        for _ in range(min(chance.randrange(4), len(coming))):
            line.add(*coming.pop(0))
        line.send()

    assert {game: line.plies(game) for game in GAMES} == {game: [*range(PLIES)] for game in GAMES}


def test_dead_letters_come_back_in_their_order_and_held_up_no_other_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, (sick, well, *_) = Line(max_receives=3), GAMES
    line.fails = lambda which: which == sick
    monkeypatch.setattr(batch, "_handle", line.handle)
    for ply in range(PLIES):
        line.add(sick, ply)
        line.add(well, ply)
        line.send()
    while line.process():
        pass
    assert (line.plies(sick), line.plies(well)) == ([], [*range(PLIES)])

    line.fails = lambda _: False
    assert give_back(line.sqs, WAY) == PLIES
    assert waiting(line.sqs, WAY.dead_url) == 0
    while line.process():
        pass
    assert line.plies(sick) == [*range(PLIES)]
