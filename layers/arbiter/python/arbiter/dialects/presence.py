"""Who the arbiter is, for everybody on Nostr: stored events, written only.

A profile (NIP-01 kind 0, with NIP-24's ``bot``), the relays it hears and speaks on (NIP-65 kind
10002), and what it does with which kinds (NIP-89 kind 31990). Each replaces the one before, so they
are published again and again: relays forget.
"""

import json
from collections.abc import Sequence

from arbiter.nostr.event import EventTemplate

PROFILE = 0
RELAY_LIST = 10002
HANDLER = 31990

ABOUT = "Arbiter: pairs chess players, checks every move, publishes every game."


def announcement_events(
    name: str, relays: Sequence[str], kinds: Sequence[int], at: int
) -> tuple[EventTemplate, ...]:
    """The three events, dated ``at`` (unix seconds), yet to be signed by the arbiter, who handles
    these ``kinds``.
    """
    profile = json.dumps({"name": name, "about": ABOUT, "bot": True}, ensure_ascii=False)
    handled = tuple(("k", str(kind)) for kind in kinds)
    return (
        EventTemplate(PROFILE, (), profile, at),
        # NIP-65: "If the marker is omitted, the relay is used for both purposes."
        EventTemplate(RELAY_LIST, tuple(("r", url) for url in relays), "", at),
        EventTemplate(HANDLER, (("d", "chess"), *handled), profile, at),
    )
