"""The dependencies of the HTTP API."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from arbiter.application import ports
from arbiter.application.connections import Connections
from arbiter.application.policy import KnownPolicy
from arbiter.application.queries import Archive, HealthCheck
from arbiter.application.spending import Spending
from arbiter.core.pgn_cache import PgnCache, Pgns
from arbiter.web.client_files import ClientFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Requests of an address that are answered in a minute; 0 lifts all four limits."""

    per_address: int = 1200

    @property
    def per_browser(self) -> int:
        return min(self.per_address, 300)

    @property
    def new_games_per_address(self) -> int:
        """Hot-seat games of an address in an hour: kept for ever, and of a classroom."""
        return self.per_address and max(1, self.per_address // 10)

    @property
    def transcripts_per_address(self) -> int:
        return self.per_address and max(1, self.per_address // 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebDeps:
    """The dependencies of the routes. ``server`` is the arbiter's pubkey (64 hex digits), ``name``
    its display name, ``relays`` their URLs, ``public_url`` its base URL; empty: the request's host.
    ``outages`` is None without relays; ``relay_information`` (NIP-11) and ``connections`` are empty
    and None without a gateway, ``client`` None where none was built, ``pgns`` and ``transcripts``
    where there is no room.

    Of the operator's page: ``own_urls`` are what it may be called at, ``figures`` what this process
    knows, ``rate_anew`` has ratings computed again, None where another program does.
    """

    games: ports.Games
    lobby: ports.Lobby
    ratings: ports.Ratings
    tournaments: ports.Tournaments
    archive: Archive
    health: HealthCheck
    browsers: ports.Browsers
    republish: ports.RepublishQueue
    rate_limits: ports.RateLimits
    clock: ports.Clock
    entropy: Callable[[int], bytes]
    server: str
    name: str = "Arbiter"
    relays: tuple[str, ...] = ()
    public_url: str = ""
    limits: Limits = Limits()
    relay_information: Mapping[str, object] = field(default_factory=dict)
    outages: ports.Outages | None = None
    client: ClientFiles | None = None
    connections: Connections | None = None
    spending: Spending | None = None
    pgns: Pgns = field(default_factory=PgnCache)
    transcripts: ports.TranscriptFiles | None = None
    policy: KnownPolicy = field(default_factory=KnownPolicy)
    own_urls: tuple[str, ...] = ()
    figures: Callable[[], Mapping[str, object]] = dict
    rate_anew: Callable[[], None] | None = None
