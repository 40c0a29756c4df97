"""A game of the NIP-100 draft at the gateway, by two players who come back when a socket is gone.

What was not answered is sent again as it was, byte for byte, which must change nothing.
"""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence

import chess
from websockets.exceptions import WebSocketException

from clients.probes.endpoints import Endpoints
from tests.chaos.kept_moves import kept_moves
from tests.chaos.played import Played
from tests.e2e.nip100_client import DRAW, MOVE, OFFER_SENT, Nip100Client, Told

_PATIENCE_SECONDS = 8.0
_PAUSE_SECONDS = 0.5
# Where the gateway's function died in the middle of a frame, the emulator says so in plain words.
_GONE = (OSError, TimeoutError, WebSocketException, json.JSONDecodeError)


class SocketPlayer:
    """A player of the draft whose socket may go at any time."""

    def __init__(self, endpoints: Endpoints) -> None:
        self.client = Nip100Client(endpoints.websocket, endpoints.server)
        self.saw = Counter[str]()
        self._sockets = contextlib.AsyncExitStack()

    async def connect(self) -> None:
        """Have a socket, a new one if there was one."""
        await self.leave()
        await self._sockets.enter_async_context(self.client.connected())

    async def leave(self) -> None:
        """Hang up."""
        with contextlib.suppress(*_GONE):
            await self._sockets.aclose()
        self._sockets = contextlib.AsyncExitStack()

    async def come_back(self) -> None:
        """Connect again until the server says which colour we have, and tells what we missed."""
        while True:
            self.saw["came back"] += 1
            await asyncio.sleep(_PAUSE_SECONDS)
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self.connect()
                    known = len(self.client.board.move_stack)
                    verdict = await self.client.search(known_plies=known)
                if verdict.text in chess.COLOR_NAMES:
                    return
                self.saw[verdict.text.partition(":")[0] or "no game"] += 1

    async def play(self, uci: str) -> None:
        """Send a move until it is called valid; it is on the board then."""
        ply = len(self.client.board.move_stack) + 1
        event = self.client.signed(MOVE, uci, [["ply", str(ply)]])
        while True:
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self.client.send(event)
                    verdict = await self.client.verdict_on(event["id"])
                if verdict.accepted:
                    self.client.board.push_uci(uci)
                    return
                self.saw[verdict.text.partition(":")[0]] += 1
            await self.come_back()

    async def hear_move(self) -> None:
        """Wait until the opponent's next move is told; it is on the board then."""
        ply = str(len(self.client.board.move_stack) + 1)

        def is_next(told: Told) -> bool:
            said = told.number == DRAW and told.content != OFFER_SENT
            return said and told.values("ply") == (ply,)

        while True:
            with contextlib.suppress(*_GONE):
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    told = await self.client._told(is_next)
                self.client.board.push_uci(told.content)
                return
            await self.come_back()


class SocketGame:
    """Two of them. Make it with `socket_game`."""

    name = "gateway"

    def __init__(
        self,
        players: tuple[SocketPlayer, SocketPlayer],
        endpoints: Endpoints,
        game_id: str,
        script: Sequence[str],
    ) -> None:
        """``players`` are White and Black."""
        self._players = players
        self._endpoints = endpoints
        self._game_id = game_id
        self._script = script
        self._told = {(0, chess.STARTING_FEN)}

    async def move_on(self) -> None:
        """One ply: called valid to the one, and told to the other."""
        white, black = self._players
        ply = len(white.client.board.move_stack)
        mover, other = (white, black) if ply % 2 == 0 else (black, white)
        await asyncio.gather(mover.play(self._script[ply]), other.hear_move())
        for player in self._players:
            self._told.add((ply + 1, player.client.board.fen()))

    async def finish(self) -> Played:
        """White resigns, and goes."""
        verdict = await self._players[0].client.resign()
        assert verdict.accepted, verdict
        kept = await asyncio.to_thread(kept_moves, self._endpoints, self._game_id)
        saw = self._players[0].saw + self._players[1].saw
        return Played(self._script, frozenset(self._told), kept, saw)


@contextlib.asynccontextmanager
async def socket_game(endpoints: Endpoints, script: Sequence[str]) -> AsyncIterator[SocketGame]:
    """A game that has just begun."""
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
    """The id of the game in which these two met; None if somebody from the round before, whose
    request came late, met one of them. Nobody is left waiting then.
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
