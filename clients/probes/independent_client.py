"""A client of the native protocol, version 2, written from its texts alone and on another library.

Invariant: it shares nothing with the arbiter but the protocol, and knows no chess: of a script it
plays its own moves when the FEN says so.
"""

import asyncio
import contextlib
import datetime as dt
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import nostr_sdk  # type: ignore[import-untyped]

REQUEST_TO_PLAY = 20300
RESPONSE = 20301
GAME_STATE = 20302
MOVE = 20303
ERROR = 20304
PGN_NOTE = 64

_SUBSCRIPTION = "arbiter"
_OK_TIMEOUT = dt.timedelta(seconds=3)
_CONNECT_TIMEOUT = dt.timedelta(seconds=5)
# Time for which this client waits for any event before it asks for the state.
_PATIENCE_SECONDS = 4.0
# The least this library allows; by itself it would wait longer and longer.
_RECONNECT_INTERVAL = dt.timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One event of the server, its signature checked by the library."""

    id: str
    kind: int
    created_at: int
    tags: tuple[tuple[str, ...], ...]
    content: str

    def values(self, name: str) -> tuple[str, ...]:
        """The second elements of all tags of this name, in order."""
        return tuple(tag[1] for tag in self.tags if tag[0] == name and len(tag) > 1)


@dataclass(frozen=True, slots=True)
class Position:
    """A game state (20302) as version 2 knows it: a game id, two players and a FEN."""

    heard: Heard

    @property
    def game_id(self) -> str:
        """The ``d`` tag."""
        return self.heard.values("d")[0]

    @property
    def players(self) -> tuple[str, str]:
        """White's and black's pubkey, 64 hex each: the ``p`` tags in their order."""
        white, black = self.heard.values("p")
        return white, black

    @property
    def fen(self) -> str:
        return self.heard.content

    @property
    def ply(self) -> int:
        """The number of plies played, counted from the FEN's move number and its turn."""
        _, turn, _, _, _, number = self.fen.split(" ")
        return 2 * (int(number) - 1) + (turn == "b")

    @property
    def to_move(self) -> str:
        """The pubkey of the player whose turn it is."""
        return self.players[self.ply % 2]


@dataclass(slots=True)
class Game:
    """The game that the client was started into."""

    id: str
    opponent: str
    color: str
    positions: list[Position] = field(default_factory=list)


class IndependentClient:
    """One player, made by `connected`. ``heard`` are the server's events in the order of arrival,
    each once; ``sent`` the moves, with the ply that they answer.
    """

    def __init__(
        self,
        relays: Sequence[str],
        server: str,
        script: Sequence[str],
        *,
        keys: nostr_sdk.Keys | None = None,
        names_the_state: bool = False,
        wants_old_events: bool = True,
        terms: Sequence[Sequence[str]] = (),
    ) -> None:
        """``server`` is hex or npub; ``names_the_state`` adds version 1's ``e`` tag; without
        ``wants_old_events`` no relay is asked for the past; ``terms`` are tags of every request.
        """
        self.heard: list[Heard] = []
        self.sent: list[tuple[int, str]] = []
        self.requests = 0
        self.keys = keys or nostr_sdk.Keys.generate()
        self._relays = [nostr_sdk.RelayUrl.parse(url) for url in relays]
        self._server = nostr_sdk.PublicKey.parse(server)
        self._script = tuple(script)
        self._names_the_state = names_the_state
        self._wants_old_events = wants_old_events
        self._terms = [list(term) for term in terms]
        self._client = nostr_sdk.ClientBuilder().build()
        self._news = asyncio.Event()

    @property
    def pubkey(self) -> str:
        """The key that this client plays with, 64 hex."""
        return str(self.keys.public_key().to_hex())

    @property
    def npub(self) -> str:
        """The same, as people write it (NIP-19)."""
        return str(self.keys.public_key().to_bech32())

    @contextlib.asynccontextmanager
    async def connected(self) -> "AsyncIterator[IndependentClient]":
        """Connect to every relay, subscribe, and listen until the end of the block."""
        for url in self._relays:
            options = nostr_sdk.RelayOptions().retry_interval(_RECONNECT_INTERVAL)
            await self._client.add_relay(url, opts=options.adjust_retry_interval(False))
        await self._client.try_connect(_CONNECT_TIMEOUT)
        notifications = self._client.notifications()
        listening = asyncio.create_task(self._listen(notifications))
        kinds = [nostr_sdk.Kind(k) for k in (RESPONSE, GAME_STATE, ERROR, PGN_NOTE)]
        wanted = nostr_sdk.Filter().kinds(kinds).author(self._server)
        wanted = wanted.pubkey(self.keys.public_key())
        if not self._wants_old_events:
            wanted = wanted.since(nostr_sdk.Timestamp.now())
        await self._client.subscribe(nostr_sdk.ReqTarget.auto([wanted]), id=_SUBSCRIPTION)
        try:
            yield self
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening
            await self._client.shutdown()

    @property
    def responses(self) -> tuple[str, ...]:
        """The contents of all responses to requests to play (20301) so far."""
        return tuple(heard.content for heard in self.heard if heard.kind == RESPONSE)

    @property
    def errors(self) -> tuple[str, ...]:
        """The contents of all errors (20304) so far."""
        return tuple(heard.content for heard in self.heard if heard.kind == ERROR)

    @property
    def notes(self) -> tuple[Heard, ...]:
        """The finished games (kind 64) seen so far."""
        return tuple(heard for heard in self.heard if heard.kind == PGN_NOTE)

    @property
    def game(self) -> Game | None:
        """The game this client was last started into, with its states in the order they came."""
        started = [text for text in self.responses if text.startswith("started:")]
        if not started:
            return None
        _, game_id, opponent, color = started[-1].split(":")
        states = (Position(heard) for heard in self.heard if heard.kind == GAME_STATE)
        return Game(game_id, opponent, color, [p for p in states if p.game_id == game_id])

    @property
    def position(self) -> Position | None:
        """The newest state of the game: of two from the same second, the one further on."""
        game = self.game
        if game is None or not game.positions:
            return None
        return max(game.positions, key=lambda p: (p.heard.created_at, p.ply))

    async def ask_to_play(self) -> None:
        """Send a request to play: for a game, or for the state of the one in progress."""
        self.requests += 1
        await self._send(REQUEST_TO_PLAY, [["p", self._server.to_hex()], *self._terms], "")

    async def ask_until_answered(self, *, patience_seconds: float = _PATIENCE_SECONDS) -> str:
        """Ask for a game until there is an answer; the answer."""
        await self.ask_to_play()
        while not self.responses:
            if not await self._anything_new(patience_seconds):
                await self.ask_to_play()
        return self.responses[-1]

    async def play_to(self, ply: int, *, patience_seconds: float = _PATIENCE_SECONDS) -> Position:
        """Play until so many plies were played; the state that says so. Without news for
        ``patience_seconds`` ask for the state and send the move again: events may be lost.
        """
        answered: str | None = None
        while True:
            position = self.position
            if position is not None and position.ply >= ply:
                return position
            if (
                position is not None
                and position.to_move == self.pubkey
                and position.heard.id != answered
            ):
                answered = position.heard.id
                await self.send_move(position, self._script[position.ply])
            if not await self._anything_new(patience_seconds):
                answered = None
                await self.ask_to_play()

    async def until_heard(self, kind: int, *, count: int = 1) -> tuple[Heard, ...]:
        """Wait for this many events of this kind."""
        while True:
            found = tuple(heard for heard in self.heard if heard.kind == kind)
            if len(found) >= count:
                return found
            await self._anything_new(None)

    async def send_move(self, position: Position, text: str) -> None:
        """Send a move or a signal in answer to this state."""
        self.sent.append((position.ply, text))
        white, black = position.players
        tags = [["d", position.game_id], ["p", self._server.to_hex()], ["p", white], ["p", black]]
        if self._names_the_state:
            tags.insert(1, ["e", position.heard.id])
        await self._send(MOVE, tags, text)

    async def _send(self, kind: int, tags: list[list[str]], content: str) -> None:
        draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
        event = draft.tags([nostr_sdk.Tag.parse(tag) for tag in tags]).finalize(self.keys)
        # If a relay fails, the game goes on through the others; if all do, the move is sent again.
        with contextlib.suppress(nostr_sdk.NostrSdkError):
            await self._client.send_event(event, ok_timeout=_OK_TIMEOUT)

    async def _anything_new(self, timeout_seconds: float | None) -> bool:
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True

    async def _listen(self, notifications: nostr_sdk.ClientNotificationStream) -> None:
        known: set[str] = set()
        while (notification := await notifications.next()) is not None:
            if not notification.is_NEW_EVENT():
                continue
            event = notification.event
            heard = Heard(
                id=event.id().to_hex(),
                kind=event.kind().as_u16(),
                created_at=event.created_at().as_secs(),
                tags=tuple(tuple(tag.to_vec()) for tag in event.tags()),
                content=event.content(),
            )
            if heard.id not in known and event.author().to_hex() == self._server.to_hex():
                known.add(heard.id)
                self.heard.append(heard)
                self._news.set()
