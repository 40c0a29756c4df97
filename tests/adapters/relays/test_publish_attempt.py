import json
from collections.abc import Sequence
from typing import Any

import pytest

from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.adapters.relays.publish_attempt import Authenticate, Challenge, PublishAttempt
from arbiter.nostr.relay_messages import PublishStatus, event_message
from tests.adapters.relays.watching import a_move
from tests.builders import SERVER

URL = "wss://relay.example/"
ONE, TWO = a_move("e2e4", by=SERVER), a_move("e7e5", by=SERVER)


class Talk:
    def __init__(self, authenticate: Authenticate | None = SERVER.sign) -> None:
        self.tally = MemoryCounters()
        self.challenge = Challenge()
        self.frames = {event.id: event_message(event) for event in (ONE, TWO)}
        self.offering = PublishAttempt(
            URL, self.frames, self.challenge, self.tally, authenticate, lambda: 1_800_000_000.9
        )
        self.first = self.offering.connected()

    def hears(self, *message: Any) -> Sequence[str]:
        return self.offering.receive(json.dumps(message).encode())

    def statuses(self) -> list[PublishStatus]:
        return list(self.offering.statuses().values())


def auth_in(texts: Sequence[str]) -> dict[str, Any]:
    ((verb, event),) = (json.loads(text) for text in texts)
    assert verb == "AUTH"
    return dict(event)


def test_all_events_are_offered_at_once_and_in_order() -> None:
    talk = Talk()
    assert talk.first == list(talk.frames.values())


def test_an_event_without_an_answer_is_to_be_tried_again() -> None:
    talk = Talk()
    talk.hears("OK", TWO.id, True, "")
    assert talk.statuses() == [PublishStatus.RETRY, PublishStatus.ACCEPTED]
    assert not talk.offering.is_done()


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ([True, ""], PublishStatus.ACCEPTED),
        ([True], PublishStatus.ACCEPTED),
        ([True, "duplicate: have it"], PublishStatus.ACCEPTED),
        ([False, "duplicate: have it"], PublishStatus.ACCEPTED),
        ([False, "mute: no one was listening"], PublishStatus.NO_SUBSCRIBERS),
        ([False, "rate-limited: slow down"], PublishStatus.RETRY),
        ([False, "error: disk full"], PublishStatus.RETRY),
        ([False, "no idea"], PublishStatus.RETRY),
        ([False], PublishStatus.RETRY),
        ([False, "blocked: not you"], PublishStatus.GIVE_UP),
        ([False, "invalid: ephemeral event expired"], PublishStatus.GIVE_UP),
        ([False, "pow: 28 bits"], PublishStatus.GIVE_UP),
        ([False, "restricted: members"], PublishStatus.GIVE_UP),
    ],
)
def test_an_answer_settles_the_event_it_names(rest: list[Any], status: PublishStatus) -> None:
    talk = Talk()
    assert talk.hears("OK", ONE.id, *rest) == ()
    assert talk.statuses()[0] is status
    talk.hears("OK", TWO.id, True, "")
    assert talk.offering.is_done()


def test_an_answer_about_a_foreign_event_settles_nothing() -> None:
    talk = Talk()
    talk.hears("OK", "00" * 32, True, "")
    assert not talk.offering.was_answered
    assert talk.statuses() == [PublishStatus.RETRY] * 2
    assert talk.tally.counts() == {"foreign-ok": 1}


def test_junk_settles_nothing() -> None:
    talk = Talk()
    for junk in (b"", b"\xff", b'["OK"]', b'["OK","x",true]', b'["OK","' + b"0" * 64):
        assert talk.offering.receive(junk) == ()
    assert talk.hears("OK", ONE.id, "yes") == ()
    assert talk.hears("NOTICE", "hello") == ()
    assert talk.statuses() == [PublishStatus.RETRY] * 2
    assert talk.tally.counts() == {"malformed": 6, "unasked": 1}


def test_a_refusal_that_names_no_event_is_taken_for_the_first_one_open() -> None:
    talk = Talk()
    talk.hears("OK", "", False, "invalid: 9 is in the future")
    assert talk.statuses() == [PublishStatus.GIVE_UP, PublishStatus.RETRY]
    assert talk.offering.was_refused_namelessly
    talk.hears("OK", "", False, "error: disk full")
    assert talk.statuses() == [PublishStatus.GIVE_UP, PublishStatus.RETRY]
    assert talk.offering.is_done()
    talk.hears("OK", "", False, "error: one too many")


def test_an_events_own_answer_overrules_a_nameless_refusal() -> None:
    talk = Talk()
    talk.hears("OK", "", False, "invalid: something")
    talk.hears("OK", ONE.id, True, "")
    assert talk.statuses() == [PublishStatus.ACCEPTED, PublishStatus.RETRY]


def test_a_nameless_yes_says_nothing() -> None:
    talk = Talk()
    talk.hears("OK", "", True, "")
    assert talk.statuses() == [PublishStatus.RETRY] * 2
    assert not talk.offering.was_answered


def test_on_a_new_connection_the_same_bytes_go_out_for_what_is_not_settled() -> None:
    talk = Talk()
    talk.hears("OK", ONE.id, True, "")
    assert talk.offering.connected() == [talk.frames[TWO.id]]


def test_a_relay_that_asks_who_we_are_is_told_and_gets_the_events_again() -> None:
    talk = Talk()
    talk.hears("AUTH", "old")
    talk.hears("AUTH", "latest")
    answer = auth_in(talk.hears("OK", ONE.id, False, "auth-required: who?"))
    assert answer["pubkey"] == SERVER.pubkey
    assert ["challenge", "latest"] in answer["tags"]
    assert ["relay", URL] in answer["tags"]
    assert talk.hears("OK", TWO.id, False, "auth-required: who?") == ()
    assert talk.hears("OK", answer["id"], True, "") == list(talk.frames.values())
    talk.hears("OK", ONE.id, True, "")
    talk.hears("OK", TWO.id, True, "")
    assert talk.statuses() == [PublishStatus.ACCEPTED] * 2


def test_a_challenge_that_comes_after_the_refusal_is_answered_too() -> None:
    talk = Talk()
    assert talk.hears("OK", ONE.id, False, "auth-required: who?") == ()
    assert auth_in(talk.hears("AUTH", "now"))


def test_nobody_is_told_who_we_are_without_need() -> None:
    assert Talk().hears("AUTH", "prove it") == ()


def test_a_relay_is_told_who_we_are_once() -> None:
    talk = Talk()
    talk.hears("AUTH", "one")
    answer = auth_in(talk.hears("OK", ONE.id, False, "auth-required: who?"))
    assert talk.hears("AUTH", "two") == ()
    talk.hears("OK", answer["id"], True, "")
    assert talk.hears("OK", ONE.id, False, "auth-required: who?") == ()
    assert talk.statuses()[0] is PublishStatus.AUTHENTICATE


def test_a_refused_answer_settles_what_waited_for_it() -> None:
    talk = Talk()
    talk.hears("AUTH", "one")
    talk.hears("OK", TWO.id, True, "")
    answer = auth_in(talk.hears("OK", ONE.id, False, "auth-required: who?"))
    assert talk.hears("OK", answer["id"], False, "restricted: not you") == ()
    assert talk.statuses() == [PublishStatus.AUTHENTICATE, PublishStatus.ACCEPTED]
    assert talk.offering.is_done()


def test_without_a_hand_to_sign_with_an_auth_required_is_final() -> None:
    talk = Talk(authenticate=None)
    talk.hears("AUTH", "one")
    assert talk.hears("OK", ONE.id, False, "auth-required: who?") == ()
    assert talk.statuses()[0] is PublishStatus.AUTHENTICATE


def test_a_new_connection_forgets_what_was_said_about_identity() -> None:
    talk = Talk()
    talk.hears("AUTH", "one")
    auth_in(talk.hears("OK", ONE.id, False, "auth-required: who?"))
    talk.challenge.text = None
    assert len(talk.offering.connected()) == 2
    assert talk.hears("OK", ONE.id, False, "auth-required: who?") == ()
    assert auth_in(talk.hears("AUTH", "two"))
