"""The game that is played through the whole rehearsal, by independent clients.

It runs beside the deployments, in a thread with its own event loop. Invariant: no move is sent
before both players saw the one before, so a lost move stops the game; at the end, what both saw is
compared with the script, position by position.
"""

import asyncio
import contextlib
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, PGN_NOTE
from clients.probes.matches import Match, check_note, check_start, check_states, seated
from clients.probes.raw_socket import opened
from local.rehearsal import expect

T = TypeVar("T")

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
RESULT = "0-1"
_STEP_SECONDS = 120.0
_POLL_SECONDS = 0.01


@dataclass(slots=True)
class Stretch:
    """The plies of a stretch of the game, and how long each took to be seen by both players."""

    seconds: list[float] = field(default_factory=list)

    @property
    def slowest(self) -> float:
        """Of the ply that took longest, in seconds; 0 where none was played."""
        return max(self.seconds, default=0.0)


class LongGame:
    """Two players and their game. Make it with `begun`; its methods block."""

    def __init__(self, endpoints: Endpoints, match: Match, loop: asyncio.AbstractEventLoop) -> None:
        self._endpoints = endpoints
        self._match = match
        self._loop = loop
        self.ply = 0

    @classmethod
    @contextlib.contextmanager
    def begun(cls, endpoints: Endpoints) -> Iterator["LongGame"]:
        """Seat two new players until the end of the block."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="players", daemon=True)
        thread.start()
        seats = seated(endpoints, SCRIPT)
        try:
            match = _result(asyncio.run_coroutine_threadsafe(_within(seats.__aenter__()), loop))
            try:
                yield cls(endpoints, match, loop)
            finally:
                leaving = _within(seats.__aexit__(None, None, None))
                _result(asyncio.run_coroutine_threadsafe(leaving, loop))
        finally:
            _result(asyncio.run_coroutine_threadsafe(_give_up_the_rest(), loop))
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    @property
    def id(self) -> str:
        """The game's id."""
        return self._match.game_id

    @property
    def players(self) -> tuple[str, str]:
        """White's and black's pubkey."""
        white, black = self._match.players
        return white.pubkey, black.pubkey

    @property
    def sent_again(self) -> int:
        """How many moves were sent again for lack of an answer."""
        sent = sum(len(player.sent) for player in self._match.players)
        # One ply went over the gateway, from a socket of its own.
        return sent - (len(SCRIPT) - 1)

    def beside(self, work: Coroutine[Any, Any, None]) -> "Future[None]":
        """Have something else go on while this game is played; it is given up at its end."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def play_to(self, ply: int) -> Stretch:
        """Play until this many plies were played, as fast as it goes."""
        stretch = Stretch()
        while self.ply < ply:
            self._ask(self._one_ply(stretch))
        return stretch

    @contextlib.contextmanager
    def moves_coming(self, limit: int, pause_seconds: float) -> Iterator[Stretch]:
        """Have a move made every so often during the block, until ``limit`` plies were played."""
        stretch = Stretch()
        stop = asyncio.Event()
        playing = asyncio.run_coroutine_threadsafe(
            self._keep_playing(stretch, stop, limit, pause_seconds), self._loop
        )
        try:
            yield stretch
        finally:
            self._loop.call_soon_threadsafe(stop.set)
            _result(playing)

    def one_over_the_gateway(self) -> None:
        """Send moves over the gateway's sockets; both players see them on the relay."""
        self._ask(self._over_the_gateway())

    def to_the_end(self) -> Stretch:
        """Play to mate, receive the note, and compare everything that was seen with the script."""
        stretch = self.play_to(len(SCRIPT))
        self._ask(self._match.until_heard(PGN_NOTE))
        check_start(self._match)
        check_states(self._match, SCRIPT)
        check_note(self._match, SCRIPT, RESULT, "checkmate")
        return stretch

    async def _one_ply(self, stretch: Stretch) -> None:
        started = time.monotonic()
        await self._match.play_to(self.ply + 1)
        stretch.seconds.append(time.monotonic() - started)
        self.ply += 1

    async def _keep_playing(
        self, stretch: Stretch, stop: asyncio.Event, limit: int, pause_seconds: float
    ) -> None:
        while not stop.is_set() and self.ply < limit:
            await _within(self._one_ply(stretch))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause_seconds)

    async def _over_the_gateway(self) -> None:
        mover = self._match.players[self.ply % 2]
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

    def _ask(self, work: Coroutine[Any, Any, T]) -> T:
        return _result(asyncio.run_coroutine_threadsafe(_within(work), self._loop))


async def _give_up_the_rest() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _within(work: Coroutine[Any, Any, T]) -> T:
    async with asyncio.timeout(_STEP_SECONDS):
        return await work


def _result(future: "Future[T]") -> T:
    return future.result()
