"""`make kills`: `arbiter serve` is killed by kill -9 at random moments, KILLS=1000 times, while
native, NIP-100 and HTTP players play; then what they were answered is compared with what it keeps.

Some kills come while it starts and reads what the last one left. Prints a row every so many kills;
the exit code is 1 if a move that was answered was lost, or one was made twice. `SEED=n` repeats the
moves and the moments.
"""

import asyncio
import contextlib
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

from tests.chaos.played import Played, random_script
from tests.chaos.relay_games import native_game
from tests.chaos.rounds import Fault, Going, Row, play_round, report
from tests.chaos.server_games import browser_game, socket_game
from tests.server.running_server import RunningServer, bundled_relay, running_server

_KILLS_IN_A_ROUND = 25
_GAMES_OF_EACH = 2  # of those at its own servers
_PACE_SECONDS = 0.05
# After some game has moved in this life, which takes it that long at most.
_MAX_LIFE_SECONDS = 0.5
_PATIENCE_SECONDS = 3.0
_OF_KILLS_WHILE_STARTING = 0.2
_UNLIMITED = {"ARBITER_HTTP_PER_ADDRESS": "0"}


def main() -> int:
    """Run it all; the exit code."""
    kills = int(os.environ.get("KILLS") or 1000)
    seed = int(os.environ.get("SEED") or random.randrange(10**6))
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        rows = rounds(Path(folder), kills, random.Random(seed))
        return report(f"KILLS={kills} SEED={seed}", rows)


def rounds(folder: Path, kills: int, chance: random.Random) -> Iterator[Row]:
    """Kill a server of its own so many times, over and over on the same file."""
    with (
        bundled_relay(folder / "relay") as relay,
        running_server(folder / "server", relay, **_UNLIMITED) as server,
    ):
        for done in range(0, kills, _KILLS_IN_A_ROUND):
            count = min(_KILLS_IN_A_ROUND, kills - done)
            yield asyncio.run(_round(server, count, done, chance))


async def _round(server: RunningServer, kills: int, before: int, chance: random.Random) -> Row:
    async with _games(server, chance) as games:
        watched = [Watched(game) for game in games]
        name = f"kill -9, {before + 1} to {before + kills}"
        fault = Fault(name, partial(_kill, server, kills, watched, chance))
        return await play_round(fault, watched, _PACE_SECONDS)


class Watched:
    """A game, and whether it has moved."""

    def __init__(self, game: Going) -> None:
        self._game = game
        self.name = game.name
        self.has_moved = threading.Event()

    async def move_on(self) -> None:
        """As the game itself."""
        await self._game.move_on()
        self.has_moved.set()

    async def finish(self) -> Played:
        """As the game itself."""
        return await self._game.finish()


def _kill(
    server: RunningServer, kills: int, games: Sequence[Watched], chance: random.Random
) -> None:
    for _ in range(kills):
        game = chance.choice(games)
        game.has_moved.clear()
        game.has_moved.wait(_PATIENCE_SECONDS)
        time.sleep(chance.uniform(0, _MAX_LIFE_SECONDS))
        server.kill()
        server.begin_to_start()
        if chance.random() > _OF_KILLS_WHILE_STARTING:
            server.until_ready()
    server.until_ready()


@contextlib.asynccontextmanager
async def _games(server: RunningServer, chance: random.Random) -> AsyncIterator[list[Going]]:
    """New games on every wire, begun one after the other, or strangers would meet."""
    endpoints = server.endpoints
    beginnings: list[AbstractAsyncContextManager[Going]] = [
        native_game(
            "native, over a relay",
            endpoints,
            random_script(chance),
            (endpoints.relays, endpoints.relays),
            # A refused move without a state could count when the relay brings it back, once the
            # game has forgotten it for more than seven others.
            both_name_the_state=True,
        )
    ]
    for _ in range(_GAMES_OF_EACH):
        beginnings += [
            socket_game(endpoints, random_script(chance)),
            browser_game(endpoints, random_script(chance)),
        ]
    async with contextlib.AsyncExitStack() as stack:
        yield [await stack.enter_async_context(beginning) for beginning in beginnings]


if __name__ == "__main__":
    sys.exit(main())
