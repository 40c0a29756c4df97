"""The relay's side of NIP-01: clients' messages as values, answers as text.

Invariant: any frame becomes a message, an ``InvalidMessage`` or a ``ParseError``, never an
exception. Answers repeat only the id that NIP-01 requires.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_from_json,
    event_to_json,
)
from arbiter.nostr.filters import Filter, filter_from_json
from arbiter.nostr.limits import MAX_FILTERS, MAX_FRAME_BYTES, MAX_OTHER_BYTES
from arbiter.nostr.relay_messages import is_subscription_id
from arbiter.nostr.strict_json import read_json, write_json

ID_CHARS = 64
"""The length of an event id in hex. A longer text is not repeated in an OK."""

_BEGINNING_CHARS = 256
_BEGINNING = re.compile(r'\s*\[\s*"(EVENT|AUTH|REQ|CLOSE)"(?:\s*,\s*"([ !#-\[\]-~]{1,64})")?')
_EVENT_ID = re.compile(r'"id"\s*:\s*"([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True)
class EventMessage:
    """EVENT. The event is well-formed; its signature is unchecked."""

    event: NostrEvent


@dataclass(frozen=True, slots=True)
class ReqMessage:
    """REQ: events that match any of these filters, stored and new."""

    subscription_id: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class CloseMessage:
    """CLOSE: end this subscription."""

    subscription_id: str


@dataclass(frozen=True, slots=True)
class AuthMessage:
    """AUTH: the answer to a challenge, its signature unchecked."""

    event: NostrEvent


class Verb(StrEnum):
    """The message types of clients."""

    EVENT = "EVENT"
    REQ = "REQ"
    CLOSE = "CLOSE"
    AUTH = "AUTH"


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """An invalid message of a known type; ``name`` is its id as sent, 1 to 64 characters."""

    verb: Verb
    name: str
    why: ParseError


ClientMessage = EventMessage | ReqMessage | CloseMessage | AuthMessage


def parse_client_message(
    frame: str | bytes, max_bytes: int = MAX_FRAME_BYTES, max_filters: int = MAX_FILTERS
) -> ClientMessage | InvalidMessage | ParseError:
    """The message in one frame of at most ``max_bytes``, or why none. Never raises."""
    beginning = _BEGINNING.match(_text(frame[:_BEGINNING_CHARS]))
    if not beginning or beginning[1] not in {Verb.EVENT, Verb.AUTH}:
        max_bytes = min(max_bytes, MAX_OTHER_BYTES)
    value = read_json(frame, max_bytes)
    if isinstance(value, ParseError):
        return _named(beginning, frame, value) if beginning else value
    if not isinstance(value, list):
        return ParseError(ParseErrorCode.NOT_AN_ARRAY, "a message is a JSON array")
    match value:
        case ["EVENT" | "AUTH" as verb, *bodies]:
            return _with_event(Verb(verb), bodies)
        case ["REQ", str(subscription_id), *filters] if is_subscription_id(subscription_id):
            return _subscribe(subscription_id, filters, max_filters)
        case ["CLOSE", str(subscription_id)] if is_subscription_id(subscription_id):
            return CloseMessage(subscription_id)
        case ["REQ" | "CLOSE" as verb, *_]:
            return _not_the_shape_of(verb)
        case _:
            return ParseError(
                ParseErrorCode.UNKNOWN_MESSAGE, "EVENT, REQ, CLOSE and AUTH are understood here"
            )


def event_text(event: NostrEvent | VerifiedEvent) -> str:
    return write_json(event_to_json(event))


def delivery_text(subscription_id: str, event_json: str) -> str:
    """``["EVENT", subscription id, event]``; ``event_json`` is from ``event_text``."""
    return f'["EVENT",{write_json(subscription_id)},{event_json}]'


def labelled_text(label: int, event: VerifiedEvent) -> str:
    """``["EVENT", label, event]``: the NIP-100 draft has a number in place of a subscription id."""
    return write_json(["EVENT", label, event_to_json(event)])


def ok_text(event_id: str, accepted: bool, text: str = "") -> str:  # noqa: FBT001 - as on the wire
    """``["OK", event id, accepted, text]``; the text of a refusal begins with a NIP-01 prefix."""
    return write_json(["OK", event_id, accepted, text])


def eose_text(subscription_id: str) -> str:
    return write_json(["EOSE", subscription_id])


def closed_text(subscription_id: str, text: str) -> str:
    """``["CLOSED", subscription id, text]``, ``text`` with a NIP-01 prefix."""
    return write_json(["CLOSED", subscription_id, text])


def notice_text(text: str) -> str:
    return write_json(["NOTICE", text])


def challenge_text(challenge: str) -> str:
    return write_json(["AUTH", challenge])


def _named(
    beginning: re.Match[str], frame: str | bytes, why: ParseError
) -> InvalidMessage | ParseError:
    """A message that was not parsed, with its id, if that is found without parsing."""
    verb, name = Verb(beginning[1]), beginning[2]
    if verb in {Verb.EVENT, Verb.AUTH}:
        found = _EVENT_ID.search(_text(frame))
        name = found[1] if found else None
    return InvalidMessage(verb, name, why) if name else why


def _text(frame: str | bytes) -> str:
    return frame if isinstance(frame, str) else frame.decode("latin-1")


def _with_event(
    verb: Verb, bodies: list[object]
) -> EventMessage | AuthMessage | InvalidMessage | ParseError:
    """The message with its event, or an invalid one's id, as NIP-01 wants an OK."""
    event = event_from_json(bodies[0]) if len(bodies) == 1 else _not_the_shape_of(verb)
    if isinstance(event, NostrEvent):
        return EventMessage(event) if verb is Verb.EVENT else AuthMessage(event)
    ids = (body["id"] for body in bodies if isinstance(body, dict) and "id" in body)
    event_id = next((id_ for id_ in ids if isinstance(id_, str) and 0 < len(id_) <= ID_CHARS), None)
    return event if event_id is None else InvalidMessage(verb, event_id, event)


def _not_the_shape_of(verb: str) -> ParseError:
    return ParseError(ParseErrorCode.BAD_MESSAGE, f"not the shape of {verb}")


def _subscribe(
    subscription_id: str, values: list[object], max_filters: int
) -> ReqMessage | InvalidMessage:
    if len(values) > max_filters:
        why = ParseError(ParseErrorCode.TOO_MANY_FILTERS, f"more than {max_filters} filters")
        return InvalidMessage(Verb.REQ, subscription_id, why)
    filters: list[Filter] = []
    for value in values:
        parsed = filter_from_json(value)
        if isinstance(parsed, ParseError):
            return InvalidMessage(Verb.REQ, subscription_id, parsed)
        filters.append(parsed)
    if not filters:
        # NIP-01: ["REQ", <subscription_id>, <filters1>, <filters2>, ...].
        return InvalidMessage(
            Verb.REQ, subscription_id, ParseError(ParseErrorCode.BAD_MESSAGE, "a REQ has a filter")
        )
    return ReqMessage(subscription_id, tuple(filters))
