"""The arbiter announces itself: once a day, since relays forget."""

from collections.abc import Sequence

from arbiter.application.deps import ArbiterDeps
from arbiter.application.process_batch import PUBLISH_SECONDS
from arbiter.application.routing import LISTENED_KINDS
from arbiter.dialects import arbiter_events

HANDLED_KINDS = (*LISTENED_KINDS, arbiter_events.PGN_NOTE)
"""What players may send us in any dialect, and the notes that come of it."""


class NoRelayAccepted(Exception):
    """No relay took the announcement; the next one is tomorrow, unless the caller tries again."""


def announce(deps: ArbiterDeps, name: str, relays: Sequence[str]) -> int:
    """Publish profile, relay list and handled kinds; how many of them some relay took.

    Raises ``NobodyHeard`` when none did.
    """
    at = deps.clock.now_ms() // 1000
    events = [
        deps.signer.sign(template)
        for template in arbiter_events.announcement_events(name, relays, HANDLED_KINDS, at)
    ]
    report = deps.publisher.publish(events, PUBLISH_SECONDS)
    taken = sum(report.taken(event.id) for event in events)
    if not taken:
        raise NoRelayAccepted
    return taken
