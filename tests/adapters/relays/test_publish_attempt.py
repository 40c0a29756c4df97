"""One publication at one relay, without a socket: what is received, and what is sent in turn."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import (
    SUBSCRIPTION,
    Authenticate,
    PublishAttempt,
    RelayState,
    StoredQuestion,
    whether_stored,
)
from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus, event_message
from tests.adapters.relays.stand_ins import a_move, json_of
from tests.builders import EVE, SERVER

URL = "wss://relay.example/"
ONE, TWO = a_move("e2e4", by=SERVER), a_move("e7e5", by=SERVER)
ACCEPTED, RETRY, GIVE_UP, AUTHENTICATE, NO_SUBSCRIBERS, UNANSWERED = (
    PublishStatus.ACCEPTED,
    PublishStatus.RETRY,
    PublishStatus.GIVE_UP,
    PublishStatus.AUTHENTICATE,
    PublishStatus.NO_SUBSCRIBERS,
    PublishStatus.UNANSWERED,
)


class Talk:
    def __init__(
        self,
        authenticate: Authenticate | None = SERVER.sign,
        events: Sequence[VerifiedEvent] = (ONE, TWO),
    ) -> None:
        self.counters = Counters()
        self.relay = RelayState(
            url=URL,
            counters=self.counters,
            authenticate=authenticate,
            unix_seconds=lambda: 1_800_000_000.9,
        )
        self.frames = {event.id: event_message(event) for event in events}
        self.attempt = PublishAttempt(self.relay, {event.id: event for event in events})
        self.first = self.attempt.connected()

    def receives(self, *message: Any) -> Sequence[str]:
        return self.attempt.receive(json.dumps(message).encode())

    def wants_auth(self) -> Sequence[str]:
        return self.receives("OK", ONE.id, False, "auth-required: who?")

    @property
    def statuses(self) -> list[PublishStatus]:
        return list(self.attempt.statuses().values())


@pytest.fixture
def talk() -> Talk:
    return Talk()


def auth_in(texts: Sequence[str]) -> dict[str, Any]:
    ((verb, event),) = (json.loads(text) for text in texts)
    assert verb == "AUTH"
    return dict(event)


def test_all_events_are_sent_at_once_and_what_is_not_settled_again_after_reconnecting(
    talk: Talk,
) -> None:
    assert talk.first == list(talk.frames.values())
    talk.receives("OK", ONE.id, True, "")
    assert talk.attempt.connected() == [talk.frames[TWO.id]]


@pytest.mark.parametrize(
    ("status", "answers"),
    [
        (ACCEPTED, [[True, ""], [True], [True, "duplicate: x"], [False, "duplicate: x"]]),
        (NO_SUBSCRIBERS, [[False, "mute: no one was listening"]]),
        (RETRY, [[False, "rate-limited: slow"], [False, "error: disk"], [False, "no"], [False]]),
        (GIVE_UP, [[False, "blocked: you"], [False, "invalid: old"], [False, "pow: 28 bits"]]),
        (GIVE_UP, [[False, "restricted: members"]]),
    ],
)
def test_an_answer_settles_the_event_it_names(
    status: PublishStatus, answers: list[list[Any]]
) -> None:
    for answer in answers:
        talk = Talk()
        assert talk.receives("OK", TWO.id, *answer) == ()
        assert talk.statuses == [RETRY, status]
        assert talk.counters.counts() == {f"ok:{status.name.lower()}": 1}
        assert not talk.attempt.is_done()
        talk.receives("OK", ONE.id, True, "")
        assert talk.attempt.is_done()


def test_junk_and_answers_to_others_settle_nothing(talk: Talk) -> None:
    for junk in (b"", b"\xff", b'["OK"]', b'["OK","x",true]', b'["OK","' + b"0" * 64):
        assert talk.attempt.receive(junk) == ()
    for message in (
        ("OK", ONE.id, "yes"),
        ("OK", "", True, ""),
        ("NOTICE", "hello"),
        ("EVENT", "x", json_of(ONE)),
        ("OK", "00" * 32, True, ""),
    ):
        assert talk.receives(*message) == ()
    assert not talk.attempt.was_answered
    assert talk.statuses == [RETRY, RETRY]
    assert talk.counters.counts() == {"malformed": 7, "unasked": 2, "foreign-ok": 1}


def test_a_refusal_that_names_no_event_is_taken_for_the_first_one_open(talk: Talk) -> None:
    talk.receives("OK", "", False, "invalid: 9 is in the future")
    assert talk.statuses == [GIVE_UP, RETRY]
    assert talk.attempt.was_refused_namelessly
    assert not talk.attempt.is_done()
    talk.receives("OK", "", False, "error: disk full")
    assert talk.attempt.is_done()
    talk.receives("OK", "", False, "error: one too many")
    talk.receives("OK", ONE.id, True, "")
    assert talk.statuses == [ACCEPTED, RETRY], "an event's own answer counts more"


def test_a_relay_that_asks_who_publishes_is_told_and_gets_the_events_again(talk: Talk) -> None:
    assert talk.receives("AUTH", "old") == (), "no answer before it is needed"
    talk.receives("AUTH", "latest")
    answer = auth_in(talk.wants_auth())
    assert (answer["pubkey"], answer["created_at"]) == (SERVER.pubkey, 1_800_000_000)
    assert ["challenge", "latest"] in answer["tags"]
    assert ["relay", URL] in answer["tags"]
    assert talk.receives("OK", TWO.id, False, "auth-required: who?") == ()
    assert talk.receives("OK", answer["id"], True, "") == list(talk.frames.values())
    for event in (ONE, TWO):
        talk.receives("OK", event.id, True, "")
    assert talk.statuses == [ACCEPTED, ACCEPTED]


def test_a_refused_answer_settles_what_waited_for_it(talk: Talk) -> None:
    talk.receives("AUTH", "one")
    talk.receives("OK", TWO.id, True, "")
    answer = auth_in(talk.wants_auth())
    assert talk.receives("OK", answer["id"], False, "restricted: not you") == ()
    assert talk.statuses == [AUTHENTICATE, ACCEPTED]
    assert talk.counters.counts()["auth-refused"] == 1


def test_without_a_key_auth_required_is_final() -> None:
    talk = Talk(authenticate=None)
    talk.receives("AUTH", "one")
    assert talk.wants_auth() == ()
    assert talk.statuses[0] is AUTHENTICATE


def test_a_new_connection_authenticates_anew(talk: Talk) -> None:
    talk.receives("AUTH", "one")
    auth_in(talk.wants_auth())
    talk.relay.connected()
    assert len(talk.attempt.connected()) == 2
    assert talk.wants_auth() == ()
    assert auth_in(talk.receives("AUTH", "two"))


RATING = SERVER.sign(EventTemplate(30300, (("d", "blitz"),), "", 1_800_000_000))


def passes_over(talk: Talk) -> None:
    """The relay has read what was sent, and its OK is not waited for longer."""
    talk.attempt.was_read()
    talk.attempt.pass_over(talk.attempt.unanswered())


def test_what_is_read_and_not_answered_is_settled_if_it_is_ephemeral() -> None:
    talk = Talk(events=(ONE, RATING, TWO))
    talk.receives("OK", TWO.id, False, "error: disk")
    passes_over(talk)
    assert talk.statuses == [UNANSWERED, RETRY, RETRY]


@pytest.mark.parametrize(
    ("before", "waits"),
    [
        ([], True),
        ([("OK", True, "")], True),
        ([("OK", False, "mute: nobody")], True),
        ([("silence",)], False),
        ([("OK", False, "blocked: you"), ("silence",)], False),
        ([("OK", True, ""), ("reconnects",), ("silence",)], False),
        ([("silence",), ("OK", True, "")], True),
        ([("silence",), ("OK", False, "rate-limited: slow")], True),
        ([("silence",), ("OK", True, ""), ("reconnects",)], True),
        ([("silence",), ("reconnects",)], False),
    ],
)
def test_a_relay_is_waited_for_unless_it_last_left_one_unanswered(
    before: Sequence[tuple[Any, ...]], *, waits: bool
) -> None:
    talk = Talk(events=(ONE, TWO))
    for step in before:
        match step:
            case ("OK", accepted, text):
                talk.receives("OK", ONE.id, accepted, text)
            case ("silence",):
                talk.attempt.pass_over([ONE.id, TWO.id])
            case _:
                talk.relay.connected()
    later = PublishAttempt(talk.relay, {TWO.id: TWO})
    assert (later.was_read() > 0) is waits


def test_an_ok_that_comes_too_late_is_heard_although_its_event_is_forgotten(talk: Talk) -> None:
    passes_over(talk)
    for event in (ONE, TWO):
        talk.attempt.forget(event.id)
    later = PublishAttempt(talk.relay, {})
    later.receive(json.dumps(["OK", ONE.id, True, ""]).encode())
    assert (talk.counters.counts()["late-ok"], talk.relay.sends_oks) == (1, True)


def test_who_is_yet_to_authenticate_is_not_passed_over(talk: Talk) -> None:
    talk.receives("AUTH", "one")
    answer = auth_in(talk.wants_auth())
    passes_over(talk)
    assert talk.statuses == [RETRY, RETRY]
    talk.receives("OK", answer["id"], True, "")
    passes_over(talk)
    assert talk.statuses == [UNANSWERED, UNANSWERED]


@pytest.mark.parametrize(
    "said", [("NOTICE", "blocked"), ("OK", "00" * 32, False, "no"), ("OK", "")], ids=str
)
def test_an_event_that_something_else_may_have_refused_is_not_passed_over(
    talk: Talk, said: tuple[Any, ...]
) -> None:
    talk.receives("OK", ONE.id, False, "error: disk")
    talk.receives(*said)
    passes_over(talk)
    assert talk.statuses == [RETRY, RETRY]


EOSE = ("EOSE", SUBSCRIPTION)


def missing(question: StoredQuestion, *messages: Any) -> set[str]:
    for message in messages:
        question.receive(json.dumps(message).encode())
    return {event.id for event in question.missing()}


def test_only_an_events_own_bytes_show_that_it_is_stored() -> None:
    for forgery in ({"content": "x"}, {"sig": "00" * 64}, {"pubkey": EVE.pubkey}):
        forged = ["EVENT", SUBSCRIPTION, {**json_of(ONE), **forgery}]
        assert missing(whether_stored([ONE]), forged, EOSE) == {ONE.id}
    assert missing(whether_stored([ONE]), ["EVENT", "another", json_of(ONE)], EOSE) == {ONE.id}
    question = whether_stored([ONE, TWO])
    assert json.loads(question.text) == ["REQ", SUBSCRIPTION, {"ids": [ONE.id, TWO.id]}]
    assert missing(question, ["EVENT", SUBSCRIPTION, json_of(TWO)], EOSE) == {ONE.id}
    assert question.is_done


def test_a_relay_that_does_not_answer_the_question_proves_nothing() -> None:
    question = whether_stored([ONE])
    dones = []
    for messages in ([["NOTICE", "la"]] * 99, [["EOSE", "another"]]):
        assert missing(question, *messages) == set()
        dones.append(question.is_done)
    assert dones == [False, True]

    refused = whether_stored([ONE])
    assert missing(refused, ["CLOSED", SUBSCRIPTION, "auth-required: not for you"]) == set()
    assert refused.is_done
