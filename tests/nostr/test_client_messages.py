"""What clients say becomes a value, whatever it is, and what they are told is what NIP-01 says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.nostr.client_messages import (
    AuthMessage,
    CloseMessage,
    EventMessage,
    InvalidMessage,
    ReqMessage,
    Verb,
    challenge_text,
    closed_text,
    delivery_text,
    eose_text,
    event_text,
    notice_text,
    ok_text,
    parse_client_message,
)
from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_to_json,
    verify,
)
from arbiter.nostr.filters import Filter, filter_to_json
from arbiter.nostr.relay_messages import (
    ClosedMessage,
    EoseMessage,
    NoticeMessage,
    OkMessage,
    RelayAuth,
    RelayEvent,
    auth_message,
    close_message,
    event_message,
    parse_relay_message,
    req_message,
)
from tests.nostr.hostile.case import a_move, text_of
from tests.nostr.strategies import filters_of_a_small_world, signed_events, texts

ID = "ab" * 32


def unsigned(event: VerifiedEvent) -> NostrEvent:
    return NostrEvent(*(getattr(event, name) for name in NostrEvent.__slots__))


@given(signed_events)
def test_what_our_own_client_publishes_is_understood(event: VerifiedEvent) -> None:
    assert parse_client_message(event_message(event)) == EventMessage(unsigned(event))
    assert parse_client_message(auth_message(event)) == AuthMessage(unsigned(event))


@given(st.lists(filters_of_a_small_world, min_size=1, max_size=3))
def test_what_our_own_client_asks_for_is_understood(filters: list[Filter]) -> None:
    said = parse_client_message(req_message("s", *filters))

    assert isinstance(said, ReqMessage)
    assert [filter_to_json(one) for one in said.filters] == [filter_to_json(f) for f in filters]
    assert parse_client_message(close_message("s")) == CloseMessage("s")


@given(signed_events, texts.filter(bool))
def test_what_is_answered_is_what_a_client_reads(event: VerifiedEvent, text: str) -> None:
    read = parse_relay_message

    assert read(delivery_text("s", event_text(event))) == RelayEvent("s", unsigned(event))
    assert read(delivery_text(text, event_text(event))) == RelayEvent(text, unsigned(event))
    assert read(ok_text(ID, False, text)) == OkMessage(ID, accepted=False, text=text)
    assert read(ok_text(ID, True)) == OkMessage(ID, accepted=True, text="")
    assert read(eose_text(text)) == EoseMessage(text)
    assert read(closed_text("s", text)) == ClosedMessage("s", text)
    assert read(notice_text(text)) == NoticeMessage(text)
    assert read(challenge_text(text)) == RelayAuth(text)


@pytest.mark.parametrize(
    ("frame", "flaw"),
    [
        ("", ParseErrorCode.NOT_JSON),
        ("{}", ParseErrorCode.NOT_AN_ARRAY),
        ("[]", ParseErrorCode.UNKNOWN_MESSAGE),
        ('["COUNT","s",{}]', ParseErrorCode.UNKNOWN_MESSAGE),
        ('["req","s",{}]', ParseErrorCode.UNKNOWN_MESSAGE),
        ('["OK","s",true,""]', ParseErrorCode.UNKNOWN_MESSAGE),
        ('["EVENT"]', ParseErrorCode.BAD_MESSAGE),
        ('["EVENT",{},{}]', ParseErrorCode.BAD_MESSAGE),
        ('["EVENT","s"]', ParseErrorCode.NOT_AN_OBJECT),
        ('["EVENT",{"id":""}]', ParseErrorCode.MISSING_FIELD),
        ('["EVENT",{"id":7}]', ParseErrorCode.MISSING_FIELD),
        (f'["EVENT",{{"id":"{ID}0"}}]', ParseErrorCode.MISSING_FIELD),
        ('["AUTH",null]', ParseErrorCode.NOT_AN_OBJECT),
        ('["REQ"]', ParseErrorCode.BAD_MESSAGE),
        ('["REQ","",{}]', ParseErrorCode.BAD_MESSAGE),
        ('["REQ",7,{}]', ParseErrorCode.BAD_MESSAGE),
        (f'["REQ","{"s" * 65}",{{}}]', ParseErrorCode.BAD_MESSAGE),
        ('["CLOSE"]', ParseErrorCode.BAD_MESSAGE),
        ('["CLOSE","s","t"]', ParseErrorCode.BAD_MESSAGE),
        ('["CLOSE","\\ud800"]', ParseErrorCode.LONE_SURROGATE),
        ("[" * 200_000, ParseErrorCode.TOO_LARGE),
        ("[" * 20_000, ParseErrorCode.TOO_DEEP),
    ],
)
def test_what_cannot_be_answered_by_name_is_malformed(frame: str, flaw: ParseErrorCode) -> None:
    said = parse_client_message(frame)

    assert isinstance(said, ParseError)
    assert said.code == flaw


@pytest.mark.parametrize(
    ("frame", "verb", "name", "flaw"),
    [
        ('["REQ","s"]', Verb.REQ, "s", ParseErrorCode.BAD_MESSAGE),
        ('["REQ","s",7]', Verb.REQ, "s", ParseErrorCode.BAD_FILTER),
        ('["REQ","s",{},{"search":"x"}]', Verb.REQ, "s", ParseErrorCode.BAD_FILTER),
        (f'["EVENT",{{"id":"{ID}"}}]', Verb.EVENT, ID, ParseErrorCode.MISSING_FIELD),
        (f'["AUTH",{{"id":"{ID}"}}]', Verb.AUTH, ID, ParseErrorCode.MISSING_FIELD),
        ('["EVENT",{"id":"AB"}]', Verb.EVENT, "AB", ParseErrorCode.MISSING_FIELD),
        (
            f'["EVENT",{{"id":"{ID.upper()}"}}]',
            Verb.EVENT,
            ID.upper(),
            ParseErrorCode.MISSING_FIELD,
        ),
        (f'["EVENT",{{"id":"{ID}"}},7]', Verb.EVENT, ID, ParseErrorCode.BAD_MESSAGE),
        (f'["EVENT","s",{{"id":"{ID}"}}]', Verb.EVENT, ID, ParseErrorCode.BAD_MESSAGE),
        (f'["EVENT",{{}},{{"id":"{ID}"}}]', Verb.EVENT, ID, ParseErrorCode.BAD_MESSAGE),
    ],
)
def test_what_has_a_name_is_refused_by_it(
    frame: str, verb: Verb, name: str, flaw: ParseErrorCode
) -> None:
    said = parse_client_message(frame)

    assert isinstance(said, InvalidMessage)
    assert (said.verb, said.name, said.why.code) == (verb, name, flaw)


def flaw_of(frame: bytes) -> ParseErrorCode | None:
    """Why this frame comes to nothing, its event's signature included."""
    match parse_client_message(frame):
        case InvalidMessage(_, _, ParseError(flaw)) | ParseError(flaw):
            return flaw
        case EventMessage(event):
            verified = verify(event)
            return verified.code if isinstance(verified, ParseError) else None
        case _:
            return None


def test_a_frame_is_measured_before_it_is_read() -> None:
    frame = f'["EVENT",{text_of(a_move())}]'

    assert isinstance(parse_client_message(frame, len(frame)), EventMessage)
    short = parse_client_message(frame, len(frame) - 1)
    assert isinstance(short, ParseError)
    assert short.code == ParseErrorCode.TOO_LARGE


def test_what_is_not_signed_is_dropped() -> None:
    said = parse_client_message(f'["EVENT",{text_of({**a_move(), "verified": True})}]')

    assert isinstance(said, EventMessage)
    assert event_to_json(said.event) == a_move()
