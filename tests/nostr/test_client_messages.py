"""Clients' messages become a value, whatever they are, and the answers are those of NIP-01."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr import relay_messages as relay
from arbiter.nostr.client_messages import (
    AuthMessage,
    CloseMessage,
    EventMessage,
    InvalidMessage,
    ReqMessage,
    challenge_text,
    closed_text,
    delivery_text,
    eose_text,
    event_text,
    notice_text,
    ok_text,
    parse_client_message,
)
from arbiter.nostr.event import NostrEvent, ParseError, ParseErrorCode, VerifiedEvent
from arbiter.nostr.filters import Filter, filter_to_json
from arbiter.nostr.limits import MAX_OTHER_BYTES
from arbiter.nostr.strict_json import read_json
from tests.nostr.hostile.case import a_move, text_of
from tests.nostr.strategies import filters_of_a_small_world, signed_events, texts

ID = "ab" * 32


def unsigned(event: VerifiedEvent) -> NostrEvent:
    return NostrEvent(*(getattr(event, name) for name in NostrEvent.__slots__))


@given(signed_events)
def test_what_our_own_client_publishes_is_understood(event: VerifiedEvent) -> None:
    assert parse_client_message(relay.event_message(event)) == EventMessage(unsigned(event))
    assert parse_client_message(relay.auth_message(event)) == AuthMessage(unsigned(event))


@given(st.lists(filters_of_a_small_world, min_size=1, max_size=3))
def test_what_our_own_client_asks_for_is_understood(filters: list[Filter]) -> None:
    said = parse_client_message(relay.req_message("s", *filters))

    assert isinstance(said, ReqMessage)
    assert [filter_to_json(one) for one in said.filters] == [filter_to_json(f) for f in filters]
    assert parse_client_message('["CLOSE","s"]') == CloseMessage("s")


@given(signed_events, texts.filter(bool))
def test_what_is_answered_is_what_a_client_reads(event: VerifiedEvent, text: str) -> None:
    read = relay.parse_relay_message

    assert read(delivery_text("s", event_text(event))) == relay.RelayEvent("s", unsigned(event))
    assert read(delivery_text(text, event_text(event))) == relay.RelayEvent(text, unsigned(event))
    assert read(ok_text(ID, False, text)) == relay.OkMessage(ID, accepted=False, text=text)
    assert read(ok_text(ID, True)) == relay.OkMessage(ID, accepted=True, text="")
    assert read(eose_text(text)) == relay.EoseMessage(text)
    assert read(closed_text("s", text)) == relay.ClosedMessage("s", text)
    assert read(notice_text(text)) == relay.NoticeMessage(text)
    assert read(challenge_text(text)) == relay.RelayAuth(text)


NAMED = f'{{"id":"{ID}"}}'


@pytest.mark.parametrize(
    ("flaw", "frames"),
    [
        ("not_json", ("", "[" * 8_000, '["CLOSE","\\ud800"]')),
        ("not_an_array", ("{}",)),
        ("unknown_message", ("[]", '["COUNT","s",{}]', '["req","s",{}]', '["OK","s",true,""]')),
        ("bad_message", ('["EVENT"]', '["EVENT",{},{}]', '["REQ"]', '["REQ","",{}]')),
        ("bad_message", ('["REQ",7,{}]', f'["REQ","{"s" * 65}",{{}}]')),
        ("bad_message", ('["CLOSE"]', '["CLOSE","s","t"]')),
        ("not_an_object", ('["EVENT","s"]', '["AUTH",null]')),
        ("missing_field", ('["EVENT",{"id":""}]', '["EVENT",{"id":7}]')),
        ("missing_field", (f'["EVENT",{{"id":"{ID}0"}}]',)),
        ("too_large", ("[" * 200_000,)),
        # What has a name is refused by it.
        ("bad_message of REQ s", ('["REQ","s"]',)),
        ("bad_filter of REQ s", ('["REQ","s",7]', '["REQ","s",{},{"search":"x"}]')),
        (f"missing_field of EVENT {ID}", (f'["EVENT",{NAMED}]',)),
        (f"missing_field of AUTH {ID}", (f'["AUTH",{NAMED}]',)),
        ("missing_field of EVENT AB", ('["EVENT",{"id":"AB"}]',)),
        (f"missing_field of EVENT {ID.upper()}", (f'["EVENT",{{"id":"{ID.upper()}"}}]',)),
        (f"bad_message of EVENT {ID}", (f'["EVENT",{NAMED},7]', f'["EVENT","s",{NAMED}]')),
        (f"bad_message of EVENT {ID}", (f'["EVENT",{{}},{NAMED}]',)),
        (
            "too_many_filters of REQ s",
            ('["REQ","s"' + 11 * ",{}" + "]", '["REQ","s"' + 11 * ",7" + "]"),
        ),
        # What is not parsed has one, too, where it is plain to see.
        (f"not_json of EVENT {ID}", (f'["EVENT",{{"created_at":1e999,"id":"{ID}"}}]',)),
        (f"not_json of AUTH {ID}", (f' [ "AUTH" , {{"id" : "{ID}",',)),
        (f"too_large of EVENT {ID}", (f'["EVENT",{{"content":"{"x" * 140_000}","id":"{ID}"}}]',)),
        ("too_large of REQ s", ('["REQ","s"' + 3_000 * ",{}" + "]",)),
        ("too_large of REQ s", ('["REQ","s","' + "x" * 9_000,)),
        ("not_json of CLOSE s", ('["CLOSE","s"', '["CLOSE","s",')),
        ("too_large", ('["REQ","\\u0073"' + 3_000 * ",{}" + "]", "[" + 9_000 * " " + '"EVENT"]')),
        ("not_json", ('["EVENT",{"content":"\\"id\\":\\"' + ID + '\\""',)),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)
def test_what_cannot_be_answered_is_refused(flaw: str, frames: tuple[str, ...]) -> None:
    for frame in frames:
        said = parse_client_message(frame)
        assert parse_client_message(frame.encode()) == said, frame[:80]
        if isinstance(said, InvalidMessage):
            assert f"{said.why.code} of {said.verb} {said.name}" == flaw, frame
        else:
            assert isinstance(said, ParseError)
            assert said.code == flaw, frame[:80]


def test_a_frame_is_measured_before_it_is_read() -> None:
    frame = f'["EVENT",{text_of(a_move())}]'

    assert isinstance(parse_client_message(frame, len(frame)), EventMessage)
    short = parse_client_message(frame, len(frame) - 1)
    assert isinstance(short, InvalidMessage)
    assert short.why.code == ParseErrorCode.TOO_LARGE


@pytest.mark.parametrize("verb", ["REQ", "CLOSE", "COUNT", "EVENTS"])
def test_a_frame_without_an_event_is_parsed_only_if_it_is_short(
    verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[int] = []

    def noted(frame: str, most: int) -> object:
        parsed.append(most)
        return read_json(frame, most)

    monkeypatch.setattr("arbiter.nostr.client_messages.read_json", noted)
    for text in (f'["{verb}","s",{{}}]', '["EVENT",{}]'):
        parse_client_message(text, 32_768)
    assert parsed == [MAX_OTHER_BYTES, 32_768]


def test_filters_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    monkeypatch.setattr("arbiter.nostr.client_messages.filter_from_json", read.append)
    parse_client_message('["REQ","s"' + 2_000 * ",{}" + "]", 32_768, 10)
    assert read == []
