"""Frames become messages, messages become frames, and an OK says what to do next."""

import json

import pytest

from arbiter.nostr import relay_messages as relay
from arbiter.nostr.event import EventTemplate, ParseError, event_to_json
from arbiter.nostr.filters import Filter
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS, MAX_FRAME_BYTES
from tests.nostr.hostile.case import PLAYER

ID = "0" * 63 + "1"
MOVE = PLAYER.sign(EventTemplate(20303, (("d", "game"),), "e2e4", 1000))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ('["EOSE","s"]', relay.EoseMessage("s")),
        ('["EOSE","s","later NIPs add items"]', relay.EoseMessage("s")),
        (f'["EOSE","{"s" * 64}"]', relay.EoseMessage("s" * 64)),
        ('["CLOSED","s","error: going down"]', relay.ClosedMessage("s", "error: going down")),
        ('["CLOSED","s"]', relay.ClosedMessage("s", "")),
        ('["NOTICE","slow down"]', relay.NoticeMessage("slow down")),
        ('["NOTICE",""]', relay.NoticeMessage("")),
        ('["AUTH","challenge"]', relay.RelayAuth("challenge")),
        (f'["AUTH","{"x" * MAX_CHALLENGE_CHARS}"]', relay.RelayAuth("x" * MAX_CHALLENGE_CHARS)),
        (f'["OK","{ID}",true,""]', relay.OkMessage(ID, True, "")),
        (
            f'["OK","{ID}",false,"mute: no subscriber"]',
            relay.OkMessage(ID, False, "mute: no subscriber"),
        ),
        (f'["OK","{ID}",true]', relay.OkMessage(ID, True, "")),
        (f'["OK","{ID}",true,null]', relay.OkMessage(ID, True, "")),
        (f' [ "OK" , "{ID}" , true , "" ] \n', relay.OkMessage(ID, True, "")),
        (r'["NOTICE","\u00fcber \ud83d\ude00"]', relay.NoticeMessage("über \U0001f600")),
    ],
)
def test_a_frame_is_read(frame: str, message: relay.RelayMessage) -> None:
    assert relay.parse_relay_message(frame) == message
    assert relay.parse_relay_message(frame.encode()) == message


def test_a_frame_of_exactly_the_greatest_size_is_read() -> None:
    room = MAX_FRAME_BYTES - len('["NOTICE",""]')

    assert isinstance(relay.parse_relay_message(f'["NOTICE","{"x" * room}"]'), relay.NoticeMessage)
    assert isinstance(relay.parse_relay_message(f'["NOTICE","{"x" * (room + 1)}"]'), ParseError)


def test_what_we_send_is_compact_and_in_the_shape_of_nip_01() -> None:
    body = json.dumps(event_to_json(MOVE), separators=(",", ":"))

    assert relay.event_message(MOVE) == f'["EVENT",{body}]'
    assert relay.auth_message(MOVE) == f'["AUTH",{body}]'
    assert relay.req_message("s") == '["REQ","s"]'
    assert (
        relay.req_message("s", Filter(kinds=(1,), since=5), Filter(tags={"p": ("x",)}))
        == '["REQ","s",{"kinds":[1],"since":5},{"#p":["x"]}]'
    )


_FATES = {
    relay.PublishStatus.ACCEPTED: ("duplicate",),
    relay.PublishStatus.NO_SUBSCRIBERS: ("mute",),
    relay.PublishStatus.RETRY: ("rate-limited", "error"),
    relay.PublishStatus.AUTHENTICATE: ("auth-required",),
    relay.PublishStatus.GIVE_UP: ("blocked", "restricted", "invalid", "pow"),
}


@pytest.mark.parametrize(
    ("prefix", "status"), [(it, status) for status, prefixes in _FATES.items() for it in prefixes]
)
def test_the_word_before_the_colon_decides(prefix: str, status: relay.PublishStatus) -> None:
    for text in (f"{prefix}: words of its own", f"{prefix}:"):
        assert relay.ok_prefix(text) == relay.OkPrefix(prefix)
        assert relay.publish_status(relay.OkMessage(ID, False, text)) == status
        assert relay.publish_status(relay.OkMessage(ID, True, text)) == relay.PublishStatus.ACCEPTED


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "blocked", "Blocked: by shouting", " blocked: by a space"),
        *("shrug: a word of its own", "so sorry: blocked: later"),
    ],
)
def test_words_of_another_shape_are_tried_again(text: str) -> None:
    assert relay.ok_prefix(text) == relay.OkPrefix.UNKNOWN
    assert relay.publish_status(relay.OkMessage(ID, False, text)) == relay.PublishStatus.RETRY
    assert relay.publish_status(relay.OkMessage(ID, True, text)) == relay.PublishStatus.ACCEPTED
