"""What must be heard before what.

Relays do not keep the order of events, not even of those that came over one connection: some
handle them side by side. So an event that its reader needs first goes ahead, and the next wave
follows when some relay has taken it. "Initially it should come after the response to request to
play", says the native protocol of its first state.
"""

from collections.abc import Sequence

from arbiter.nostr.event import VerifiedEvent


def publish_batches(
    answers: Sequence[Sequence[VerifiedEvent]],
) -> tuple[tuple[VerifiedEvent, ...], ...]:
    """The events of all answers, each once, parted into waves: in each answer, one wave a kind."""
    waves: list[dict[str, VerifiedEvent]] = []
    for events in answers:
        kinds = [*dict.fromkeys(event.kind for event in events)]
        for event in events:
            wave = kinds.index(event.kind)
            waves += [{} for _ in range(wave + 1 - len(waves))]
            waves[wave][event.id] = event
    return tuple(tuple(wave.values()) for wave in waves)
