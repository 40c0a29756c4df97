"""The game of the whole rehearsal, by independent clients. Invariant: no move is sent before both
saw the one before; at the end, both are compared with the script.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE
from clients.probes.matches import Match, play_out, seated
from clients.probes.raw_socket import opened
from local.rehearsal import expect

# Donald Byrne against Bobby Fischer, New York 1956: long enough for two deployments, and a mate.
SCRIPT = tuple(
    (  # noqa: SIM905 - to be read in lines
        "g1f3 g8f6 c2c4 g7g6 b1c3 f8g7 d2d4 e8g8 c1f4 d7d5 d1b3 d5c4 b3c4 c7c6 e2e4 b8d7 a1d1 d7b6 "
        "c4c5 c8g4 f4g5 b6a4 c5a3 a4c3 b2c3 f6e4 g5e7 d8b6 f1c4 e4c3 e7c5 f8e8 e1f1 g4e6 c5b6 e6c4 "
        "f1g1 c3e2 g1f1 e2d4 f1g1 d4e2 g1f1 e2c3 f1g1 a7b6 a3b4 a8a4 b4b6 c3d1 h2h3 a4a2 g1h2 d1f2 "
        "h1e1 e8e1 b6d8 g7f8 f3e1 c4d5 e1f3 f2e4 d8b8 b7b5 h3h4 h7h5 f3e5 g8g7 h2g1 f8c5 g1f1 e4g3 "
        "f1e1 c5b4 e1d1 d5b3 d1c1 g3e2 c1b1 e2c3 b1c1 a2c2"
    ).split()
)
_STEP_SECONDS = 120.0
_POLL_SECONDS = 0.01


class LongGame:
    """Two players and their game. Make it with `begun`."""

    def __init__(self, endpoints: Endpoints, match: Match) -> None:
        self._endpoints = endpoints
        self._match = match
        self.ply = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def begun(cls, endpoints: Endpoints) -> AsyncIterator["LongGame"]:
        async with seated(endpoints, SCRIPT) as match:
            yield cls(endpoints, match)

    @property
    def id(self) -> str:
        return self._match.game_id

    @property
    def white(self) -> str:
        return self._match.white.pubkey

    async def play_to(self, ply: int) -> float:
        """Play until this many plies were played; the seconds that the slowest of them took."""
        slowest = 0.0
        while self.ply < ply:
            started = time.monotonic()
            async with asyncio.timeout(_STEP_SECONDS):
                await self._match.play_to(self.ply + 1)
            slowest = max(slowest, time.monotonic() - started)
            self.ply += 1
        return slowest

    async def play_during(
        self, work: Callable[[], None], limit: int, pause_seconds: float
    ) -> float:
        """Have moves made while a thread works, up to ``limit`` plies; the slowest's seconds."""
        slowest = 0.0
        working = asyncio.create_task(asyncio.to_thread(work))
        while not working.done():
            slowest = max(slowest, await self.play_to(min(self.ply + 1, limit)))
            await asyncio.wait({working}, timeout=pause_seconds)
        await working
        return slowest

    async def one_over_the_gateway(self) -> None:
        """Send a move over the gateway's socket; both players see it on the relay."""
        mover = self._match.players[self.ply % 2]
        async with asyncio.timeout(_STEP_SECONDS):
            async with opened(self._endpoints, mover.keys) as socket:
                shown = await socket.subscribe("game", kinds=[GAME_STATE], tag_d=[self.id])
                answer = await socket.move(shown[-1], SCRIPT[self.ply])
                expect(answer[2] is True, f"a move was not taken: {answer}")
            self.ply += 1
            # Without `play_to`, which would send the move again.
            for player in self._match.players:
                # A player has no event to wait for.
                while player.position is None or player.position.ply < self.ply:  # noqa: ASYNC110
                    await asyncio.sleep(_POLL_SECONDS)

    async def to_the_end(self) -> None:
        """Play to mate, receive the note, and compare everything that was seen with the script."""
        async with asyncio.timeout(_STEP_SECONDS):
            await play_out(self._match, SCRIPT, "0-1")
