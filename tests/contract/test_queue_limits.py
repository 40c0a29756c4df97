"""What SQS takes and what it refuses, asked of the simulated queue and of all that stands in for
SQS; and what a queue without order does. As test_fifo_semantics.py.
"""

import pytest

from tests.contract.queue_cloud import QueueCloud, an_entry

MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    "body",
    ["tab\t, line\n, return\r", "♞ und 🐴", "\ud7ff\ue000\ufffd", "\U00010000\U0010ffff"],
    ids=["space", "chess", "edges", "planes"],
)
def test_a_body_comes_as_it_was_sent(queue_cloud: QueueCloud, body: str) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, body)

    assert queue_cloud.bodies(url) == [body]


@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1f", "\ufffe", "\uffff"], ids=ascii)
def test_a_body_with_a_character_that_xml_has_not_is_refused(
    queue_cloud: QueueCloud, character: str
) -> None:
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=queue_cloud.fifo(),
        MessageBody=f"a{character}b",
        MessageGroupId="a",
        MessageDeduplicationId="one",
    )


def test_a_body_that_is_empty_is_refused(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=queue_cloud.fifo(),
        MessageBody="",
        MessageGroupId="a",
        MessageDeduplicationId="one",
    )


def test_a_body_has_a_mebibyte(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "x" * MEBIBYTE)

    assert [len(body) for body in queue_cloud.bodies(url)] == [MEBIBYTE]


def test_a_body_has_no_more_than_a_mebibyte(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=queue_cloud.fifo(),
        MessageBody="x" * (MEBIBYTE + 1),
        MessageGroupId="a",
        MessageDeduplicationId="one",
    )


def test_a_batch_has_no_more_than_a_mebibyte(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    entries = [an_entry("x" * (MEBIBYTE // 2 + 1)) for _ in range(2)]
    assert queue_cloud.refuses("send_message_batch", QueueUrl=url, Entries=entries)
    assert queue_cloud.bodies(url) == []


def test_a_batch_has_one_to_ten_entries(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()

    assert queue_cloud.refuses("send_message_batch", QueueUrl=url, Entries=[])
    entries = [an_entry("x") for _ in range(11)]
    assert queue_cloud.refuses("send_message_batch", QueueUrl=url, Entries=entries)
    assert queue_cloud.bodies(url) == []


def test_the_ids_of_a_batch_are_distinct(queue_cloud: QueueCloud) -> None:
    entries = [an_entry("x", Id="same"), an_entry("y", Id="same")]
    assert queue_cloud.refuses("send_message_batch", QueueUrl=queue_cloud.fifo(), Entries=entries)


def test_the_ids_of_a_batch_are_plain(queue_cloud: QueueCloud) -> None:
    entries = [an_entry("x", Id="not plain")]
    assert queue_cloud.refuses("send_message_batch", QueueUrl=queue_cloud.fifo(), Entries=entries)


def test_an_entry_that_is_refused_leaves_the_others_alone(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    entries = [an_entry("a1"), an_entry("\x00", Id="bad"), an_entry("a2")]

    answer = queue_cloud.sqs.send_message_batch(QueueUrl=url, Entries=entries)

    assert [entry["Id"] for entry in answer["Failed"]] == ["bad"]
    assert queue_cloud.bodies(url) == ["a1", "a2"]


@pytest.mark.parametrize("name", ["MessageGroupId", "MessageDeduplicationId"])
def test_an_id_has_128_plain_characters(queue_cloud: QueueCloud, name: str) -> None:
    url = queue_cloud.fifo()
    longest = "x" * 127 + "~"
    queue_cloud.sqs.send_message_batch(QueueUrl=url, Entries=[an_entry("x", **{name: longest})])

    (message,) = queue_cloud.receive(url)
    assert message["Attributes"][name] == longest


@pytest.mark.parametrize("text", ["x" * 129, "two words", "♞"], ids=["long", "spaced", "foreign"])
@pytest.mark.parametrize("name", ["MessageGroupId", "MessageDeduplicationId"])
def test_an_id_is_neither_long_nor_anything_but_plain(
    queue_cloud: QueueCloud, name: str, text: str
) -> None:
    sent = {"MessageGroupId": "a", "MessageDeduplicationId": "one"} | {name: text}
    url = queue_cloud.fifo()
    assert queue_cloud.refuses("send_message", QueueUrl=url, MessageBody="x", **sent)


def test_in_a_fifo_queue_a_message_has_a_group(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=queue_cloud.fifo(),
        MessageBody="x",
        MessageDeduplicationId="one",
    )


def test_in_a_fifo_queue_a_message_has_a_deduplication_id(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses(
        "send_message", QueueUrl=queue_cloud.fifo(), MessageBody="x", MessageGroupId="a"
    )


def test_in_a_fifo_queue_no_single_message_is_delayed(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=queue_cloud.fifo(),
        MessageBody="x",
        MessageGroupId="a",
        MessageDeduplicationId="one",
        DelaySeconds=1,
    )


def test_a_message_is_not_hidden_for_longer_than_twelve_hours(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "a1")
    (message,) = queue_cloud.receive(url)

    assert queue_cloud.refuses(
        "change_message_visibility",
        QueueUrl=url,
        ReceiptHandle=message["ReceiptHandle"],
        VisibilityTimeout=43_201,
    )


def test_what_nobody_holds_cannot_be_hidden(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo()
    queue_cloud.send(url, "a1")
    (message,) = queue_cloud.receive(url)
    queue_cloud.let_go(url, message)

    assert queue_cloud.refuses(
        "change_message_visibility",
        QueueUrl=url,
        ReceiptHandle=message["ReceiptHandle"],
        VisibilityTimeout=10,
    )


def test_what_is_no_receipt_deletes_nothing(queue_cloud: QueueCloud) -> None:
    assert queue_cloud.refuses("delete_message", QueueUrl=queue_cloud.fifo(), ReceiptHandle="?")


def test_a_queue_that_is_not_there_takes_nothing(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.fifo().replace(".fifo", "-gone.fifo")
    assert queue_cloud.refuses(
        "send_message",
        QueueUrl=url,
        MessageBody="x",
        MessageGroupId="a",
        MessageDeduplicationId="one",
    )


def test_a_message_may_be_held_back_for_a_quarter_of_an_hour(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.standard()
    queue_cloud.sqs.send_message(QueueUrl=url, MessageBody="late", DelaySeconds=900)

    assert queue_cloud.bodies(url) == []
    assert queue_cloud.counts(url, "ApproximateNumberOfMessagesDelayed") == ["1"]


def test_what_was_held_back_comes_when_its_time_is_over(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.standard()
    queue_cloud.sqs.send_message(QueueUrl=url, MessageBody="late", DelaySeconds=900)

    queue_cloud.pass_seconds(890)
    assert queue_cloud.bodies(url) == []
    queue_cloud.pass_seconds(11)

    assert queue_cloud.bodies(url) == ["late"]


def test_a_message_is_held_back_for_no_longer(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.standard()
    assert queue_cloud.refuses("send_message", QueueUrl=url, MessageBody="late", DelaySeconds=901)


def test_a_message_that_nobody_deletes_comes_again_and_is_counted(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.standard()
    queue_cloud.sqs.send_message(QueueUrl=url, MessageBody="one")
    queue_cloud.let_go(url, *queue_cloud.receive(url))

    (message,) = queue_cloud.receive(url)

    assert message["Attributes"]["ApproximateReceiveCount"] == "2"


def test_an_older_receipt_deletes_nothing_once_there_is_a_newer(queue_cloud: QueueCloud) -> None:
    url = queue_cloud.standard()
    queue_cloud.sqs.send_message(QueueUrl=url, MessageBody="one")
    (first,) = queue_cloud.receive(url)
    queue_cloud.let_go(url, first)
    (second,) = queue_cloud.receive(url)

    queue_cloud.delete(url, first)
    queue_cloud.let_go(url, second)

    assert queue_cloud.bodies(url) == ["one"]
