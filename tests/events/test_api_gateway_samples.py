"""The samples of sockets and of HTTP, each answered as it should be."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arbiter import wiring
from events.api_gateway_samples import SOCKET
from events.samples import AT, FOLDER, SERVER, game
from functions.gateway import app as gateway
from functions.http_api import app as http_api
from tests.application.gateway.relay_world import RelayWorld
from tests.web.browser import Site


def _sample(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def test_a_socket_lives_as_its_samples_show(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    relay = RelayWorld(server=SERVER)
    relay.world.clock.ms = AT * 1000
    relay.world.games.by_id[game().id] = game()
    monkeypatch.setattr(wiring, "gateway_deps", lambda: relay.deps)
    for name in ("connect", "subscribe", "move", "nonsense", "disconnect"):
        assert gateway.handler(_sample(f"gateway/{name}.json"), None) == {"statusCode": 200}
    said = relay.sockets.messages(SOCKET)
    assert [frame[0] for frame in said] == ["EVENT", "EOSE", "OK", "NOTICE"]
    assert said[2][2] is True
    assert len(relay.queue.waiting) == 1
    assert "NaN" not in caplog.text


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    site = Site(relay_information={"name": "Arbiter"})
    site.games.by_id[game().id] = game()
    monkeypatch.setattr(wiring, "web_deps", site.deps)
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
