"""Two bots over a relay and an arbiter, while a bot, an engine and the relay are killed."""

import asyncio
import contextlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from arbiter.nostr.filters import Filter
from arbiter.nostr.keys import SecretKey
from clients.player.heard import Delivered, FromRelay
from clients.player.keys import load_key
from clients.player.messages import State, read_message
from clients.player.relays import Relays
from tests.e2e.foreign_relays import ForeignRelay, bundled
from tests.server.running_server import free_port, running_server

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

CONFIG = """
pause = 600
[engine]
name = "plain"
[matchmaking]
allow_matchmaking = true
challenge_initial_time = [120]
challenge_increment = [1]
"""
LIMIT_SECONDS = 150


class Bot:
    """A bot's process, and its key."""

    def __init__(self, folder: Path, name: str, level: int, relay: str, arbiter: str) -> None:
        self.key = folder / f"{name}.key"
        config = folder / f"{name}.toml"
        config.write_text(CONFIG)
        words = ["--config", str(config), "--name", name, "--level", str(level)]
        words += ["--key", str(self.key), "--relays", relay, "--server", arbiter]
        self._command = [sys.executable, "-m", "clients.bot", *words]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def kill_engine(self) -> None:
        assert self._process is not None
        pid = self._process.pid
        for engine in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            os.kill(int(engine), signal.SIGKILL)

    def stop(self) -> int:
        assert self._process is not None
        self._process.terminate()
        return self._process.wait(30)


@contextlib.contextmanager
def the_relay(folder: Path) -> Iterator[ForeignRelay]:
    relay = bundled(folder, free_port())
    relay.start()
    try:
        yield relay
    finally:
        relay.stop()


async def states(relay: str, arbiter: str, player: str) -> AsyncIterator[State]:
    """Every state of a player's games, as a spectator sees them."""
    seen: asyncio.Queue[FromRelay] = asyncio.Queue()
    wanted = Filter(kinds=(20302,), tags={"p": (player,)})
    relays = Relays((relay,), (wanted,), SecretKey.generate(os.urandom(32)).sign, seen.put_nowait)
    watching = asyncio.create_task(relays.run())
    try:
        while True:
            came = await seen.get()
            message = read_message(came.event, arbiter) if isinstance(came, Delivered) else None
            if isinstance(message, State):
                yield message
    finally:
        watching.cancel()
        await asyncio.wait([watching])


async def play_through(relay: ForeignRelay, arbiter: str, first: Bot, second: Bot) -> State:
    """The last state of a game during which each part is killed once."""
    player = load_key(second.key).pubkey
    accidents = [first.kill_engine, first.kill, relay.kill]
    repairs = {2: first.start, 3: relay.start}
    async with asyncio.timeout(LIMIT_SECONDS):
        async for state in states(relay.url, arbiter, player):
            if state.result is not None:
                return state
            if accidents and state.ply >= 6 * (4 - len(accidents)):
                accidents.pop(0)()
                repairs.get(3 - len(accidents), lambda: None)()
    raise AssertionError("the game has no end")


def test_a_game_is_played_to_its_end_whatever_is_killed(tmp_path: Path) -> None:
    # Of newcomers this arbiter wants work.
    asks = {"ARBITER_RULES_WORK_OF_STRANGERS": "12"}
    with the_relay(tmp_path) as relay, running_server(tmp_path, relay.url, **asks) as server:
        first, second = (
            Bot(tmp_path, name, level, relay.url, server.pubkey)
            for name, level in (("Ann", 2), ("Bob", 1))
        )
        load_key(second.key)
        first.start()
        second.start()
        try:
            last = asyncio.run(play_through(relay, server.pubkey, first, second))
        finally:
            codes = first.stop(), second.stop()

    assert last.ply > 18
    assert last.termination not in {"timeout", "aborted", "illegal-moves", "resignation"}
    assert codes == (0, 0)
    assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
