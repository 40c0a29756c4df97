"""The contract of the outbox: a line for each root, and each thing once."""

import json

from arbiter.adapters.sqs import SqsOutboxRecords
from arbiter.dialects.outgoing import SsbMessage
from tests.contract.candidates import Queues
from tests.contract.queue_cloud import QueueCloud


def said(number: int, root: str = "%one") -> SsbMessage:
    return SsbMessage(f"{number:064x}", root, {"type": "chess_move", "ply": number})


def plies(root: str, bodies: list[str]) -> list[int]:
    read = [json.loads(body) for body in bodies]
    return [one["content"]["ply"] for one in read if one["root"] == root]


def test_what_is_said_under_a_root_comes_in_the_order_in_which_it_was_said(queues: Queues) -> None:
    queues.outbox.send([said(number, "%two" if number % 3 else "%one") for number in range(1, 24)])

    bodies = queues.uttered()

    assert plies("%one", bodies) == [3, 6, 9, 12, 15, 18, 21]
    assert len(plies("%two", bodies)) == 16
    assert plies("%two", bodies) == sorted(plies("%two", bodies))


def test_what_is_sent_again_comes_once(queues: Queues) -> None:
    queues.outbox.send([said(1), said(2)])
    queues.outbox.send([said(1), said(2), said(3)])

    assert plies("%one", queues.uttered()) == [1, 2, 3]


def test_what_is_put_aside_is_dead_and_what_follows_is_said(queue_cloud: QueueCloud) -> None:
    url, dead = queue_cloud.with_dead_letters(max_receives=1000)
    records = SqsOutboxRecords(lambda: queue_cloud.sqs, url, dead)
    queue_cloud.send_all(url, "a refused one", "a good one")
    refused, good = records.receive()
    records.put_aside(refused)
    records.delete(good)
    queue_cloud.send(url, "a refused one")  # given back, too early
    (again,) = records.receive()
    records.put_aside(again)

    buried = queue_cloud.drained(dead, 2)
    assert [it["Body"] for it in buried] == ["a refused one"] * 2
    assert {it["Attributes"]["MessageGroupId"] for it in buried} == {"a"}
    assert queue_cloud.counts(url, "ApproximateNumberOfMessages") == ["0"]
