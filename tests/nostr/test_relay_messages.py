"""Frames become messages, messages become frames, and an OK says what to do next."""

import json

import pytest
from hypothesis import given

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_to_json,
    parse_event,
    verify,
)
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS, MAX_FRAME_BYTES
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    NoticeMessage,
    OkMessage,
    OkPrefix,
    PublishStatus,
    RelayAuth,
    RelayEvent,
    RelayMessage,
    auth_message,
    close_message,
    event_message,
    ok_prefix,
    parse_relay_message,
    publish_status,
    req_message,
)
from tests.nostr.hostile.case import PLAYER
from tests.nostr.strategies import signed_events

ID = "0" * 63 + "1"
MOVE = PLAYER.sign(EventTemplate(20303, (("d", "game"),), "e2e4", 1000))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ('["EOSE","s"]', EoseMessage("s")),
        ('["EOSE","s","later NIPs add items"]', EoseMessage("s")),
        (f'["EOSE","{"s" * 64}"]', EoseMessage("s" * 64)),
        ('["CLOSED","s","error: going down"]', ClosedMessage("s", "error: going down")),
        ('["CLOSED","s"]', ClosedMessage("s", "")),
        ('["NOTICE","slow down"]', NoticeMessage("slow down")),
        ('["NOTICE",""]', NoticeMessage("")),
        ('["AUTH","challenge"]', RelayAuth("challenge")),
        (f'["AUTH","{"x" * MAX_CHALLENGE_CHARS}"]', RelayAuth("x" * MAX_CHALLENGE_CHARS)),
        (f'["OK","{ID}",true,""]', OkMessage(ID, True, "")),
        (f'["OK","{ID}",false,"mute: nobody"]', OkMessage(ID, False, "mute: nobody")),
        (f'["OK","{ID}",true]', OkMessage(ID, True, "")),
        (f'["OK","{ID}",true,null]', OkMessage(ID, True, "")),
        (f' [ "OK" , "{ID}" , true , "" ] \n', OkMessage(ID, True, "")),
        (r'["NOTICE","\u00fcber \ud83d\ude00"]', NoticeMessage("über \U0001f600")),
    ],
)
def test_a_frame_is_read(frame: str, message: RelayMessage) -> None:
    assert parse_relay_message(frame) == message
    assert parse_relay_message(frame.encode()) == message


@given(signed_events)
def test_an_event_comes_out_of_its_frame_unverified_and_whole(event: VerifiedEvent) -> None:
    message = parse_relay_message(json.dumps(["EVENT", "s", event_to_json(event)]))
    assert isinstance(message, RelayEvent)

    assert isinstance(message.event, NostrEvent)
    assert message.subscription_id == "s"
    assert verify(message.event) == event


def test_a_bad_event_in_a_frame_keeps_its_own_flaw() -> None:
    body = {**event_to_json(MOVE), "kind": "20303"}

    answer = parse_relay_message(json.dumps(["EVENT", "s", body]))

    assert isinstance(answer, ParseError)
    assert answer.code == ParseErrorCode.BAD_KIND


def test_a_frame_of_exactly_the_greatest_size_is_read() -> None:
    room = MAX_FRAME_BYTES - len('["NOTICE",""]')

    assert isinstance(parse_relay_message(f'["NOTICE","{"x" * room}"]'), NoticeMessage)
    assert isinstance(parse_relay_message(f'["NOTICE","{"x" * (room + 1)}"]'), ParseError)


def test_what_we_send_is_compact_and_in_the_shape_of_nip_01() -> None:
    body = json.dumps(event_to_json(MOVE), separators=(",", ":"))

    assert event_message(MOVE) == f'["EVENT",{body}]'
    assert auth_message(MOVE) == f'["AUTH",{body}]'
    assert close_message("s") == '["CLOSE","s"]'
    assert req_message("s") == '["REQ","s"]'
    assert (
        req_message("s", Filter(kinds=(1,), since=5), Filter(tags={"p": ("x",)}))
        == '["REQ","s",{"kinds":[1],"since":5},{"#p":["x"]}]'
    )


@given(signed_events)
def test_a_published_event_reads_back_the_same(event: VerifiedEvent) -> None:
    verb, body = json.loads(event_message(event))
    read = parse_event(json.dumps(body))
    assert isinstance(read, NostrEvent)

    assert verb == "EVENT"
    assert verify(read) == event


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("duplicate: have it", OkPrefix.DUPLICATE),
        ("pow: difficulty 26 is less than 30", OkPrefix.POW),
        ("blocked: you are banned", OkPrefix.BLOCKED),
        ("rate-limited: slow down", OkPrefix.RATE_LIMITED),
        ("invalid: too old", OkPrefix.INVALID),
        ("restricted: members only", OkPrefix.RESTRICTED),
        ("mute: no one was listening for this", OkPrefix.MUTE),
        ("error: no database", OkPrefix.ERROR),
        ("auth-required: who are you", OkPrefix.AUTH_REQUIRED),
        ("blocked:", OkPrefix.BLOCKED),
        ("", OkPrefix.UNKNOWN),
        (":", OkPrefix.UNKNOWN),
        ("blocked", OkPrefix.UNKNOWN),
        ("Blocked: by shouting", OkPrefix.UNKNOWN),
        (" blocked: by a space", OkPrefix.UNKNOWN),
        ("shrug: a word of its own", OkPrefix.UNKNOWN),
        ("so sorry: blocked: later", OkPrefix.UNKNOWN),
    ],
)
def test_the_word_before_the_colon_is_the_prefix(text: str, prefix: OkPrefix) -> None:
    assert ok_prefix(text) == prefix


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("duplicate: have it", PublishStatus.ACCEPTED),
        ("mute: no one was listening for this", PublishStatus.NO_SUBSCRIBERS),
        ("rate-limited: slow down", PublishStatus.RETRY),
        ("error: no database", PublishStatus.RETRY),
        ("", PublishStatus.RETRY),
        ("no idea what this relay says", PublishStatus.RETRY),
        ("auth-required: who are you", PublishStatus.AUTHENTICATE),
        ("blocked: you are banned", PublishStatus.GIVE_UP),
        ("restricted: members only", PublishStatus.GIVE_UP),
        ("invalid: too old", PublishStatus.GIVE_UP),
        ("pow: difficulty 26 is less than 30", PublishStatus.GIVE_UP),
    ],
)
def test_a_refused_event_meets_the_fate_of_its_prefix(text: str, status: PublishStatus) -> None:
    assert publish_status(OkMessage(ID, False, text)) == status


@pytest.mark.parametrize("prefix", OkPrefix)
def test_an_accepted_event_is_taken_whatever_the_words(prefix: OkPrefix) -> None:
    assert publish_status(OkMessage(ID, True, f"{prefix}: words")) == PublishStatus.ACCEPTED
