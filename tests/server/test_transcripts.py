"""The transcript of a game on a server that is killed in the middle of it and at its end."""

import asyncio
import queue
import urllib.request
from pathlib import Path

import pytest

from arbiter.nostr.keys import SecretKey
from clients.player import relays
from clients.player.client import Client
from clients.player.history import HandIn
from clients.player.model import Began, News
from clients.player.relays import Relays
from clients.player.terms import Terms, TimeControl
from clients.probes.matches import OPERA_GAME
from server.game_proof import verify_game
from tests.builders import ALICE, BOB
from tests.server.running_server import running_server
from tests.server.test_ends import begun, new_keys, play, tag

pytestmark = pytest.mark.slow


async def test_a_game_through_two_kills_is_proven_whole_from_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_server(tmp_path) as server:
        keys = new_keys()
        game_id = await begun(server.endpoints, keys, ["time", "60+0"])
        await play(server.endpoints, keys, game_id, 20)
        server.kill()
        server.start()
        state = await play(server.endpoints, keys, game_id, len(OPERA_GAME) - 20)
        server.kill()
        server.start()

        page = f"{server.endpoints.http}/g/{game_id}"
        assert await asyncio.to_thread(verify_game, page) == 0

    told, plies = capsys.readouterr().out.splitlines(), len(OPERA_GAME)
    assert told[1:5] == [
        "proven: the arbiter signed this history, and its result",
        f"proven: the players signed {plies + 2} of {plies + 2} lines, for this game",
        f"proven: {plies} half-moves are legal, in this order",
        f"proven: the result is {tag(state, 'result')}, by checkmate",
    ]
    assert not any(line.startswith(("missing", "wrong")) for line in told)


async def test_players_hand_in_what_the_server_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two programs at the gateway have seen all of their game; each one's transcript is right."""
    answers = queue.Queue[int]()

    def put(base: str, it: HandIn) -> None:
        url = f"{base.rstrip('/')}/games/{it.game}/transcript"
        asked = urllib.request.Request(url, it.octets, method="PUT")  # noqa: S310 - ours
        with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310 - ours
            answers.put(answer.status)

    monkeypatch.setattr(relays, "hand_in", put)
    with running_server(tmp_path) as server:
        url, arbiter = server.endpoints.websocket, server.endpoints.server
        seats = [Seat(key, arbiter, url) for key in (ALICE, BOB)]
        playing = [asyncio.create_task(seat.run()) for seat in seats]
        terms = Terms(time=TimeControl(180, 2))
        asking = [asyncio.create_task(seat.client.request(terms, 20.0)) for seat in seats]
        began = [await seat.began() for seat in seats]
        await asyncio.gather(*asking)
        white, black = sorted(seats, key=lambda seat: began[seats.index(seat)].color, reverse=True)
        game = began[0].state.game
        for number, move in enumerate(("f2f3", "e7e5", "g2g4", "d8h4")):
            await (white, black)[number % 2].client.say(game, move, 20.0)
        told = [await asyncio.to_thread(answers.get, timeout=30) for _ in seats]
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)

    assert told == [204, 204]


class Seat:
    """A program that plays, and the beginnings of its games."""

    def __init__(self, key: SecretKey, arbiter: str, url: str) -> None:
        self._began = asyncio.Queue[Began]()
        self._relays = Relays(
            (url,), (), key.sign, lambda _: None, arbiter=arbiter, gateway=url
        )  # fmt: skip
        self.client = Client(key, arbiter, self._relays, self.hear, gateway=url)

    async def run(self) -> None:
        async with self._relays.connected():
            await self.client.run()

    def hear(self, news: News) -> None:
        if isinstance(news, Began):
            self._began.put_nowait(news)

    async def began(self) -> Began:
        return await asyncio.wait_for(self._began.get(), 30.0)
