"""The samples of sockets and of HTTP, each answered as it should be."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arbiter import wiring
from arbiter.application.gateway.delivery import Delivery
from arbiter.application.gateway.desk import GatewayDesk
from events.door_samples import SOCKET
from events.samples import AT, FOLDER, SERVER, game
from functions.gateway import app as gateway
from functions.http_api import app as http_api
from tests.application.world import World
from tests.fakes.queue import FakeEventQueue
from tests.fakes.rate_limits import FakeRateLimits
from tests.web.browser import Site


def _sample(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_a_socket_lives_as_its_samples_show(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    world, queue = World(server=SERVER), FakeEventQueue()
    world.clock.ms = AT * 1000
    world.games.standing[game().id] = game()
    desk = GatewayDesk(
        games=world.games,
        lobby=world.lobby,
        ratings=world.ratings,
        clock=world.clock,
        signer=SERVER,
        connections=world.connections,
        sockets=world.sockets,
        rate_limits=FakeRateLimits(),
        queue=queue,
        delivery=Delivery(world.connections, world.sockets, world.clock, at_once=1),
        server=SERVER.pubkey,
        name="Arbiter",
        relay_url="wss://gateway.example",
        relays=("wss://gateway.example",),
        new_challenge=lambda: "challenge",
    )
    monkeypatch.setattr(wiring, "gateway_desk", lambda: desk)

    for name in ("connect", "subscribe", "move", "nonsense", "disconnect"):
        assert gateway.handler(_sample(f"gateway/{name}.json"), None) == {"statusCode": 200}

    said = world.sockets.messages(SOCKET)
    assert [frame[0] for frame in said] == ["EVENT", "EOSE", "OK", "NOTICE"]
    assert said[2][2] is True
    assert len(queue.waiting) == 1
    assert "NaN" not in caplog.text


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    site = Site(relay_information={"name": "Arbiter"})
    site.games.standing[game().id] = game()
    monkeypatch.setattr(wiring, "http_desk", site.desk)
    http_api._app.cache_clear()
    yield site
    http_api._app.cache_clear()


@pytest.mark.parametrize(
    ("name", "status", "told"),
    [
        ("new_game", 200, "board"),
        ("game", 200, game().id),
        ("relay_information", 200, '"name": "Arbiter"'),
        ("preflight", 204, ""),
        ("nothing", 404, "Not Found"),
    ],
)
def test_a_request_is_answered_as_its_sample_shows(
    site: Site, name: str, status: int, told: str
) -> None:
    answer = http_api.handler(_sample(f"http_api/{name}.json"), object())

    assert answer["statusCode"] == status
    assert told in answer["body"]
