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
    """How patient a conversation is. nostr-tools and rust-nostr ping at 29 and 55 s."""

    ping_after_seconds: float = 20.0
    pong_within_seconds: float = 20.0
    answer_within_seconds: float = 20.0
    refresh_after_seconds: float = 60.0
    resubscribe: Backoff = _RESUBSCRIBE
    canary: LoopbackPacing = field(default_factory=LoopbackPacing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerConfig:
    """What all conversations of a listener have in common.

    ``unix_seconds`` tells the time, ``chance`` gives a float in [0, 1), ``sign`` is the hand of a
    throw-away key, and ``pubkey`` its public half: the listener is nobody, and only shows relays
    that it can sign, and itself that they pass on.
    """

    kinds: tuple[int, ...]
    server_pubkey: str
    pacing: Pacing
    unix_seconds: Callable[[], int]
    chance: Callable[[], float]
    pubkey: str
    sign: Callable[[EventTemplate], VerifiedEvent]
    tally: Counters
