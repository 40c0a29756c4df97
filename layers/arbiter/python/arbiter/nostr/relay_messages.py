"""The client's side of NIP-01: relays' messages as values, ours to them as text.

Invariant: any frame becomes a message or a ``ParseError``. An event in it is unverified; extra
items are ignored, as NIPs have added some.
"""

from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import assert_never

from arbiter.nostr.event import (
    NostrEvent,
    ParseError,
    ParseErrorCode,
    VerifiedEvent,
    event_from_json,
    event_to_json,
    is_hex_32_bytes,
)
from arbiter.nostr.filters import Filter, filter_to_json
from arbiter.nostr.limits import MAX_CHALLENGE_CHARS, MAX_FRAME_BYTES, MAX_SUBSCRIPTION_ID_CHARS
from arbiter.nostr.strict_json import read_json, write_json


@dataclass(frozen=True, slots=True)
class RelayEvent:
    """EVENT, for a subscription id that may not be ours."""

    subscription_id: str
    event: NostrEvent


@dataclass(frozen=True, slots=True)
class OkMessage:
    """OK: whether an event was accepted, by a relay or (in a dialect on sockets) by the arbiter."""

    event_id: str
    accepted: bool
    text: str


@dataclass(frozen=True, slots=True)
class EoseMessage:
    """EOSE: the stored events were sent; events are new from here on."""

    subscription_id: str


@dataclass(frozen=True, slots=True)
class ClosedMessage:
    """CLOSED: the relay ended our subscription."""

    subscription_id: str
    text: str


@dataclass(frozen=True, slots=True)
class NoticeMessage:
    """NOTICE, for people."""

    text: str


@dataclass(frozen=True, slots=True)
class RelayAuth:
    """AUTH: NIP-42's challenge, valid for this connection only."""

    challenge: str


RelayMessage = RelayEvent | OkMessage | EoseMessage | ClosedMessage | NoticeMessage | RelayAuth


class OkPrefix(StrEnum):
    """The machine-readable prefix of an OK or CLOSED text (NIP-01, NIP-42)."""

    DUPLICATE = "duplicate"
    POW = "pow"
    BLOCKED = "blocked"
    RATE_LIMITED = "rate-limited"
    INVALID = "invalid"
    RESTRICTED = "restricted"
    MUTE = "mute"
    ERROR = "error"
    AUTH_REQUIRED = "auth-required"
    UNKNOWN = ""


class PublishStatus(Enum):
    """The next step for an event after a relay's OK."""

    ACCEPTED = auto()
    """The relay has it."""
    NO_SUBSCRIBERS = auto()
    """No client is subscribed to this ephemeral event: not an error, the player is away."""
    UNANSWERED = auto()
    """The relay has read this ephemeral event, and is not known to answer any: found by a ping."""
    RETRY = auto()
    """The relay may accept it later."""
    GIVE_UP = auto()
    """This relay will never accept it."""
    AUTHENTICATE = auto()
    """Answer the challenge, then send it again."""
    NOT_STORED = auto()
    """The relay accepted it and does not have it: found by asking for it, not by an OK."""


def parse_relay_message(frame: str | bytes) -> RelayMessage | ParseError:
    """The message in one websocket frame, or why there is none. Never raises."""
    value = read_json(frame, MAX_FRAME_BYTES)
    if isinstance(value, ParseError):
        return value
    if not isinstance(value, list):
        return ParseError(ParseErrorCode.NOT_AN_ARRAY, "a message is a JSON array")
    match value:
        case ["EVENT", str(subscription_id), event, *_]:
            return _event_message(subscription_id, event)
        case ["OK", id_, bool(accepted), *rest] if is_hex_32_bytes(id_):
            return OkMessage(id_, accepted, _text_of(rest))
        case ["EOSE", str(subscription_id), *_] if is_subscription_id(subscription_id):
            return EoseMessage(subscription_id)
        case ["CLOSED", str(subscription_id), *rest] if is_subscription_id(subscription_id):
            return ClosedMessage(subscription_id, _text_of(rest))
        case ["NOTICE", str(text), *_]:
            return NoticeMessage(text)
        case ["AUTH", str(challenge), *_] if 0 < len(challenge) <= MAX_CHALLENGE_CHARS:
            return RelayAuth(challenge)
        case ["EVENT" | "OK" | "EOSE" | "CLOSED" | "NOTICE" | "AUTH" as verb, *_]:
            return ParseError(ParseErrorCode.BAD_MESSAGE, f"not the shape of {verb}")
        case _:
            return ParseError(ParseErrorCode.UNKNOWN_MESSAGE, "not a message that we know")


def ok_prefix(text: str) -> OkPrefix:
    """The prefix of an OK or CLOSED text; UNKNOWN without a known one."""
    word, colon, _ = text.partition(":")
    known = bool(colon) and word in _PREFIXES
    return OkPrefix(word) if known else OkPrefix.UNKNOWN


def publish_status(ok: OkMessage) -> PublishStatus:
    if ok.accepted:
        return PublishStatus.ACCEPTED
    match ok_prefix(ok.text):
        case OkPrefix.DUPLICATE:
            # NIP-01 has true with it; some relays send false, although they have the event.
            return PublishStatus.ACCEPTED
        case OkPrefix.MUTE:
            # NIP-01: no one was listening to an ephemeral event.
            return PublishStatus.NO_SUBSCRIBERS
        case OkPrefix.RATE_LIMITED | OkPrefix.ERROR | OkPrefix.UNKNOWN:
            return PublishStatus.RETRY
        case OkPrefix.AUTH_REQUIRED:
            # NIP-42: "restricted" would mean that the authenticated key may not publish this.
            return PublishStatus.AUTHENTICATE
        case OkPrefix.BLOCKED | OkPrefix.RESTRICTED | OkPrefix.INVALID | OkPrefix.POW:
            return PublishStatus.GIVE_UP
        case never:
            assert_never(never)


def event_message(event: VerifiedEvent) -> str:
    return write_json(["EVENT", event_to_json(event)])


def req_message(subscription_id: str, *filters: Filter) -> str:
    """The REQ frame for these filters; it replaces an earlier REQ of the same id."""
    return write_json(["REQ", subscription_id, *(filter_to_json(wanted) for wanted in filters)])


def auth_message(event: VerifiedEvent) -> str:
    return write_json(["AUTH", event_to_json(event)])


_PREFIXES = frozenset(prefix.value for prefix in OkPrefix)


def _event_message(subscription_id: str, value: object) -> RelayEvent | ParseError:
    if not is_subscription_id(subscription_id):
        return ParseError(ParseErrorCode.BAD_MESSAGE, "not the shape of EVENT")
    event = event_from_json(value)
    return event if isinstance(event, ParseError) else RelayEvent(subscription_id, event)


def is_subscription_id(text: str) -> bool:
    """NIP-01: "an arbitrary, non-empty string of max length 64 chars"."""
    return 0 < len(text) <= MAX_SUBSCRIPTION_ID_CHARS


def _text_of(rest: list[object]) -> str:
    # Required by NIP-01, but a message without it is still useful.
    return rest[0] if rest and isinstance(rest[0], str) else ""
