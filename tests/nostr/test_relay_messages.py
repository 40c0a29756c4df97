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
        *((f'["EOSE","s"{it}]', relay.EoseMessage("s")) for it in ("", ',"later NIPs add items"')),
        (f'["EOSE","{"s" * 64}"]', relay.EoseMessage("s" * 64)),
        ('["CLOSED","s","error: going down"]', relay.ClosedMessage("s", "error: going down")),
        ('["CLOSED","s"]', relay.ClosedMessage("s", "")),
        *((f'["NOTICE","{it}"]', relay.NoticeMessage(it)) for it in ("slow down", "")),
        (r'["NOTICE","\u00fcber \ud83d\ude00"]', relay.NoticeMessage("über \U0001f600")),
        *((f'["AUTH","{it}"]', relay.RelayAuth(it)) for it in ("x", "x" * MAX_CHALLENGE_CHARS)),
        *(
            (f'["OK","{ID}",true{it}]', relay.OkMessage(ID, True, ""))
            for it in ("", ',""', ",null")
        ),
        (f'["OK","{ID}",false,"mute: none"]', relay.OkMessage(ID, False, "mute: none")),
        (f' [ "OK" , "{ID}" , true , "" ] \n', relay.OkMessage(ID, True, "")),
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


FATES = {
    relay.PublishStatus.ACCEPTED: "duplicate",
    relay.PublishStatus.NO_SUBSCRIBERS: "mute",
    relay.PublishStatus.RETRY: "rate-limited error",
    relay.PublishStatus.AUTHENTICATE: "auth-required",
    relay.PublishStatus.GIVE_UP: "blocked restricted invalid pow",
}
OF_ANOTHER_SHAPE = (
    *("", ":", "blocked", "Blocked: by shouting", " blocked: by a space"),
    *("shrug: a word of its own", "so sorry: blocked: later"),
)


@pytest.mark.parametrize(
    ("text", "prefix", "status"),
    [
        *(
            (f"{word}:{rest}", word, status)
            for status, words in FATES.items()
            for word in words.split()
            for rest in (" words of its own", "")
        ),
        *((it, relay.OkPrefix.UNKNOWN, relay.PublishStatus.RETRY) for it in OF_ANOTHER_SHAPE),
    ],
)
def test_the_word_before_the_colon_decides(
    text: str, prefix: str, status: relay.PublishStatus
) -> None:
    assert relay.ok_prefix(text) == relay.OkPrefix(prefix)
    assert relay.publish_status(relay.OkMessage(ID, False, text)) == status
    assert relay.publish_status(relay.OkMessage(ID, True, text)) == relay.PublishStatus.ACCEPTED
