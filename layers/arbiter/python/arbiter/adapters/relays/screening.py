"""The cheap looks at an event, before anything is paid for it.

The law: pure, and no check here trusts a signature, for none was verified yet. A relay may send
what was never asked for, so the filter that it was given is applied again.
"""

from enum import StrEnum

from arbiter.application.routing import Route, route
from arbiter.nostr.event import NostrEvent
from arbiter.nostr.filters import Filter, matches


class Drop(StrEnum):
    """Why an event goes no further. The words are counter names."""

    OWN = "own"
    """The server's own words, or an attempt to pass for them: either way no player's."""
    NOT_LISTENED_KIND = "not-listened-kind"
    NOT_FOR_US = "not-for-us"
    """No `p` tag names the server: signed for somebody else."""
    NOT_ASKED_FOR = "not-asked-for"
    """Outside the filter in another way, such as too old."""
    TOO_MANY = "too-many"
    """Its author sent more than his share."""
    TOO_MANY_QUESTIONS = "too-many-questions"
    """All who ask about one game sent more than a game's share."""
    REPEATED = "repeated"
    """Passed on before."""
    FORGED = "forged"
    """The id or the signature is wrong."""
    QUEUE_FULL = "queue-full"
    """No room is left, and it is not worth stopping the relays for, or we are stopping."""


def screened(event: NostrEvent, wanted: Filter, server_pubkey: str) -> Route | Drop:
    """Where the event would go if its signature holds, or why it is dropped without a look."""
    at = route(event)
    if at is None or event.kind not in wanted.kinds:
        return Drop.NOT_LISTENED_KIND
    if event.pubkey == server_pubkey:
        return Drop.OWN
    if not any(tag[0] == "p" and tag[1:2] == (server_pubkey,) for tag in event.tags):
        return Drop.NOT_FOR_US
    if not matches(wanted, event):
        return Drop.NOT_ASKED_FOR
    return at
