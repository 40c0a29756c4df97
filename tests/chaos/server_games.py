"""Games at the arbiter's own servers, which may go at any time: NIP-100 at the gateway, by players
who come back and resend unanswered events byte for byte, which must change nothing; and a hot-seat
game over HTTP, whose requests have no ids, so that the board shows whether a move was made.
"""

import asyncio
import contextlib
import http.client
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import ClassVar, TypeVar

import chess
from websockets.exceptions import WebSocketException

from clients.probes.endpoints import Endpoints
from clients.probes.hot_seat_client import ChessgameClient, Moved, Refused
from clients.probes.http_client import Answer
from tests.chaos.played import Played, kept_moves
from tests.e2e.nip100_client import DRAW, MOVE, OFFER_SENT, Nip100Client, Told

_PATIENCE_SECONDS = 8.0
_PAUSE_SECONDS = 0.05
# Where the gateway's function died in the middle of a frame, the emulator says so in plain words.
_GONE = (OSError, TimeoutError, WebSocketException, json.JSONDecodeError)
_Answer = TypeVar("_Answer")


class SocketPlayer:
    """A player of the draft whose socket may go at any time."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.client = Nip100Client(endpoints.websocket, endpoints.server)
        self._sockets = contextlib.AsyncExitStack()

    async def connect(self) -> None:
        await self.leave()
        await self._sockets.enter_async_context(self.client.connected())

    async def leave(self) -> None:
        with contextlib.suppress(*_GONE):
            await self._sockets.aclose()
        self._sockets = contextlib.AsyncExitStack()

    async def play(self, uci: str) -> None:
        """Send a move until it is called valid; it is on the board then."""
        ply = len(self.client.board.move_stack) + 1
        event = self.client.signed(MOVE, uci, [["ply", str(ply)]])

        async def attempt() -> bool:
            await self.client.send(event)
            return (await self.client.verdict_on(event["id"])).accepted

        await self._until_done(attempt)
        self.client.board.push_uci(uci)

    async def hear_move(self) -> None:
        """Wait for the opponent's next move; it is on the board then."""
        ply = str(len(self.client.board.move_stack) + 1)
        moves: list[str] = []

        def is_next(told: Told) -> bool:
            is_move = told.number == DRAW and told.content != OFFER_SENT
            return is_move and told.values("ply") == (ply,)

        async def attempt() -> bool:
            moves.append((await self.client._told(is_next)).content)
            return True

        await self._until_done(attempt)
        self.client.board.push_uci(moves[0])

    async def _until_done(self, attempt: Callable[[], Awaitable[bool]]) -> None:
        while True:
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    if await attempt():
                        return
            await self._come_back()

    async def _come_back(self) -> None:
        """Connect again until the server tells the player's colour, and the moves they missed."""
        while True:
            await asyncio.sleep(_PAUSE_SECONDS)
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self.connect()
                    known = len(self.client.board.move_stack)
                    verdict = await self.client.search(known_plies=known)
                if verdict.text in chess.COLOR_NAMES:
                    return


@dataclass
class SocketGame:
    """Two of them, White and Black. Make it with `socket_game`."""

    name: ClassVar = "gateway"

    players: tuple[SocketPlayer, SocketPlayer]
    endpoints: Endpoints
    game_id: str
    script: Sequence[str]
    told: set[tuple[int, str]] = field(default_factory=lambda: {(0, chess.STARTING_FEN)})

    async def move_on(self) -> None:
        """One ply: called valid to the one player, and sent to the other."""
        white, black = self.players
        ply = len(white.client.board.move_stack)
        mover, other = (white, black) if ply % 2 == 0 else (black, white)
        await asyncio.gather(mover.play(self.script[ply]), other.hear_move())
        for player in self.players:
            self.told.add((ply + 1, player.client.board.fen()))

    async def finish(self) -> Played:
        """White resigns."""
        verdict = await self.players[0].client.resign()
        assert verdict.accepted, verdict
        kept = await asyncio.to_thread(kept_moves, self.endpoints, self.game_id)
        return Played(self.script, frozenset(self.told), kept)


@contextlib.asynccontextmanager
async def socket_game(endpoints: Endpoints, script: Sequence[str]) -> AsyncIterator[SocketGame]:
    while True:
        players = SocketPlayer(endpoints), SocketPlayer(endpoints)
        try:
            if game_id := await _seated(players):
                first, second = players
                seats = (first, second) if first.client.color else (second, first)
                yield SocketGame(seats, endpoints, game_id, script)
                return
        finally:
            for player in players:
                await player.leave()


async def _seated(players: tuple[SocketPlayer, SocketPlayer]) -> str | None:
    """The id of the game in which these two met; None if a player of the round before, whose
    request came late, met one of them. Neither is left waiting then.
    """
    for player in players:
        await player.connect()
        await player.client.search()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_SECONDS):
            found = [await player.client.until_seated() for player in players]
        one, other = (told.values("d")[0] for told in found)
        if one == other:
            return one
    for player in players:
        await player.client.cancel_search()
    return None


class BrowserGame:
    """Both players at one browser. Make it with `browser_game`."""

    name = "hot seat"

    def __init__(
        self, browser: ChessgameClient, endpoints: Endpoints, game_id: str, script: Sequence[str]
    ) -> None:
        self._browser = browser
        self._endpoints = endpoints
        self._game_id = game_id
        self._script = script
        self._board = chess.Board()
        self._told = {(0, self._board.fen())}

    async def move_on(self) -> None:
        """One ply, answered or seen on the board."""
        uci = self._script[self._board.ply()]
        query = f"?promotion={uci[4]}" if len(uci) > 4 else ""
        make_move = partial(self._browser.make_move, uci[:2], uci[2:4], query)
        while True:
            moved = await self._answer_to(make_move)
            if isinstance(moved, Moved):
                self._push(uci, moved.board.placement)
                return
            loaded = await self._answer_to(self._browser.load_game)
            if isinstance(loaded, tuple) and loaded[0].move_number > self._board.ply():
                self._push(uci, loaded[0].placement)
                return
            await asyncio.sleep(_PAUSE_SECONDS)

    async def finish(self) -> Played:
        """At one browser there is no resigning, so the game stays open."""
        kept = await asyncio.to_thread(kept_moves, self._endpoints, self._game_id)
        return Played(self._script, frozenset(self._told), kept)

    def _push(self, uci: str, placement: str) -> None:
        """Record the shown placement, with what the rules say of the rest of the FEN."""
        self._board.push_uci(uci)
        _, _, rest = self._board.fen().partition(" ")
        self._told.add((self._board.ply(), f"{placement} {rest}"))

    async def _answer_to(self, ask: Callable[[], _Answer]) -> _Answer | Refused | None:
        """The server's answer, or None where it does not answer or fails."""
        try:
            answer = await asyncio.to_thread(ask)
        except (OSError, http.client.HTTPException):
            pass
        except AssertionError as odd:
            match odd.args:
                case [Answer(status=status)] if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    pass
                case _:
                    raise
        else:
            return answer
        self._browser.http.close()
        return None


@contextlib.asynccontextmanager
async def browser_game(endpoints: Endpoints, script: Sequence[str]) -> AsyncIterator[BrowserGame]:
    browser = ChessgameClient(endpoints.http)
    try:
        new = await asyncio.to_thread(browser.new_game)
        assert isinstance(new, tuple), new
        yield BrowserGame(browser, endpoints, str(new[0].id), script)
    finally:
        browser.http.close()
