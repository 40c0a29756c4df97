"""The ids of events that were verified and passed on, the latest of them.

The law: only verified events enter. A forged copy that comes first under the id of a genuine event
must not make the genuine one look like a repetition (RUSTSEC-2026-0224, -0232). Whole ids are kept:
a shortened one could be made to collide.
"""

from collections import OrderedDict

from arbiter.nostr.event import VerifiedEvent


class RecentIds:
    """A bounded set of event ids; the one longest unmentioned is forgotten first."""

    def __init__(self, max_ids: int) -> None:
        self._max_ids = max_ids
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, event_id: str) -> bool:
        """Whether this event was passed on; to ask is to mention it."""
        if event_id not in self._ids:
            return False
        self._ids.move_to_end(event_id)
        return True

    def add(self, event: VerifiedEvent) -> None:
        """Remember an event. The type is the proof that it was verified."""
        self._ids[event.id] = None
        self._ids.move_to_end(event.id)
        if len(self._ids) > self._max_ids:
            self._ids.popitem(last=False)
