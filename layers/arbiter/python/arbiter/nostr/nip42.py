"""NIP-42: authentication to relays, and of clients to our own relay.

Invariant: our answer names the relay that we connected to, never one that a message names. A
client's answer counts only if it names our relay and the challenge of its own connection.
"""

import re

from arbiter.nostr.event import EventTemplate, NostrEvent, VerifiedEvent, first_tag

AUTH_KIND = 22242

AUTH_SECONDS = 600
"""NIP-42: created_at "is close (e.g. within ~10 minutes) of the current time"."""

_HOST = re.compile(
    r"(?i:(wss?))://(\[[0-9A-Fa-f:.]{2,45}\]|[^/?#:@\s\[\]]{1,255})(?::([0-9]{1,5}))?"
)
_USUAL_PORTS = {"ws": 80, "wss": 443}


def auth_template(relay_url: str, challenge: str, created_at: int) -> EventTemplate:
    """The answer to ``challenge``, to be signed; ``created_at`` in unix seconds."""
    return EventTemplate(
        kind=AUTH_KIND,
        tags=(("relay", relay_url), ("challenge", challenge)),
        content="",
        created_at=created_at,
    )


def auth_objection(
    event: NostrEvent | VerifiedEvent, challenge: str, relay_url: str, now_seconds: int
) -> str | None:
    """The reason why this event does not answer ``challenge``, or None. Unverified."""
    if event.kind != AUTH_KIND:
        return f"AUTH is answered with kind {AUTH_KIND}"
    answered = first_tag(event, "challenge")
    if not challenge or answered is None or answered[1:2] != (challenge,):
        return "this is not the challenge of this connection"
    named = first_tag(event, "relay")
    # "For most cases just checking if the domain name is correct should be enough." Another
    # port may be another's relay, to which this was sent.
    host = _host(relay_url)
    if host is None or named is None or len(named) == 1 or _host(named[1]) != host:
        return "this was signed for another relay"
    if abs(now_seconds - event.created_at) > AUTH_SECONDS:
        return "created_at is more than ten minutes off"
    return None


def _host(url: str) -> tuple[str, int] | None:
    """The host in lower case and the port (0: usual, as proxies add TLS) of a URL; or None."""
    found = _HOST.match(url)
    if found is None or url[found.end() : found.end() + 1] not in {"", "/", "?", "#"}:
        return None
    port = int(found[3] or 0)
    is_usual = port == _USUAL_PORTS[found[1].lower()]
    return found[2].lower().removesuffix("."), 0 if is_usual else port
