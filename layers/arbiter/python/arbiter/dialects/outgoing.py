"""Results of a dialect's ``encode``: unsigned events, and messages for sockets and the bridge."""

from collections.abc import Mapping
from dataclasses import dataclass

from arbiter.nostr.event import EventTemplate, VerifiedEvent
from arbiter.nostr.relay_messages import OkMessage


@dataclass(frozen=True, slots=True)
class SocketEvent:
    """``["EVENT", label, event]`` outside any subscription; ours (unsigned) or a player's."""

    label: int
    event: EventTemplate | VerifiedEvent


@dataclass(frozen=True, slots=True)
class SocketMessage:
    """A message for the sockets of ``to`` (64 hex), or, if None, that of the event."""

    to: str | None
    content: OkMessage | SocketEvent


@dataclass(frozen=True, slots=True)
class EncryptedEvent:
    """An unsigned event to be encrypted (NIP-44) for ``to`` (64 hex), behind this ``prefix``."""

    to: str
    event: EventTemplate
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class SsbMessage:
    """A message for an SSB log, published once for each ``id`` (64 hex). ``root`` is the first of
    its thread, ``recps`` the feeds that it is encrypted for; empty if public.
    """

    id: str
    root: str
    content: Mapping[str, object]
    recps: tuple[str, ...] = ()


Outgoing = EventTemplate | SocketMessage | EncryptedEvent | SsbMessage
