"""What the HTTP API works with, as one value, so that tests and a laptop can hand in their own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arbiter.application.ports import (
    Browsers,
    Clock,
    Games,
    Outages,
    RateLimits,
    Ratings,
    RepublishQueue,
)
from arbiter.application.queries import Archive, Vitals


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many requests are answered, each in one window of time; 0 lifts that limit.

    ``per_address`` and ``per_browser`` count requests in one minute, ``new_games_per_address``
    those for a new game in one hour: a game is kept for ever, and a classroom has one address.
    """

    per_address: int = 1200
    per_browser: int = 300
    new_games_per_address: int = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class WebDeps:
    """What the routes need. ``server`` is the arbiter's own pubkey (64 hex).

    ``name`` is what the arbiter calls itself, ``relays`` (URLs) are where it hears and speaks, and
    ``public_url`` is where browsers find it, without a slash at its end; empty where the request's
    own host name is to be believed.

    Where there are no relays there are no ``outages`` of them, which stop clocks.

    ``entropy(n)`` brings n bytes that nobody can guess. ``relay_information`` is the NIP-11
    document of the relay face at the same address; empty where there is none.
    """

    games: Games
    ratings: Ratings
    archive: Archive
    vitals: Vitals
    browsers: Browsers
    republish: RepublishQueue
    rate_limits: RateLimits
    clock: Clock
    entropy: Callable[[int], bytes]
    server: str
    name: str = "Arbiter"
    relays: tuple[str, ...] = ()
    public_url: str = ""
    limits: Limits = Limits()
    relay_information: Mapping[str, object] = field(default_factory=dict)
    outages: Outages | None = None
