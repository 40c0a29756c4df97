"""The arbiter behind all its entry points, and one game that every hostile input would like to
change.

The entry points are the shells themselves: the session of a relay, and the handlers as Lambda calls
them, with fakes behind the ports. Whatever they log is kept, and looked at line by line.
"""

import json
import logging
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import TracebackType
from typing import Any, Self
from unittest import mock

import chess

from arbiter import wiring
from arbiter.adapters.json_logging import JsonLines
from arbiter.adapters.relays.connection import RelayConnection, RelayFailureError
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.ingest import Ingester
from arbiter.adapters.relays.loopback_probe import LoopbackPacing, LoopbackProbe
from arbiter.adapters.relays.protocol import ListenerConfig, Pacing, RelayProtocol
from arbiter.adapters.relays.relay_worker import RelayWorker
from arbiter.application.intake.routing import LISTENED_KINDS
from arbiter.application.ports import Clock
from arbiter.application.records import QueueEntry
from arbiter.core.game import Game, Outcome, Seat
from arbiter.core.rules import Rules
from arbiter.nostr.keys import SecretKey
from arbiter.web.app import make_app
from arbiter.web.deps import WebDeps
from functions.gateway import app as gateway_function
from functions.process_events import app as arbiter_function
from tests.application.gateway.relay_world import RelayWorld
from tests.fakes.stores import FakeBrowsers
from tests.nostr.hostile.case import CREATED_AT, GAME, PLAYER, SERVER
from tests.web.browser import Browser, Site

RIVAL = SecretKey.generate(b"\x07" * 32)
"""The player of Black against PLAYER."""

NOW_MS = CREATED_AT * 1000 + 2_000
BEGUN_MS = CREATED_AT * 1000 - 10_000
SOCKET = "L0SM9cOFvHcCIhw="
ADDRESS = "192.0.2.7"
RELAY = "wss://relay.example/"

MARK = "cAnArY"
"""Is in whatever a stranger may write, and must be in no line of a log."""

_LOGGED = re.compile(r"[a-z0-9_.:-]{0,64}|DEBUG|INFO|[0-9T:.-]{1,30}Z|" + re.escape(SOCKET))
"""Values that a line of a log may hold: words of ours, hexadecimal ids, a socket's, and the
time.
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The things that hostile input must not change: of each game its moves, its end, its offer and
    its seats; the players in pools; the open challenges; and the browsers that hold a game.
    """

    games: Mapping[str, tuple[tuple[chess.Move, ...], Outcome | None, object, Seat, Seat]]
    waiting: Mapping[str, tuple[str, ...]]
    challenges: frozenset[str]
    browsers: frozenset[str]


class LogLines(logging.Handler):
    """Every line of every log, as text."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(JsonLines())
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    def taken(self) -> list[dict[str, Any]]:
        """The log since the last call; a line that says more than it may fails."""
        texts, self.texts = self.texts, []
        return [_sound(text) for text in texts]


@dataclass
class FakeConnection(RelayConnection):
    said: list[str] = field(default_factory=list)

    def send(self, text: str, timeout_seconds: float = 0.0) -> None:
        del timeout_seconds
        self.said.append(text)

    def ping(self, payload: bytes = b"", timeout_seconds: float = 0.0) -> None:
        del payload, timeout_seconds
        self.said.append("ping")


@dataclass
class Outlet:
    entries: list[QueueEntry] = field(default_factory=list)

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        del may_wait
        self.entries.append(entry)
        return True


class FakeListener:
    """The listener of one relay, without the socket and the thread. Only ``now``, in monotonic
    seconds, moves its time.
    """

    def __init__(self, server_pubkey: str, clock: Clock) -> None:
        self.counters = Counters()
        self.outlet = Outlet()
        self.line = FakeConnection()
        self._clock = clock
        self.now = 0.0
        anyone = SecretKey.generate(b"\x05" * 32)
        config = ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=server_pubkey,
            pacing=Pacing(),
            unix_seconds=lambda: clock.now_ms() // 1000,
            chance=lambda: 0.5,
            pubkey=anyone.pubkey,
            sign=anyone.sign,
            counters=self.counters,
        )
        outlets = {"moves": self.outlet, "seeks": self.outlet}
        ingester = Ingester(server_pubkey, outlets, self.counters, monotonic=lambda: self.now)  # type: ignore[arg-type]
        self._worker = RelayWorker(RELAY, config, ingester, clock)
        self._protocol = RelayProtocol(
            RELAY, config, LoopbackProbe(LoopbackPacing(), config.chance)
        )
        self._protocol.connected(self.now)

    def hears(self, frame: bytes) -> str:
        """The word this frame was counted under; ``left-…`` if the relay was left."""
        before = self.counters.counts()
        actions = self._protocol.receive(frame, self.now)
        try:
            self._worker._execute(actions, self._protocol, self.line, self._clock.now_ms())
        except RelayFailureError as trouble:
            return f"left-{trouble.failure}"
        return " ".join(self.counters.counts() - before)


class Scenario:
    """``game`` is the one under way: PLAYER has White, RIVAL Black. Use it in a ``with``.

    ``told`` is what the socket heard last, ``judged`` each body of the queue with its status.
    """

    def __init__(self, rules: Rules | None = None, game: Game | None = None) -> None:
        self.gateway = RelayWorld(server=SERVER)
        self.world = self.gateway.world
        if rules is not None:
            self.world.deps = replace(self.world.deps, rules=rules)
        self.world.clock.ms = NOW_MS
        self.ear = FakeListener(SERVER.pubkey, self.world.clock)
        self.lines = LogLines()
        self.told: list[list[Any]] = []
        self.judged: list[tuple[str, str]] = []
        game = game or a_game()
        self.world.games.by_id[game.id] = game
        self.gateway.open(SOCKET, ADDRESS)

    def __enter__(self) -> Self:
        root = logging.getLogger()
        self._before = (wiring.arbiter_deps, wiring.gateway_deps, root.level)
        # At which the gateway says what it queued; each handler sets this level.
        self._environment = mock.patch.dict(os.environ, LOG_LEVEL="DEBUG")
        self._environment.start()
        wiring.arbiter_deps = lambda: self.world.deps  # type: ignore[assignment]
        wiring.gateway_deps = lambda: self.gateway.deps  # type: ignore[assignment]
        root.addHandler(self.lines)
        root.setLevel(logging.DEBUG)  # or a forgery has a line only if an earlier test left it so
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        failure: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        root = logging.getLogger()
        self._environment.stop()
        root.removeHandler(self.lines)
        deps, gateway_desk, level = self._before
        wiring.arbiter_deps, wiring.gateway_deps = deps, gateway_desk
        root.setLevel(level)

    def from_relay(self, frames: Iterable[str | bytes]) -> str:
        """The fate of the last of these frames of a relay: the word it was counted under, or the
        arbiter's word for the event in it.
        """
        word = ""
        for frame in frames:
            word = self.ear.hears(frame if isinstance(frame, bytes) else frame.encode())
            self.lines.taken()  # a forgery has its line
            entries, self.ear.outlet.entries = self.ear.outlet.entries, []
            if entries:
                word = self._judged(entries)
        return word

    def from_socket(self, frames: Iterable[str | bytes]) -> str:
        """The fate of the last of these frames on a socket of our own gateway: the gateway's word,
        or the arbiter's for what was queued. ``told`` are the frames that the socket heard.
        """
        word = ""
        for frame in frames:
            invocation: dict[str, Any] = {
                "requestContext": {"eventType": "MESSAGE", "connectionId": SOCKET},
                # API Gateway hands over text frames as they are, and binary ones in base64.
                "body": frame if isinstance(frame, str) else b64encode(frame).decode(),
                "isBase64Encoded": isinstance(frame, bytes),
            }
            assert gateway_function.handler(invocation, None) == {"statusCode": 200}
            (line,) = self.lines.taken()
            word = str(line["status"])
            entries, self.gateway.queue.waiting = self.gateway.queue.waiting, []
            if entries:
                word = self._judged(entries)
            self.told = self.gateway.sockets.heard(SOCKET)
        return word

    def from_queue(self, bodies: Iterable[str | bytes]) -> str:
        """The status of the last of these records, in one batch; none may come again."""
        texts = [it if isinstance(it, str) else it.decode("utf-8", "replace") for it in bodies]
        records = [{"messageId": f"message-{at}", "body": body} for at, body in enumerate(texts)]
        answered = arbiter_function.handler({"Records": records}, None)
        assert answered == {"batchItemFailures": []}
        statuses = [str(line["status"]) for line in self.lines.taken()]
        assert len(statuses) == len(texts)
        self.judged += zip(texts, statuses, strict=True)
        return statuses[-1]

    def asked(self, method: str, path: str, **more: Any) -> str:
        """Status and words of the answer to a request."""
        answer = self.browser.ask(method, path, **more)
        assert self.lines.taken() == []
        assert MARK not in "".join((*answer.headers.values(), answer.body))
        if not answer.headers.get("Content-Type", "").endswith("json"):
            return str(answer.status)
        said = answer.json
        words = said.get("error") or said.get("detail") if isinstance(said, dict) else None
        return f"{answer.status} {words}" if words else str(answer.status)

    @property
    def snapshot(self) -> Snapshot:
        world, browsers = self.world, self.web.browsers
        assert isinstance(browsers, FakeBrowsers)
        return Snapshot(
            {
                game.id: (game.moves, game.outcome, game.offer, game.white, game.black)
                for game in world.games.by_id.values()
            },
            {
                pool.name: tuple(seek.seat.player for seek in pool.waiting)
                for pool in world.lobby.pools.values()
                if pool.waiting
            },
            frozenset(world.lobby.challenges),
            frozenset(browsers.taken),
        )

    @cached_property
    def web(self) -> WebDeps:
        """The HTTP API's own deps, beside the same games."""
        world = self.world
        return Site(games=world.games, ratings=world.ratings, clock=world.clock).deps()

    @cached_property
    def browser(self) -> Browser:
        """A client of the HTTP API."""
        return Browser(make_app(self.web))

    def _judged(self, entries: Iterable[QueueEntry]) -> str:
        assert [
            entry for entry in entries if not re.fullmatch("[0-9a-f]{64}", entry.group_id)
        ] == []
        assert [entry for entry in entries if not entry.body.isascii()] == []
        return self.from_queue(entry.body for entry in entries)


def a_game(**other: Any) -> Game:
    """PLAYER's game against RIVAL, in which nothing was played yet; ``other`` fields as given."""
    fields: dict[str, Any] = {
        "id": GAME,
        "white": Seat(PLAYER.pubkey, "native"),
        "black": Seat(RIVAL.pubkey, "native"),
        "created_at_ms": BEGUN_MS,
        "changed_at_ms": BEGUN_MS,
    }
    return Game(**(fields | other))


def _sound(text: str) -> dict[str, Any]:
    assert MARK.lower() not in text.lower(), text
    line = json.loads(text)
    assert isinstance(line, dict), text
    for name, value in line.items():
        assert _LOGGED.fullmatch(name), text
        assert value is None or isinstance(value, int) or _LOGGED.fullmatch(value), text
    return line


ENTRY_POINTS: dict[str, Callable[[Scenario, Iterable[str | bytes]], str]] = {
    "relay": Scenario.from_relay,
    "socket": Scenario.from_socket,
    "queue": Scenario.from_queue,
}
"""The entry points of strangers' bytes; each returns the answer to the last."""
