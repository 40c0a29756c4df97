"""Frames on their way to the sockets of our own gateway.

The law: a frame is said once, now, to whoever is there. A player who is away is told nothing and
asks when he is back; a socket that is gone is forgotten. Only a failure of infrastructure raises,
and keeps the record for another delivery.

They go out before the relays are asked. The state is committed by then, so there is no later
moment at which they would be truer; a player sits and waits for his ``OK``, which takes
milliseconds, while a relay may take seconds. There is no order to keep between the two: no socket
is a relay, and who reads both sees them in any order anyway.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from arbiter.application.socket_ports import Connections, Sockets
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
