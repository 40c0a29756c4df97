"""The arbiter's announcements of itself, which relays forget."""

from collections.abc import Sequence

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.routing import HANDLED_KINDS
from arbiter.application.reply.send import PUBLISH_SECONDS, NoRelayAccepted
from arbiter.dialects import arbiter_events
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.house import HousePlayer


def announcement(
    deps: ArbiterDeps, name: str, relays: Sequence[str], house: Sequence[HousePlayer] = ()
) -> list[VerifiedEvent]:
    """Profile, relay list, and handled kinds with house players, dated now."""
    at = deps.clock.now_ms() // 1000
    templates = arbiter_events.announcement_events(
        name, relays, HANDLED_KINDS, at, house, deps.public_url
    )
    return [deps.signer.sign(template) for template in templates]


def announce(deps: ArbiterDeps, events: Sequence[VerifiedEvent]) -> int:
    """Publish the announcement; how many some relay took. Raises ``NoRelayAccepted`` if none."""
    report = deps.publisher.publish(events, PUBLISH_SECONDS)
    accepted = sum(report.is_accepted(event.id) for event in events)
    if not accepted:
        raise NoRelayAccepted
    return accepted
