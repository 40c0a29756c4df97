"""Every hostile envelope gets its own flaw for an answer, and none of its words back."""

from collections import Counter

import pytest

from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_to_json,
    parse_event,
    verify,
)
from arbiter.nostr.relay_messages import RelayEvent, RelayMessage, parse_relay_message
from tests.nostr import second_implementation
from tests.nostr.hostile import HOSTILE
from tests.nostr.hostile.case import Hostile, a_move, text_of


def judged(case: Hostile) -> VerifiedEvent | RelayMessage | ParseError:
    """Read and verify the envelope."""
    if not case.is_frame:
        event = parse_event(case.raw)
        return event if isinstance(event, ParseError) else verify(event)
    message = parse_relay_message(case.raw)
    if isinstance(message, RelayEvent):
        verified = verify(message.event)
        return verified if isinstance(verified, ParseError) else message
    return message


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.name)
def test_a_hostile_envelope_is_answered_with_its_flaw_as_bytes_and_as_text(case: Hostile) -> None:
    answer = judged(case)

    assert (answer.code if isinstance(answer, ParseError) else None) == case.flaw
    if not case.is_frame and (text := _text(case.raw)) is not None:
        assert parse_event(text) == parse_event(case.raw)
    if isinstance(answer, VerifiedEvent):
        assert second_implementation.verifies(text_of(event_to_json(answer)))


def test_names_are_unique_and_every_flaw_and_every_trick_of_the_catalogue_has_a_case() -> None:
    names = Counter(case.name for case in HOSTILE)

    assert [name for name, count in names.items() if count > 1] == []
    assert {*ParseErrorCode} - {case.flaw for case in HOSTILE} == {
        ParseErrorCode.BAD_FILTER,
        ParseErrorCode.TOO_MANY_FILTERS,
    }
    assert {int(name[1:3]) for name in names} == {*range(1, 16), *range(20, 34), 40, 41}


def test_unsigned_fields_are_dropped() -> None:
    event = parse_event(text_of({**a_move(), "verified": True}))
    assert isinstance(event, NostrEvent)

    assert event_to_json(event) == a_move()


@pytest.mark.parametrize("field", [*a_move()])
def test_a_refusal_never_quotes_what_was_sent(field: str) -> None:
    for value in ("<script>secret</script>", ["<script>secret</script>"], {"secret": "secret"}):
        answer = parse_event(text_of({**a_move(), field: value}))
        refused = verify(answer) if isinstance(answer, NostrEvent) else answer

        assert isinstance(refused, ParseError)
        assert "secret" not in refused.text
