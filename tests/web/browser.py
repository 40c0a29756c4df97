"""The HTTP API with fakes behind its ports, and a browser that asks it as API Gateway would."""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from arbiter.adapters.items.stored_tournaments import StoredTournaments
from arbiter.application.policy import KnownPolicy
from arbiter.application.spending import Spending
from arbiter.web.app import App, make_app
from arbiter.web.client_files import ClientFiles
from arbiter.web.deps import Limits, WebDeps
from tests.builders import NOW_MS, SERVER
from tests.fakes.archive import FakeArchive
from tests.fakes.clock import FakeClock
from tests.fakes.connections import FakeConnections
from tests.fakes.health import FakeHealth
from tests.fakes.outages import FakeOutages
from tests.fakes.queue import FakeRepublishQueue
from tests.fakes.rate_limits import FakeRateLimits
from tests.fakes.stores import FakeBrowsers, FakeGames, FakeLobby, FakeRatings, MemoryTable
from tests.fakes.transcripts import FakeTranscripts

NO_LIMITS = Limits(per_address=0)


def counted() -> Any:
    """Entropy that is never the same twice, and the same in every run."""
    numbers = count(1 << 12)  # above the ids of games that tests make
    return lambda size: next(numbers).to_bytes(size, "big")


@dataclass
class Site:
    """One API and what is behind it."""

    games: FakeGames = field(default_factory=FakeGames)
    ratings: FakeRatings = field(default_factory=FakeRatings)
    tournaments: StoredTournaments = field(default_factory=lambda: StoredTournaments(MemoryTable()))
    health: FakeHealth = field(default_factory=FakeHealth)
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOW_MS))
    republish: FakeRepublishQueue = field(default_factory=FakeRepublishQueue)
    rate_limits: FakeRateLimits = field(default_factory=FakeRateLimits)
    limits: Limits = NO_LIMITS
    relay_information: Mapping[str, object] = field(default_factory=dict)
    name: str = "Arbiter"
    relays: tuple[str, ...] = ()
    public_url: str = ""
    outages: FakeOutages | None = None
    client: ClientFiles | None = None
    lobby: FakeLobby | None = None
    spending: Spending | None = None
    connections: FakeConnections | None = None
    policy: KnownPolicy = field(default_factory=KnownPolicy)
    own_urls: tuple[str, ...] = ()
    transcripts: FakeTranscripts | None = None

    def deps(self) -> WebDeps:
        lobby = self.lobby or FakeLobby(self.games)
        return WebDeps(
            games=self.games,
            lobby=lobby,
            ratings=self.ratings,
            tournaments=self.tournaments,
            archive=FakeArchive(self.games, lobby),
            health=self.health,
            browsers=FakeBrowsers(self.games),
            republish=self.republish,
            rate_limits=self.rate_limits,
            clock=self.clock,
            entropy=counted(),
            server=SERVER.pubkey,
            limits=self.limits,
            relay_information=self.relay_information,
            name=self.name,
            relays=self.relays,
            public_url=self.public_url,
            outages=self.outages,
            client=self.client,
            connections=self.connections,
            policy=self.policy,
            spending=self.spending,
            own_urls=self.own_urls,
            transcripts=self.transcripts,
        )

    def browser(self) -> "Browser":
        return Browser(make_app(self.deps()))


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str
    is_base64: bool = False

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Browser:
    """A client of the API. ``id`` goes along as its header."""

    app: App
    id: str | None = None
    address: str = "192.0.2.7"

    def ask(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        body: str | bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        invocation = an_invocation(method, path, self.address, query, headers, body)
        if self.id is not None:
            invocation["headers"]["browser_id"] = self.id
        answer = self.app(invocation, object())
        assert [value for value in answer["headers"].values() if not isinstance(value, str)] == []
        return Answer(
            answer["statusCode"], answer["headers"], answer["body"], answer["isBase64Encoded"]
        )

    def get(self, path: str, **query: str) -> Answer:
        return self.ask("GET", path, query=query)

    def new_game(self, **chosen: Any) -> "Browser":
        """Start a game, and be the browser that holds it."""
        answer = self.ask("POST", "/new-game", body=json.dumps(chosen) if chosen else None)
        assert answer.status == 200, answer
        return replace(self, id=answer.json["game"]["browser_id"])

    def move(self, uci: str) -> Answer:
        """Make the move of this name, promotion and all."""
        query = {"promotion": uci[4]} if uci[4:] else {}
        return self.get(f"/make-move/{uci[:2]}/{uci[2:4]}", **query)

    def play(self, moves: str) -> Answer:
        """Make these moves, parted by blanks; what the last one was answered."""
        answers = [self.move(uci) for uci in moves.split()]
        assert [answer.status for answer in answers[:-1]] == [200] * (len(answers) - 1), answers
        return answers[-1]


def an_invocation(
    method: str,
    path: str,
    address: str = "192.0.2.7",
    query: dict[str, str] | None = None,
    headers: dict[str, str] | None = None,
    body: str | bytes | None = None,
) -> dict[str, Any]:
    """A request as API Gateway's HTTP API sends it to a function, payload format 2.0."""
    invocation: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "&".join(f"{name}={value}" for name, value in (query or {}).items()),
        "headers": {"host": "arbiter.example", **(headers or {})},
        "requestContext": {
            "domainName": "arbiter.example",
            "stage": "$default",
            "http": {"method": method, "path": path, "sourceIp": address},
        },
        "isBase64Encoded": isinstance(body, bytes),
    }
    if query:
        invocation["queryStringParameters"] = query
    if body is not None:
        invocation["body"] = b64encode(body).decode() if isinstance(body, bytes) else body
    return invocation
