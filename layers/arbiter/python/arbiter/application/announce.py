"""What the arbiter says of itself, which relays forget."""

from collections.abc import Callable, Sequence

from arbiter.application.deps import ArbiterDeps
from arbiter.application.intake.routing import HANDLED_KINDS
from arbiter.application.reply.send import PUBLISH_SECONDS, NoRelayAccepted
from arbiter.dialects import arbiter_events
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.house import HousePlayer


def announce(
    deps: ArbiterDeps,
    name: str,
    relays: Sequence[str],
    house: Sequence[HousePlayer] = (),
    profiles: Callable[[int], Sequence[VerifiedEvent]] = lambda _: (),
) -> int:
    """Publish profile, relay list, handled kinds and house players, which relays forget, and the
    ``profiles`` of this time (unix seconds); how many of these events some relay accepted. Raises
    ``NoRelayAccepted`` when none was.
    """
    at = deps.clock.now_ms() // 1000
    events = [
        deps.signer.sign(template)
        for template in arbiter_events.announcement_events(name, relays, HANDLED_KINDS, at, house)
    ]
    events += profiles(at)
    report = deps.publisher.publish(events, PUBLISH_SECONDS)
    accepted = sum(report.is_accepted(event.id) for event in events)
    if not accepted:
        raise NoRelayAccepted
    return accepted
