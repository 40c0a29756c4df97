"""Frames on their way to the sockets of our own gateway.

The law: a frame is said once, now, to whoever is there. A player who is away is told nothing and
asks when he is back; a socket that is gone is forgotten. Only a failure of infrastructure raises,
and keeps the record for another delivery.

They go out before the relays are asked. The state is committed by then, so there is no later
moment at which they would be truer; a player sits and waits for his ``OK``, which takes
milliseconds, while a relay may take seconds. There is no order to keep between the two: no socket
is a relay, and who reads both sees them in any order anyway.

What must be heard before what.

Relays do not keep the order of events, not even of those that came over one connection: some
handle them side by side. So an event that its reader needs first goes ahead, and the next wave
follows when some relay has taken it. "Initially it should come after the response to request to
play", says the native protocol of its first state.

Everything we say goes to the relays and to our own gateway, side by side.

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
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from arbiter.application.connections import Connections, Sockets
from arbiter.application.ports import Publisher, Report
from arbiter.dialects.base import OkMessage, SocketEvent
from arbiter.nostr.client_messages import labelled_text, ok_text
from arbiter.nostr.event import VerifiedEvent

SOCKETS_TOLD = 16
"""So many of a player's sockets hear what is said to him. He may open thousands, and those whose
games are in the same batch would wait until the last of them was told.
"""

SOCKETS_TRIED = 64


@dataclass(frozen=True, slots=True)
class Posting:
    """A frame as its readers get it: one text, for this player's sockets (64-hex pubkey) or, with
    None, for the one that the answered event came over.
    """

    to: str | None
    text: str


def text_of(content: OkMessage | SocketEvent) -> str:
    """The frame's text. TypeError for an event that nobody has signed."""
    match content:
        case OkMessage(event_id, accepted, text):
            return ok_text(event_id, accepted, text)
        case SocketEvent(label, VerifiedEvent() as event):
            return labelled_text(label, event)
        case SocketEvent():
            raise TypeError("sign it first")
        case _:
            assert_never(content)


def post(
    connections: Connections, sockets: Sockets, via: str | None, postings: Iterable[Posting]
) -> None:
    """Send each posting in order. Raises for infrastructure, never for a socket that is gone, and
    only when everybody else has been sent his: nobody need wait for another one's socket.
    """
    readers: dict[str | None, tuple[str, ...]] = {None: () if via is None else (via,)}
    spoilt: set[str] = set()
    failure: Exception | None = None
    for posting in postings:
        if posting.to not in readers:
            readers[posting.to] = ()
            try:
                readers[posting.to] = connections.sockets_of(posting.to or "")[:SOCKETS_TRIED]
            except Exception as trouble:  # noqa: BLE001 - as below
                failure = trouble
        told: list[str] = []
        for connection_id in readers[posting.to]:
            # A frame that is missing would make nonsense of those after it.
            if connection_id in spoilt:
                continue
            if len(told) == SOCKETS_TOLD:
                break
            try:
                if sockets.send(connection_id, posting.text):
                    told.append(connection_id)
                    continue
                connections.closed(connection_id)
            except Exception as trouble:  # noqa: BLE001 - whatever it is, it is told in the end
                failure = trouble
            spoilt.add(connection_id)
        readers[posting.to] = tuple(told)
    if failure is not None:
        raise failure


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
