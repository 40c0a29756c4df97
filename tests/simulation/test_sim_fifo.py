"""What AWS documents of a FIFO queue, asked of the simulated one: the simulator is no easier."""

import pytest

from tests.contract.queue_cloud import QueueCloud, an_entry
from tests.contract.simulated import SimulatedClients

FIVE_MINUTES = 300


@pytest.fixture
def clients() -> SimulatedClients:
    return SimulatedClients()


@pytest.fixture
def queue_cloud(clients: SimulatedClients) -> QueueCloud:
    return QueueCloud(clients.sqs())


def test_a_group_comes_in_its_order(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, *(f"a{number}" for number in range(5)))

    assert queue_cloud.bodies(url) == ["a0", "a1", "a2", "a3", "a4"]


def test_one_call_brings_several_groups_each_in_its_order(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1", "b1", "a2", "b2")

    bodies = queue_cloud.bodies(url)

    assert [body for body in bodies if body[0] == "a"] == ["a1", "a2"]
    assert [body for body in bodies if body[0] == "b"] == ["b1", "b2"]


def test_a_call_brings_no_more_than_it_asks_for(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, *"abcdefghijkl")

    assert len(queue_cloud.receive(url, 3)) == 3
    assert len(queue_cloud.receive(url)) == 9
    assert queue_cloud.refuses(
        "receive_message",
        QueueUrl=url,
        MaxNumberOfMessages=11,
    )


def test_while_a_message_is_in_flight_its_group_waits_and_no_other(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1", "a2", "b1")

    assert queue_cloud.bodies(url, 1) == ["a1"]
    assert queue_cloud.bodies(url) == ["b1"]
    assert queue_cloud.bodies(url) == []


def test_a_message_that_is_let_go_comes_again_before_the_rest_of_its_group(
    queue_cloud: QueueCloud,
) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1", "a2")

    queue_cloud.let_go(url, *queue_cloud.receive(url, 1))

    assert queue_cloud.bodies(url) == ["a1", "a2"]


def test_a_group_waits_until_all_that_was_received_of_it_is_done(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1", "a2", "a3", "a4")
    first, second, third = queue_cloud.receive(url, 3)

    queue_cloud.delete(url, first)
    queue_cloud.let_go(url, second)
    assert queue_cloud.bodies(url) == []

    queue_cloud.let_go(url, third)
    assert queue_cloud.bodies(url) == ["a2", "a3", "a4"]


def test_a_message_that_nobody_deletes_comes_again_in_its_order(
    queue_cloud: QueueCloud, clients: SimulatedClients
) -> None:
    url = queue_cloud.fifo(VisibilityTimeout="48")
    queue_cloud.send_all(url, "a1", "a2")
    assert queue_cloud.bodies(url, 1) == ["a1"]

    clients.clock.advance(40)
    assert queue_cloud.bodies(url) == []
    clients.clock.advance(10)

    assert queue_cloud.bodies(url) == ["a1", "a2"]


def test_each_delivery_is_counted(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1")

    counts = []
    for _ in range(3):
        (message,) = queue_cloud.receive(url)
        counts.append(message["Attributes"]["ApproximateReceiveCount"])
        queue_cloud.let_go(url, message)

    assert counts == ["1", "2", "3"]


def test_a_message_says_what_group_it_is_of(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "a1", "a", "one")

    (message,) = queue_cloud.receive(url)

    told = message["Attributes"]
    assert (told["MessageGroupId"], told["MessageDeduplicationId"]) == ("a", "one")


def test_a_message_that_is_done_with_never_comes_again(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1")
    queue_cloud.delete(url, *queue_cloud.receive(url))

    assert queue_cloud.counts(url, "ApproximateNumberOfMessages") == ["0"]
    assert queue_cloud.bodies(url) == []


def test_a_message_may_be_deleted_twice(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1")
    (message,) = queue_cloud.receive(url)

    queue_cloud.delete(url, message)
    queue_cloud.delete(url, message)

    assert queue_cloud.bodies(url) == []


def test_who_was_too_slow_can_no_longer_delete_what_he_received(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1")
    (message,) = queue_cloud.receive(url)
    queue_cloud.let_go(url, message)

    assert queue_cloud.refuses(
        "delete_message",
        QueueUrl=url,
        ReceiptHandle=message["ReceiptHandle"],
    )
    assert queue_cloud.bodies(url) == ["a1"]


def test_a_repetition_is_taken_and_comes_once(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "first", dedup_id="same")
    queue_cloud.send(url, "again", dedup_id="same")

    assert queue_cloud.bodies(url) == ["first"]


def test_a_repetition_is_answered_with_the_id_of_the_first(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()

    first = queue_cloud.send(url, "first", dedup_id="same")
    again = queue_cloud.send(url, "again", dedup_id="same")

    assert again["MessageId"] == first["MessageId"]


def test_a_repetition_inside_one_batch_comes_once(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    entries = [an_entry(body, MessageDeduplicationId="same") for body in ("first", "again")]

    answer = queue_cloud.sqs.send_message_batch(QueueUrl=url, Entries=entries)

    assert len(answer["Successful"]) == 2
    assert queue_cloud.bodies(url) == ["first"]


def test_what_is_said_in_two_groups_is_no_repetition(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "one", "a", "same")
    queue_cloud.send(url, "two", "b", "same")

    assert sorted(queue_cloud.bodies(url)) == ["one", "two"]


def test_where_the_queue_deduplicates_it_is_one(queue_cloud: QueueCloud) -> None:
    plain = {"DeduplicationScope": "queue", "FifoThroughputLimit": "perQueue"}
    url = queue_cloud.fifo(**plain)
    queue_cloud.send(url, "one", "a", "same")
    queue_cloud.send(url, "two", "b", "same")

    assert queue_cloud.bodies(url) == ["one"]


def test_a_repetition_is_known_though_the_first_is_done_with(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "first", dedup_id="same")
    queue_cloud.delete(url, *queue_cloud.receive(url))

    queue_cloud.send(url, "again", dedup_id="same")

    assert queue_cloud.bodies(url) == []


def test_a_repetition_is_known_nearly_five_minutes_later(
    queue_cloud: QueueCloud, clients: SimulatedClients
) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "first", dedup_id="same")
    clients.clock.advance(FIVE_MINUTES - 10)
    queue_cloud.send(url, "again", dedup_id="same")

    assert queue_cloud.bodies(url) == ["first"]


def test_after_five_minutes_a_repetition_is_a_message_again(
    queue_cloud: QueueCloud, clients: SimulatedClients
) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "first", dedup_id="same")
    clients.clock.advance(FIVE_MINUTES + 1)
    queue_cloud.send(url, "again", dedup_id="same")

    assert queue_cloud.bodies(url) == ["first", "again"]


def test_what_was_received_too_often_goes_to_the_dead_letters(queue_cloud: QueueCloud) -> None:
    url, dead = queue_cloud.with_dead_letters(max_receives=2)
    queue_cloud.send_all(url, "a1", "a2")
    for _ in range(2):
        queue_cloud.let_go(url, *queue_cloud.receive(url, 1))

    assert queue_cloud.bodies(url) == ["a2"]  # its group goes on, with a hole
    assert queue_cloud.bodies(dead) == ["a1"]


def test_a_dead_letter_keeps_its_group(queue_cloud: QueueCloud) -> None:
    url, dead = queue_cloud.with_dead_letters(max_receives=1)
    queue_cloud.send(url, "poison", "a")
    queue_cloud.let_go(url, *queue_cloud.receive(url))
    queue_cloud.receive(url)

    (message,) = queue_cloud.receive(dead)

    assert message["Attributes"]["MessageGroupId"] == "a"


def test_a_dead_letter_repeats_no_other(queue_cloud: QueueCloud) -> None:
    url, dead = queue_cloud.with_dead_letters(max_receives=1)
    sent = queue_cloud.send(url, "poison", "a", "same")
    queue_cloud.let_go(url, *queue_cloud.receive(url))
    queue_cloud.receive(url)

    (message,) = queue_cloud.receive(dead)

    assert message["Attributes"]["MessageDeduplicationId"] == sent["MessageId"]


def test_dead_letters_can_be_given_back(queue_cloud: QueueCloud) -> None:
    url, dead = queue_cloud.with_dead_letters(max_receives=1)
    queue_cloud.send_all(url, "a1", "a2")
    queue_cloud.let_go(url, *queue_cloud.receive(url))
    queue_cloud.receive(url)

    queue_cloud.sqs.start_message_move_task(SourceArn=queue_cloud.arn(dead))

    messages = queue_cloud.drained(url, 2)
    assert [message["Body"] for message in messages] == ["a1", "a2"]
    told = messages[0]["Attributes"]
    assert (told["MessageGroupId"], told["ApproximateReceiveCount"]) == ("a", "1")


def test_what_waited_too_long_is_gone(queue_cloud: QueueCloud, clients: SimulatedClients) -> None:
    url = queue_cloud.fifo(MessageRetentionPeriod="3600")
    queue_cloud.send_all(url, "a1")
    clients.clock.advance(3590)
    assert queue_cloud.counts(url, "ApproximateNumberOfMessages") == ["1"]
    clients.clock.advance(20)

    assert queue_cloud.bodies(url) == []


def test_a_queue_says_what_waits_and_what_is_in_flight(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send_all(url, "a1", "a2", "b1")
    queue_cloud.receive(url, 1)

    told = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    assert queue_cloud.counts(url, *told) == ["2", "1"]
