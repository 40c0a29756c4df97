"""NIP-42: telling a relay who we are.

The law: the answer names the relay that we dialled, never one that a message named, so that it is
of no use elsewhere.
"""

from arbiter.nostr.event import EventTemplate

AUTH_KIND = 22242


def auth_template(relay_url: str, challenge: str, created_at: int) -> EventTemplate:
    """The answer to ``challenge``, to be signed and sent as AUTH, never published; unix seconds."""
    return EventTemplate(
        kind=AUTH_KIND,
        tags=(("relay", relay_url), ("challenge", challenge)),
        content="",
        created_at=created_at,
    )
