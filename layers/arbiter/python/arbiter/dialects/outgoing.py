"""Results of a dialect's ``encode``: unsigned events, and messages for sockets and the bridge."""

from collections.abc import Mapping
from dataclasses import dataclass

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import OkMessage


@dataclass(frozen=True, slots=True)
class SocketEvent:
    """``["EVENT", label, event]``: an event outside any subscription; ours (unsigned) or a player's
    (whole).
    """

    label: int
    event: EventTemplate | VerifiedEvent


@dataclass(frozen=True, slots=True)
class SocketMessage:
    """A message for sockets instead of relays: those of the player ``to`` (64-hex pubkey), or, if
    None, the one on which the answered event came.
    """

    to: str | None
    content: OkMessage | SocketEvent


@dataclass(frozen=True, slots=True)
class EncryptedEvent:
    """An unsigned event whose content is to be encrypted (NIP-44) for the player ``to`` (64-hex
    pubkey), behind this ``prefix``.
    """

    to: str
    event: EventTemplate
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class SsbMessage:
    """A message for an SSB log, published by the bridge once for each ``id``: 64 hex digits derived
    from what it says.

    ``root`` is the first message of its thread. ``content`` lacks what only the bridge knows.
    ``recps`` are the feeds that it is encrypted for; empty if public.
    """

    id: str
    root: str
    content: Mapping[str, object]
    recps: tuple[str, ...] = ()


Outgoing = EventTemplate | SocketMessage | EncryptedEvent | SsbMessage
