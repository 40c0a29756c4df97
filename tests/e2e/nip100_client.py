"""A client of NIP-100, written from the draft alone, on a raw WebSocket.

Invariant: it shares nothing with the arbiter but the draft. It imports none of our code, keeps a
board of its own and sends no tag that it is not asked for; a frame that the draft does not name,
that is not signed or that does not fit the board is a `Complaint`.
"""

import contextlib
import itertools
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import chess
import nostr_sdk  # type: ignore[import-untyped]
from websockets.asyncio.client import ClientConnection, connect

SEARCH = 5000
MOVE = 5001
DRAW = 5002
RESIGN = 5003

GAME_FOUND = "gameisfound"
OFFER_SENT = "offersent"
OPPONENT_RESIGNED = "opponentresigned"
DRAWN = "gamedraw"
CHECKMATE = "gamecheckmate"
# The draft has no word for who loses by illegal moves; this one the arbiter documents as its own.
GAME_OVER = "gameover"
_ENDINGS = (OPPONENT_RESIGNED, DRAWN, CHECKMATE, GAME_OVER)

# NIP-01: an OK that says no gives one of these words first.
_WORDS = "duplicate pow blocked rate-limited invalid restricted mute error"
_OK_PREFIXES = tuple(f"{word}: " for word in _WORDS.split(" "))
_EVENT_FIELDS = {"id", "pubkey", "created_at", "kind", "tags", "content", "sig"}


class Complaint(Exception):
    """The server said what the draft does not let it say; the text is what."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An OK: about one of our events, true or false, and a word or a reason."""

    event_id: str
    accepted: bool
    text: str


@dataclass(frozen=True, slots=True)
class Told:
    """An EVENT: the number in the frame, and the event as it came, its signature checked."""

    number: int
    event: dict[str, Any]

    @property
    def content(self) -> str:
        return str(self.event["content"])

    def values(self, name: str) -> tuple[str, ...]:
        """The second elements of all tags of this name, in order."""
        return tuple(tag[1] for tag in self.event["tags"] if tag[0] == name)


Frame = Verdict | Told


def _is_move(told: Told) -> bool:
    return told.number == DRAW and told.content != OFFER_SENT


class Nip100Client:
    """One player, on one socket at a time. Make the socket with `connected`.

    ``heard`` is every frame of every socket in the order of arrival, ``unread`` those that were not
    asked for yet; ``sent`` are this player's events as they were sent.
    """

    def __init__(self, url: str, server: str, *, keys: nostr_sdk.Keys | None = None) -> None:
        """``server`` is the pubkey, 64 hex, that signs what no player signed."""
        self.keys = keys or nostr_sdk.Keys.generate()
        self.board = chess.Board()
        self.color: chess.Color | None = None
        self.heard: list[Frame] = []
        self.unread: list[Frame] = []
        self.sent: list[dict[str, Any]] = []
        self._url = url
        self._server = server
        self._socket: ClientConnection | None = None

    @property
    def pubkey(self) -> str:
        return str(self.keys.public_key().to_hex())

    @contextlib.asynccontextmanager
    async def connected(self) -> AsyncIterator["Nip100Client"]:
        async with connect(self._url, compression=None) as self._socket:
            yield self

    def drop(self) -> None:
        """Lose the socket without a close frame, as a phone in a tunnel does."""
        assert self._socket is not None
        self._socket.transport.abort()

    async def search(
        self, *, known_plies: int | None = None, opponent: str | None = None
    ) -> Verdict:
        """Ask for a game, or for the one that is on; the first answer.

        Extensions of ours: with ``known_plies`` for all moves of the game after those, with
        ``opponent`` (64 hex) for a game with that player.
        """
        tags: list[list[str]] = []
        if known_plies is not None:
            tags.append(["ply", str(known_plies)])
        if opponent is not None:
            tags.append(["challenge", opponent])
        verdict = await self.say(SEARCH, "connect", tags)
        if verdict.accepted and verdict.text:
            self._take_color(verdict)
        return verdict

    async def cancel_search(self) -> Verdict:
        return await self.say(SEARCH, "cancelsearch")

    async def play(self, uci: str) -> Verdict:
        """Send a move; it is played on the board once it is called valid."""
        verdict = await self.say(MOVE, uci)
        if verdict.accepted:
            self.board.push_uci(uci.lower())
        return verdict

    async def resign(self) -> Verdict:
        return await self.say(RESIGN, "resign")

    async def say(self, kind: int, content: str, tags: Sequence[Sequence[str]] = ()) -> Verdict:
        """Send an event; what became of it."""
        event = self.signed(kind, content, tags)
        await self.send(event)
        return await self.verdict_on(event["id"])

    def signed(self, kind: int, content: str, tags: Sequence[Sequence[str]] = ()) -> dict[str, Any]:
        """An event of this player's that was not sent yet. The draft knows no tags: the same word
        twice in a second needs a later date to be another event, and what follows is no earlier.
        """
        known = {event["id"] for event in self.sent}
        latest = max((event["created_at"] for event in self.sent), default=0)
        draft = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
        draft = draft.tags([nostr_sdk.Tag.parse(list(tag)) for tag in tags])
        for date in itertools.count(max(int(time.time()), latest)):
            dated = draft.custom_created_at(nostr_sdk.Timestamp.from_secs(date))
            event: dict[str, Any] = json.loads(dated.finalize(self.keys).as_json())
            if event["id"] not in known:
                return event
        raise AssertionError

    async def send(self, event: dict[str, Any]) -> None:
        assert self._socket is not None
        self.sent.append(event)
        await self._socket.send(json.dumps(["EVENT", event]))

    async def verdict_on(self, event_id: str) -> Verdict:
        """The next OK about this event."""
        frame = await self._next(
            lambda frame: isinstance(frame, Verdict) and frame.event_id == event_id
        )
        assert isinstance(frame, Verdict)
        return frame

    async def until_seated(self) -> Told:
        """Wait for the game that was asked for; the server's event about it."""
        (asked,) = [e["id"] for e in self.sent if e["content"] == "connect"][-1:]
        found = await self._told(lambda told: told.content == GAME_FOUND)
        self.board = chess.Board()
        self._take_color(await self.verdict_on(asked))
        return found

    async def until_moved(self) -> Told:
        """The next move that comes, the opponent's or a missed one; it is played on the board."""
        return self._pushed(await self._told(_is_move))

    def _pushed(self, told: Told) -> Told:
        move = chess.Move.from_uci(told.content)
        if move not in self.board.legal_moves:
            raise Complaint(f"{told.content} is illegal in {self.board.fen()}")
        self.board.push(move)
        return told

    async def until_over(self) -> Told:
        return await self._told(lambda told: told.content in _ENDINGS)

    async def _told(self, is_wanted: Callable[[Told], bool]) -> Told:
        frame = await self._next(lambda frame: isinstance(frame, Told) and is_wanted(frame))
        assert isinstance(frame, Told)
        return frame

    async def _next(self, is_wanted: Callable[[Frame], bool]) -> Frame:
        for frame in self.unread:
            if is_wanted(frame):
                self.unread.remove(frame)
                return frame
        assert self._socket is not None
        while True:
            frame = self._read(await self._socket.recv())
            # As everywhere in Nostr, an event may come twice, and is one event by its id.
            is_known = isinstance(frame, Told) and frame in self.heard
            self.heard.append(frame)
            if is_known:
                continue
            if is_wanted(frame):
                return frame
            self.unread.append(frame)

    def _take_color(self, verdict: Verdict) -> None:
        if not verdict.accepted or verdict.text not in chess.COLOR_NAMES:
            raise Complaint(f"no color: {verdict}")
        self.color = verdict.text == "white"

    def _read(self, text: str | bytes) -> Frame:
        match json.loads(text) if isinstance(text, str) else None:
            case ["OK", str(event_id), bool(accepted), str(reason)]:
                return self._checked_verdict(Verdict(event_id, accepted, reason))
            case ["EVENT", int(number), dict(event)]:
                return self._checked_event(Told(number, event))
            case _:
                raise Complaint(f"no frame of the draft: {text!r}")

    def _checked_verdict(self, verdict: Verdict) -> Verdict:
        if verdict.event_id not in {event["id"] for event in self.sent}:
            raise Complaint(f"about an event that is not mine: {verdict}")
        if not verdict.accepted and not verdict.text.startswith(_OK_PREFIXES):
            raise Complaint(f"a refusal without a reason of NIP-01: {verdict}")
        return verdict

    def _checked_event(self, told: Told) -> Told:
        event = told.event
        if set(event) != _EVENT_FIELDS:
            raise Complaint(f"no event of NIP-01: {event}")
        if not nostr_sdk.Event.from_json(json.dumps(event)).verify():
            raise Complaint(f"not signed: {event}")
        match told.number, event["kind"], told.content:
            case 5000, 5000, content if content in (GAME_FOUND, *_ENDINGS):
                is_rightly_signed = event["pubkey"] == self._server
            case 5002, 5001, _:
                is_rightly_signed = event["pubkey"] not in {self._server, self.pubkey}
            case 5002, 5002, _:
                is_rightly_signed = event["pubkey"] == self._server
            case _:
                raise Complaint(f"no word of the draft: {told}")
        if not is_rightly_signed:
            raise Complaint(f"signed by another key: {told}")
        return told
