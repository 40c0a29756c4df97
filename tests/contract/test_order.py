"""Order under faults: from a listener's backlog through SQS and batches to a game, and back from
dead letters. A record may be handled twice; none is lost, and none overtakes an earlier one of its
game.
"""

import random
from collections.abc import Callable
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
from tests.contract.queue_cloud import QueueCloud
from tests.contract.simulated import SimulatedClients

GAMES = [f"{number:032x}" for number in range(4)]
PLIES = 12


class Line:
    """A backlog, a queue and a function, of which any call or record may fail."""

    def __init__(self, *, max_receives: int = 1000) -> None:
        self.fails: Callable[[str], bool] = lambda _: False
        self.handled: list[tuple[str, int]] = []
        clients: Any = SimulatedClients()
        self.clock, self.deps = clients.clock, World().deps
        self.cloud = QueueCloud(clients.sqs())
        self.url, dead = self.cloud.with_dead_letters(max_receives)
        self.way = Way("moves", dead, self.url)
        faulty: Any = self
        self.queue = SqsEventQueue(lambda: faulty, {"moves": self.url})
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
            self.cloud.sqs.send_message_batch(QueueUrl=QueueUrl, Entries=taken)
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
        messages = self.cloud.receive(self.url)
        records = [
            Record(id=one["MessageId"], group=one["Attributes"]["MessageGroupId"], body=one["Body"])
            for one in messages
        ]
        failed = process_batch(self.deps, records, lambda _: None)
        if not self.fails("an invocation"):
            self.cloud.delete(self.url, *(it for it in messages if it["MessageId"] not in failed))
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
    assert give_back(line.cloud.sqs, line.way) == PLIES
    assert waiting(line.cloud.sqs, line.way.dead_url) == 0
    while line.process():
        pass
    assert line.plies(sick) == [*range(PLIES)]
