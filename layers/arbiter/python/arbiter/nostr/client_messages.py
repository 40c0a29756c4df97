"""The relay's half of the conversation: what clients say, as values; what they are answered, as
text. `messages.py` is the other half, for when the client is we.

The law: every frame of a client becomes a message, a `Misshapen` or a `Malformed`, never an
exception. `Misshapen` is a message that can be answered by name though it cannot be understood: it
carries the one word a refusal must repeat (an event's id, a subscription's), and nothing else of
the stranger's bytes ever goes back.
"""

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
from arbiter.nostr.limits import MAX_FRAME_BYTES
from arbiter.nostr.relay_messages import is_subscription_id
from arbiter.nostr.strict_json import read_json, write_json

ID_CHARS = 64
"""The length of an event's id in hexadecimal. A longer text is no id, and is not sent back."""


@dataclass(frozen=True, slots=True)
class EventMessage:
    """EVENT: take this event. Its shape was looked at, its signature was not."""

    event: NostrEvent


@dataclass(frozen=True, slots=True)
class ReqMessage:
    """REQ: what any of these filters asks for, now and from now on."""

    subscription_id: str
    filters: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class CloseMessage:
    """CLOSE: no more of this subscription."""

    subscription_id: str


@dataclass(frozen=True, slots=True)
class AuthMessage:
    """AUTH: the answer to a challenge, its signature not yet looked at."""

    event: NostrEvent


class Verb(StrEnum):
    """What a client can say."""

    EVENT = "EVENT"
    REQ = "REQ"
    CLOSE = "CLOSE"
    AUTH = "AUTH"


@dataclass(frozen=True, slots=True)
class InvalidMessage:
    """A message whose verb and name (an event's id or a subscription's, 1 to 64 characters as they
    were sent) can be read, and the rest cannot.
    """

    verb: Verb
    name: str
    why: ParseError


ClientMessage = EventMessage | ReqMessage | CloseMessage | AuthMessage


def parse_client_message(
    frame: str | bytes, max_bytes: int = MAX_FRAME_BYTES
) -> ClientMessage | InvalidMessage | ParseError:
    """The message in one websocket frame of at most ``max_bytes``, or why there is none. Never
    raises.
    """
    value = read_json(frame, max_bytes)
    if isinstance(value, ParseError):
        return value
    if not isinstance(value, list):
        return ParseError(ParseErrorCode.NOT_AN_ARRAY, "a message is a JSON array")
    match value:
        case ["EVENT" | "AUTH" as verb, *bodies]:
            return _with_event(Verb(verb), bodies)
        case ["REQ", str(subscription_id), *filters] if is_subscription_id(subscription_id):
            return _subscribe(subscription_id, filters)
        case ["CLOSE", str(subscription_id)] if is_subscription_id(subscription_id):
            return CloseMessage(subscription_id)
        case ["REQ" | "CLOSE" as verb, *_]:
            return _not_the_shape_of(verb)
        case _:
            return ParseError(
                ParseErrorCode.UNKNOWN_MESSAGE, "EVENT, REQ, CLOSE and AUTH are understood here"
            )


def event_text(event: NostrEvent | VerifiedEvent) -> str:
    """The event as JSON text, made once however many subscriptions it goes to."""
    return write_json(event_to_json(event))


def delivery_text(subscription_id: str, event_json: str) -> str:
    """``["EVENT", subscription id, event]``, the event being `event_text`'s."""
    return f'["EVENT",{write_json(subscription_id)},{event_json}]'


def labelled_text(label: int, event: VerifiedEvent) -> str:
    """``["EVENT", label, event]``: the NIP-100 draft has a number where a subscription's id would
    stand, for nobody subscribed.
    """
    return write_json(["EVENT", label, event_to_json(event)])


def ok_text(event_id: str, accepted: bool, text: str = "") -> str:  # noqa: FBT001 - as on the wire
    """``["OK", event id, accepted, text]``; a refusal's ``text`` opens with a NIP-01 prefix."""
    return write_json(["OK", event_id, accepted, text])


def eose_text(subscription_id: str) -> str:
    """``["EOSE", subscription id]``: what is stored was sent."""
    return write_json(["EOSE", subscription_id])


def closed_text(subscription_id: str, text: str) -> str:
    """``["CLOSED", subscription id, text]``, ``text`` with a NIP-01 prefix."""
    return write_json(["CLOSED", subscription_id, text])


def notice_text(text: str) -> str:
    """``["NOTICE", text]``, for people."""
    return write_json(["NOTICE", text])


def challenge_text(challenge: str) -> str:
    """``["AUTH", challenge]``: show who you are (NIP-42)."""
    return write_json(["AUTH", challenge])


def _with_event(
    verb: Verb, bodies: list[object]
) -> EventMessage | AuthMessage | InvalidMessage | ParseError:
    """The event of a message. NIP-01 wants an OK for every EVENT, so a message that names one is
    refused by that id, however wrong the id or the rest of the message is.
    """
    event = event_from_json(bodies[0]) if len(bodies) == 1 else _not_the_shape_of(verb)
    if isinstance(event, NostrEvent):
        return EventMessage(event) if verb is Verb.EVENT else AuthMessage(event)
    ids = (body["id"] for body in bodies if isinstance(body, dict) and "id" in body)
    named = next((id_ for id_ in ids if isinstance(id_, str) and 0 < len(id_) <= ID_CHARS), None)
    return event if named is None else InvalidMessage(verb, named, event)


def _not_the_shape_of(verb: str) -> ParseError:
    return ParseError(ParseErrorCode.BAD_MESSAGE, f"not the shape of {verb}")


def _subscribe(subscription_id: str, values: list[object]) -> ReqMessage | InvalidMessage:
    filters: list[Filter] = []
    for value in values:
        wanted = filter_from_json(value)
        if isinstance(wanted, ParseError):
            return InvalidMessage(Verb.REQ, subscription_id, wanted)
        filters.append(wanted)
    if not filters:
        # NIP-01: ["REQ", <subscription_id>, <filters1>, <filters2>, ...].
        return InvalidMessage(
            Verb.REQ, subscription_id, ParseError(ParseErrorCode.BAD_MESSAGE, "a REQ has a filter")
        )
    return ReqMessage(subscription_id, tuple(filters))
