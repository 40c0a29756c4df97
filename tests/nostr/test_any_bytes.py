"""Whatever arrives becomes a value: nothing raises, and nothing that is not signed verifies."""

import json

from hypothesis import example, given, settings
from hypothesis import strategies as st

from arbiter.nostr.event import Malformed, NostrEvent, event_from_json, parse_event, verify
from arbiter.nostr.filters import Filter, filter_from_json
from arbiter.nostr.limits import MAX_DEPTH, MAX_EVENT_BYTES
from arbiter.nostr.messages import (
    AuthMessage,
    ClosedMessage,
    EoseMessage,
    EventMessage,
    NoticeMessage,
    OkMessage,
    RelayMessage,
    parse_relay_message,
)
from arbiter.nostr.strict_json import read_json
from tests.nostr.hostile.case import a_move, text_of

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = ("id", "pubkey", "created_at", "kind", "tags", "content", "sig")
# What each verb may become. Of REQ, which only clients say, and of no verb, nothing.
MESSAGES: dict[str, type] = {
    "EVENT": EventMessage,
    "OK": OkMessage,
    "EOSE": EoseMessage,
    "CLOSED": ClosedMessage,
    "NOTICE": NoticeMessage,
    "AUTH": AuthMessage,
    "REQ": Malformed,
    "": Malformed,
}

# Bytes that JSON is made of, so that chance gets past the first character.
TOKENS = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"d83d", b" ", b"\n"),
    *(b"0", b"-", b"1e999", b"NaN", b"true", b"null", b'"id"', b'"EVENT"'),
    *(b"\x00", b"\xff", b"\xe2\x82"),
)
JSON_LIKE = st.lists(st.sampled_from(TOKENS), max_size=40).map(b"".join)


def verified(raw: bytes | str) -> object:
    """What is left of ``raw`` after every check that an event goes through."""
    event = parse_event(raw)
    return verify(event) if isinstance(event, NostrEvent) else event


@given(st.binary(max_size=200) | JSON_LIKE)
@example(b"")
@example(b"\xef\xbb\xbf{}")
@example(b'"\\')
@example(b'{"a":-}')
def test_any_bytes_become_a_value(raw: bytes) -> None:
    assert isinstance(verified(raw), Malformed)
    assert isinstance(parse_relay_message(raw), RelayMessage | Malformed)


@given(st.text(st.characters(), max_size=200))
@example("\ud800")
def test_any_text_becomes_a_value(text: str) -> None:
    assert isinstance(verified(text), Malformed)
    assert isinstance(parse_relay_message(text), RelayMessage | Malformed)


@given(st.lists(JSON_VALUES, max_size=5), st.sampled_from(sorted(MESSAGES)))
@example(["ab" * 32, True, ""], "OK")
@example(["id"], "EOSE")
@example(["id", ""], "CLOSED")
@example(["words"], "NOTICE")
@example(["challenge"], "AUTH")
@example(["id", {}], "REQ")
def test_any_array_becomes_a_message_or_a_refusal(items: list[object], verb: str) -> None:
    answer = parse_relay_message(json.dumps([verb, *items]))
    assert isinstance(answer, MESSAGES[verb] | Malformed)
    assert isinstance(parse_relay_message(json.dumps(items)), RelayMessage | Malformed)


@given(JSON_VALUES)
def test_any_json_value_becomes_an_event_or_a_refusal(value: object) -> None:
    assert isinstance(event_from_json(value), Malformed)


@given(JSON_VALUES)
def test_any_json_value_becomes_a_filter_or_a_refusal(value: object) -> None:
    assert isinstance(filter_from_json(value), Filter | Malformed)


@given(st.sampled_from(FIELDS), JSON_VALUES)
def test_a_move_with_any_field_replaced_never_verifies(field: str, value: object) -> None:
    move = a_move()
    replaced = {**move, field: value}
    if replaced == move:
        return

    assert isinstance(verified(json.dumps(replaced)), Malformed)


@given(st.integers(0), st.integers(0, 3), st.binary(max_size=3))
def test_a_move_with_bytes_taken_out_or_put_in_is_the_same_or_refused(
    place: int, taken: int, put: bytes
) -> None:
    raw = text_of(a_move()).encode()
    at = place % len(raw)

    answer = verified(raw[:at] + put + raw[at + taken :])

    # Blanks between the fields change nothing.
    assert isinstance(answer, Malformed) or answer == verified(raw)


@given(JSON_VALUES)
@settings(max_examples=200)
def test_the_strict_reader_reads_what_the_standard_reader_does_or_refuses(value: object) -> None:
    text = json.dumps(value)

    strictly = read_json(text, MAX_EVENT_BYTES)

    assert isinstance(strictly, Malformed) or strictly == json.loads(text)


@given(st.integers(1, 40), st.text("[]{}\"\\'", max_size=20))
def test_depth_is_that_of_the_brackets_outside_strings(depth: int, inside: str) -> None:
    text = "[" * depth + json.dumps(inside) + "]" * depth

    assert isinstance(read_json(text, MAX_EVENT_BYTES), Malformed) == (depth > MAX_DEPTH)
