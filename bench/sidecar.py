"""The time of a move from player to player: at `arbiter lichess`, from a POST to the line on the
opponent's stream, and by the session that it shares with our bots, from sent to told. Both in turn,
over one relay.
"""

import argparse
import asyncio
import http.client
import json
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from bench.long_game import long_game
from bench.served import relay, serving
from clients.player.client import Client
from clients.player.model import News, Shown
from clients.player.relays import Relays
from clients.player.terms import Terms, TimeControl
from tests.e2e.lichess.programs import Sidecar, running

SETTLE_SECONDS = 2


class Programs:
    """Two tokens of one sidecar."""

    def __init__(self, sidecar: Sidecar) -> None:
        self._sidecar, self._tokens = sidecar, [*sidecar.tokens.values()]
        name = self.ask(1, "GET", "/api/account")["id"]
        terms = b"clock.limit=1800&clock.increment=5&color=white"
        self._game = self.ask(0, "POST", f"/api/challenge/{name}", terms)["id"]
        time.sleep(SETTLE_SECONDS)
        self.ask(1, "POST", f"/api/challenge/{self._game}/accept")
        time.sleep(SETTLE_SECONDS)
        self._streams = [self._stream(token) for token in self._tokens]
        self._posts = [http.client.HTTPConnection("127.0.0.1", sidecar.port) for _ in self._tokens]

    def ask(self, at: int, method: str, path: str, body: bytes | None = None) -> dict[str, str]:
        found: dict[str, str] = self._sidecar.ask(method, path, body, token=self._tokens[at])[1]
        return found

    def _stream(self, token: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._sidecar.port)
        path, headers = f"/api/bot/game/stream/{self._game}", {"Authorization": f"Bearer {token}"}
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    def move(self, ply: int, uci: str) -> float:
        began, post = time.perf_counter(), self._posts[ply % 2]
        headers = {"Authorization": f"Bearer {self._tokens[ply % 2]}"}
        post.request("POST", f"/api/bot/game/{self._game}/move/{uci}", headers=headers)
        for line in self._streams[1 - ply % 2]:
            if line.strip() and len(json.loads(line).get("moves", "").split()) > ply:
                break
        took = (time.perf_counter() - began) * 1000
        post.getresponse().read()
        return took


class Sessions:
    """Two keys by the session alone."""

    def __init__(self, arbiter: str, url: str) -> None:
        self._news: asyncio.Queue[News] = asyncio.Queue()
        keys = [SecretKey.generate(secrets.token_bytes(32)) for _ in "wb"]
        self._relays = [Relays((url,), (), key.sign, lambda _: None) for key in keys]
        self._players = [
            Client(key, arbiter, relays, self._tell(key.pubkey))
            for key, relays in zip(keys, self._relays, strict=True)
        ]

    def _tell(self, key: str) -> Callable[[News], None]:
        def tell(news: News) -> None:
            # Who has just moved is told, too.
            if isinstance(news, Shown) and news.state.turn == news.state.color_of(key):
                self._news.put_nowait(news)

        return tell

    async def begin(self) -> list[asyncio.Task[None]]:
        work = [it.run() for it in self._relays] + [it.run() for it in self._players]
        running = [asyncio.create_task(each) for each in work]
        await asyncio.sleep(SETTLE_SECONDS)
        white, black = self._players
        terms = Terms(time=TimeControl(1800, 5), color="white", challenge=black.me)
        handle, _ = await white.request(terms, patience=10)
        await black.ask(f"accept:{handle[:32]}", patience=10)
        await asyncio.sleep(SETTLE_SECONDS)
        return running

    async def move(self, ply: int, uci: str) -> float:
        began, mover = time.perf_counter(), self._players[ply % 2]
        saying = asyncio.create_task(mover.say(next(iter(mover.session.games)), uci, 10))
        await asyncio.wait_for(self._news.get(), 10)
        took = (time.perf_counter() - began) * 1000
        await saying
        return took


async def measure(sidecar: Sidecar, arbiter: str, url: str, moves: int) -> None:
    programs, own = Programs(sidecar), Sessions(arbiter, url)
    going = await own.begin()
    took: dict[str, list[float]] = {"arbiter lichess": [], "session": []}
    for ply, uci in enumerate(long_game(moves)):
        took["arbiter lichess"].append(await asyncio.to_thread(programs.move, ply, uci))
        took["session"].append(await own.move(ply, uci))
    for task in going:
        task.cancel()
    for name, values in took.items():
        low, median, high = statistics.quantiles(values, n=4)
        print(f"{name:16} {median:6.1f} ms  ({low:.1f} to {high:.1f})")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sidecar", description=__doc__)
    parser.add_argument("moves", nargs="?", type=int, default=200)
    moves: int = parser.parse_args().moves
    with (
        relay() as (url, _),
        serving(url) as served,
        tempfile.TemporaryDirectory() as folder,
        running(Sidecar(Path(folder), url, served.pubkey, ["white", "black"])) as sidecar,
    ):
        asyncio.run(measure(sidecar, served.pubkey, url, moves))


if __name__ == "__main__":
    main()
