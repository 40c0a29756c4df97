"""A relay that says it took the note of a game, and does not have it."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from arbiter.adapters.relays.publish_attempt import (
    SUBSCRIPTION,
    VERIFY_STORED_SECONDS,
    VerifyStored,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus
from tests.adapters.relays.publishing import ONE, published, publishing, statuses
from tests.adapters.relays.watching import json_of
from tests.builders import EVE, SERVER
from tests.fakes.relay import Client, FakeRelay, Message

EOSE = ("EOSE", SUBSCRIPTION)


def a_note(number: int = 1, *, age_seconds: int = 0) -> VerifiedEvent:
    at = int(time.time()) - age_seconds
    return SERVER.sign(EventTemplate(64, (), f"{number}. e4 *", at))


def forget(client: Client, message: Message) -> None:
    """OK, and nothing is kept."""
    client.send("OK", message[1]["id"], True, "")


def heard(question: VerifyStored, *messages: Any) -> frozenset[str]:
    for message in messages:
        question.receive(json.dumps(message).encode())
    return question.missing()


def test_a_note_that_is_given_out_again_is_taken() -> None:
    note = a_note()
    with FakeRelay() as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher, note), note) == [PublishStatus.ACCEPTED]
        writer, _ = relay.sender_and_message("EVENT")
        reader, question = relay.sender_and_message("REQ")
        assert question == ["REQ", SUBSCRIPTION, {"ids": [note.id]}]
        assert reader is not writer


def test_a_note_that_its_only_relay_forgot_is_not_taken_and_said_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    note = a_note()
    with FakeRelay(on_event=forget) as relay, publishing(relay.url) as publisher:
        report = published(publisher, note)
        assert statuses(report, note) == [PublishStatus.NOT_STORED]
        assert not report.taken(note.id)
        (line,) = [one.msg for one in caplog.records if "untaken" in str(one.msg)]
        assert line == {"status": "untaken", "relay": relay.url, "events": 1, "why": ["not_stored"]}


def test_a_note_that_another_relay_keeps_is_taken_and_the_liar_is_named() -> None:
    note = a_note()
    with (
        FakeRelay(on_event=forget) as liar,
        FakeRelay() as honest,
        publishing(liar.url, honest.url) as publisher,
    ):
        report = published(publisher, note)
        assert report.taken(note.id)
        assert statuses(report, note) == [PublishStatus.NOT_STORED, PublishStatus.ACCEPTED]


def test_a_note_that_was_forgotten_is_taken_when_it_is_said_again_and_kept() -> None:
    note = a_note()
    with FakeRelay(on_event=forget) as relay, publishing(relay.url) as publisher:
        assert not published(publisher, note).taken(note.id)
        relay.on_event = relay.answer_event
        assert published(publisher, note).taken(note.id)


def test_what_does_not_last_is_never_asked_for() -> None:
    with FakeRelay(on_event=forget) as relay, publishing(relay.url) as publisher:
        assert published(publisher, ONE).taken(ONE.id)
        assert relay.count("REQ") == 0


def test_a_note_of_long_ago_is_believed_so_that_it_is_not_said_for_ever() -> None:
    note = a_note(age_seconds=VERIFY_STORED_SECONDS + 60)
    with FakeRelay(on_event=forget) as relay, publishing(relay.url) as publisher:
        assert published(publisher, note).taken(note.id)
        assert relay.count("REQ") == 0


def test_a_note_that_was_refused_is_not_asked_for() -> None:
    note = a_note()

    def refuse(client: Client, message: Message) -> None:
        client.send("OK", message[1]["id"], False, "blocked: no notes")

    with FakeRelay(on_event=refuse) as relay, publishing(relay.url) as publisher:
        assert statuses(published(publisher, note), note) == [PublishStatus.GIVE_UP]
        assert relay.count("REQ") == 0


def no_reading(client: Client, message: Message) -> None:
    client.send("CLOSED", message[1], "auth-required: who are you?")


def hanging_up(client: Client, message: Message) -> None:
    del message
    client.drop()


def saying_nothing(client: Client, message: Message) -> None:
    del client, message


@pytest.mark.parametrize("on_req", [no_reading, hanging_up, saying_nothing])
def test_a_relay_that_cannot_be_asked_is_believed(
    on_req: Callable[[Client, Message], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arbiter.adapters.relays.publisher._ASK_SECONDS", 0.2)
    note = a_note()
    with FakeRelay(on_event=forget, on_req=on_req) as relay, publishing(relay.url) as publisher:
        assert published(publisher, note).taken(note.id)
        assert relay.count("REQ") == 1


def test_only_the_notes_own_bytes_are_the_note() -> None:
    note = a_note()
    for forgery in ({"content": "1. d4 *"}, {"sig": "00" * 64}, {"pubkey": EVE.pubkey}):
        forged = {**json_of(note), **forgery}
        assert heard(VerifyStored([note]), ["EVENT", SUBSCRIPTION, forged], EOSE) == {note.id}
    assert heard(VerifyStored([note]), ["EVENT", "another", json_of(note)], EOSE) == {note.id}
    assert heard(VerifyStored([note]), ["EVENT", SUBSCRIPTION, json_of(note)], EOSE) == set()


def test_each_note_of_a_batch_is_looked_for() -> None:
    first, second = a_note(1), a_note(2)
    question = VerifyStored([first, second])
    assert json.loads(question.connected())[2] == {"ids": [first.id, second.id]}
    assert heard(question, ["EVENT", SUBSCRIPTION, json_of(second)], EOSE) == {first.id}
    assert question.is_done


def test_a_relay_that_floods_or_babbles_proves_nothing() -> None:
    note = a_note()
    question = VerifyStored([note])
    assert heard(question, *[["NOTICE", "la"]] * 99) == set()
    assert not question.is_done
    assert heard(question, ["EOSE", "another"]) == set()
    assert question.is_done


def test_a_relay_that_lets_nobody_ask_is_believed_at_once() -> None:
    question = VerifyStored([a_note()])

    assert heard(question, ["CLOSED", SUBSCRIPTION, "auth-required: not for you"]) == frozenset()
    assert question.is_done
