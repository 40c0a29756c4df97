"""What all conversations of a listener are about, who leads them, and how patient they are."""

from collections.abc import Callable
from dataclasses import dataclass, field

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.loopback_probe import LoopbackPacing
from arbiter.nostr.event import EventTemplate, VerifiedEvent

_RESUBSCRIBE = Backoff(first_seconds=1.0, longest_seconds=60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """Timeouts of a connection. nostr-tools and rust-nostr ping every 29 and 55 s."""

    ping_after_seconds: float = 20.0
    pong_within_seconds: float = 20.0
    answer_within_seconds: float = 20.0
    refresh_after_seconds: float = 60.0
    resubscribe: Backoff = _RESUBSCRIBE
    probe: LoopbackPacing = field(default_factory=LoopbackPacing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerConfig:
    """What all connections of a listener share.

    ``unix_seconds`` is the clock, ``chance`` returns a float in [0, 1). ``sign`` and ``pubkey``
    belong to a throw-away key, for NIP-42 and loopback probes.
    """

    kinds: tuple[int, ...]
    server_pubkey: str
    pacing: Pacing
    unix_seconds: Callable[[], int]
    chance: Callable[[], float]
    pubkey: str
    sign: Callable[[EventTemplate], VerifiedEvent]
    counters: Counters
