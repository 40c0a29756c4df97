"""Everything we say goes to the relays and to our own gateway, side by side.

The law: **our own gateway never hides that all relays are down.** Whoever plays over a relay hears
nothing then, however well the gateway does; so where there are relays, an event is taken when one
of them took it. Only an arbiter without any relay goes by its gateway alone.

The other way round is not symmetrical. A gateway that failed while a relay took the event is logged
and left at that: saying it again would send it to every relay too, for a day if need be, each time
with a new id, because of a socket that may be gone by then. Whoever missed it is no worse off than
one whose phone was in a tunnel. His next REQ shows him the state as it stands, each state is whole,
and a move's delivery is tried twice at the gateway before it counts as failed. Where the gateway
is alone there is nobody else to have it from, so there it is said again, until it went through or
the game has moved on.
"""

import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from arbiter.application.ports import Publisher, Report
from arbiter.nostr.event import VerifiedEvent

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BothReport:
    """What the relays and the gateway made of one publication; ``relays`` is None where there are
    none.
    """

    relays: Report | None
    gateway: Report

    def taken(self, event_id: str) -> bool:
        """Whether the event need not be said again."""
        return (self.relays or self.gateway).taken(event_id)


class RelaysAndGateway:
    """Both ways out at once."""

    def __init__(self, relays: Publisher | None, gateway: Publisher) -> None:
        """``relays`` is None where none are configured."""
        self._relays = relays
        self._gateway = gateway

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> BothReport:
        """Offer the events on both ways, each with the whole deadline."""
        if self._relays is None:
            return BothReport(None, self._gateway.publish(events, deadline_seconds))
        asking = self._thread.submit(self._relays.publish, events, deadline_seconds)
        gateway = self._gateway.publish(events, deadline_seconds)
        report = BothReport(asking.result(), gateway)
        missed = [
            event.id for event in events if report.taken(event.id) and not gateway.taken(event.id)
        ]
        if missed:
            _log.warning("%d events reached relays and not all of our sockets", len(missed))
        return report

    @cached_property
    def _thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="relays")
