"""NIP-98: HTTP requests signed with a Nostr key, in a header ``Authorization: Nostr <base64>``: for
one method, one URL with its query, one body and one minute.
"""

import binascii
import hashlib
from base64 import b64decode, b64encode
from collections.abc import Collection

from arbiter.nostr.event import (
    EventTemplate,
    NostrEvent,
    VerifiedEvent,
    event_to_json,
    first_tag,
    parse_event,
)
from arbiter.nostr.strict_json import ParseError, ParseErrorCode, write_json

HTTP_AUTH_KIND = 27235

HTTP_AUTH_SECONDS = 60
"""NIP-98: "within a reasonable time window (suggestion 60 seconds)"."""

_SCHEME = "Nostr "


def http_auth_template(method: str, url: str, body: bytes, created_at: int) -> EventTemplate:
    """The template to sign for a request. ``created_at`` in unix seconds."""
    payload = (("payload", _digest(body)),) if body else ()
    return EventTemplate(
        kind=HTTP_AUTH_KIND,
        tags=(("u", url), ("method", method), *payload),
        content="",
        created_at=created_at,
    )


def http_auth_header(event: VerifiedEvent) -> str:
    return _SCHEME + b64encode(write_json(event_to_json(event)).encode()).decode()


def event_of_header(value: str) -> NostrEvent | ParseError:
    """The event in the header's value, its signature unchecked. Never raises."""
    scheme, text = value[: len(_SCHEME)], value[len(_SCHEME) :]
    try:
        raw = b64decode(text, validate=True) if scheme == _SCHEME else b""
    except (ValueError, binascii.Error):
        raw = b""
    return parse_event(raw) if raw else ParseError(ParseErrorCode.NOT_JSON, "Nostr and base64")


def http_auth_objection(
    event: NostrEvent, method: str, urls: Collection[str], now_seconds: int
) -> str | None:
    """The reason why this event is not for this request, unverified; or None."""
    if event.kind != HTTP_AUTH_KIND:
        return f"requests are signed with kind {HTTP_AUTH_KIND}"
    if abs(now_seconds - event.created_at) > HTTP_AUTH_SECONDS:
        return "created_at is more than a minute off: set your clock"
    if _value(event, "method") != method:
        return "this was signed for another method"
    # NIP-98: "exactly the same as the absolute request URL (including query parameters)".
    if _value(event, "u") not in urls:
        return f"this was signed for another URL than {' or '.join(urls)}"
    return None


def is_signed_body(event: VerifiedEvent, body: bytes) -> bool:
    return (_value(event, "payload") or _digest(b"")) == _digest(body)


def _value(event: NostrEvent | VerifiedEvent, name: str) -> str | None:
    tag = first_tag(event, name)
    return tag[1] if tag and tag[1:] else None


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
