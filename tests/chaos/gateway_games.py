"""Native games at the gateway, by players who come back as soon as their socket is gone.

They trust what they were answered: a move with an OK is never sent again, so one that the arbiter
forgot would stop the game. Now and then they send an old move again, which must change nothing.
"""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from websockets.exceptions import WebSocketException

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE
from clients.probes.raw_socket import Event, RawSocket, opened, seated
from tests.chaos.played import Played, kept_moves

_GONE = (OSError, TimeoutError, WebSocketException)
_PAUSE_SECONDS = 0.05
_SENDS_AGAIN = 0.1


class GatewayPlayer:
    """A player whose socket may go at any time; ``state`` is the last that they were shown."""

    def __init__(
        self, endpoints: Endpoints, socket: RawSocket, state: Event, chance: random.Random
    ) -> None:
        self.told = {(ply_of(state), str(state["content"]))}
        self.sent: list[Event] = []
        self.pubkey = socket.pubkey
        self._endpoints = endpoints
        self._keys = socket.keys
        self._socket = socket
        self._sockets = contextlib.AsyncExitStack()
        self._state = state
        self._chance = chance

    async def leave(self) -> None:
        """Close the socket."""
        with contextlib.suppress(*_GONE):
            await self._sockets.aclose()
        self._sockets = contextlib.AsyncExitStack()

    async def play(self, uci: str) -> None:
        """Send a move until there is an OK about it, and wait for the state after it."""
        event, ply = self._move(uci), ply_of(self._state)
        has_ok = False
        while not has_ok and ply_of(self._state) == ply:
            try:
                answer = await self._socket.publish(event)
            except _GONE:
                await self._come_back()
            else:
                assert answer[2], answer
                has_ok = True
        self.sent.append(event)
        await self.see(ply + 1)
        if self._chance.random() < _SENDS_AGAIN:
            with contextlib.suppress(*_GONE):
                await self._socket.say("EVENT", self._chance.choice(self.sent))

    async def see(self, ply: int) -> None:
        """Wait until the state after so many plies is shown."""
        while ply_of(self._state) < ply:
            try:
                self._show(await self._socket.event("mine", GAME_STATE))
            except _GONE:
                await self._come_back()

    def _show(self, state: Event) -> None:
        self.told.add((ply_of(state), str(state["content"])))
        self._state = max(self._state, state, key=ply_of)

    async def _come_back(self) -> None:
        while True:
            await self.leave()
            await asyncio.sleep(_PAUSE_SECONDS)
            with contextlib.suppress(*_GONE):
                self._socket = await self._sockets.enter_async_context(
                    opened(self._endpoints, self._keys)
                )
                game = self._state["tags"][0][1]
                for state in await self._socket.subscribe("mine", kinds=[GAME_STATE], tag_d=[game]):
                    self._show(state)
                return

    def _move(self, uci: str) -> Event:
        (_, game), (_, white), (_, black) = self._state["tags"][:3]
        named = [["d", game], ["p", self._endpoints.server], ["p", white], ["p", black]]
        return self._socket.signed(20303, uci, *named, ["e", self._state["id"]])


@dataclass
class GatewayGame:
    """Two of them, White and Black. Make it with `gateway_game`."""

    name: ClassVar = "native, at the gateway"

    players: tuple[GatewayPlayer, GatewayPlayer]
    endpoints: Endpoints
    game_id: str
    script: Sequence[str]
    ply: int = 0

    async def move_on(self) -> None:
        """One ply, shown to both."""
        mover, other = self.players[:: 1 if self.ply % 2 == 0 else -1]
        uci, self.ply = self.script[self.ply], self.ply + 1
        await asyncio.gather(mover.play(uci), other.see(self.ply))

    async def finish(self) -> Played:
        """The game stays open."""
        kept = await asyncio.to_thread(kept_moves, self.endpoints, self.game_id)
        white, black = self.players
        told = frozenset(white.told | black.told)
        return Played(self.script, told, kept)


@contextlib.asynccontextmanager
async def gateway_game(
    endpoints: Endpoints, script: Sequence[str], chance: random.Random
) -> AsyncIterator[GatewayGame]:
    """A game that has just begun."""
    async with seated(endpoints) as (white, black, state):
        players = (
            GatewayPlayer(endpoints, white, state, chance),
            GatewayPlayer(endpoints, black, state, chance),
        )
        try:
            yield GatewayGame(players, endpoints, _tag(state, "d"), script)
        finally:
            for player in players:
                await player.leave()


def ply_of(state: Event) -> int:
    """The number of plies in the state."""
    return int(_tag(state, "ply"))


def _tag(event: Event, name: str) -> Any:
    return next(tag[1] for tag in event["tags"] if tag[0] == name)
