"""The HTTP API, whose pages are read elsewhere: health is not, and refusals are the API's own."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arbiter.adapters.sqlite.store import Store
from server import wiring
from server.questions import Page
from server.reading import ReaderFailed, TooMuch
from server.settings import read_settings
from server.wiring import Parts
from tests.builders import NOW_MS, SERVER
from tests.fakes.clock import FakeClock
from tests.server.test_edge import refused
from tests.server.test_players_first import Held, until

LIMIT = 5


class Api:
    def __init__(self, parts: Parts, held: Held) -> None:
        self.parts, self.held = parts, held

    @property
    def refused(self) -> dict[str, int]:
        return refused(self.parts.metrics)

    async def get(self, path: str) -> tuple[int, dict[str, str], str]:
        """Status, headers and body."""
        said: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            said.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b""}

        scope = {
            "headers": [(b"host", b"x")],
            "query_string": b"",
            "raw_path": path.encode(),
            "path": path,
            "method": "GET",
            "client": ("192.0.2.1", 1),
        }
        async with asyncio.timeout(10):
            await self.parts.http.serve(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in said[0]["headers"]}
        return said[0]["status"], headers, said[1]["body"].decode()


@contextlib.asynccontextmanager
async def serving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Api]:
    held = Held()
    monkeypatch.setattr(wiring, "ReadHere", lambda _: held)
    settings = read_settings({}, {"ARBITER_HTTP_PER_ADDRESS": str(LIMIT)})
    with Store.open(tmp_path / "arbiter.sqlite3") as store:
        yield Api(wiring.make_parts(settings, SERVER, store, FakeClock(NOW_MS)), held)


async def test_health_is_told_while_a_page_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as api:
        page = asyncio.create_task(api.get("/live"))
        await until(lambda: bool(api.held.asked), "no page was read")
        status, _, body = await api.get("/healthz")
        assert status == 200, body
        assert not page.done()
        assert len(api.held.asked) == 1, "health was asked of the process that reads"
        api.held.answers.put_nowait({"statusCode": 200, "headers": {"X": "y"}, "body": "read"})
        assert await page == (200, {"x": "y", "content-length": "4"}, "read")
        (asked,) = api.held.asked
        assert isinstance(asked, Page)
        assert asked.invocation["rawPath"] == "/live"


@pytest.mark.parametrize(
    ("failure", "expected"), [(TooMuch("reading_of_one"), 429), (ReaderFailed("ended"), 500)]
)
async def test_what_is_not_read_is_refused_as_the_api_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception, expected: int
) -> None:
    async with serving(tmp_path, monkeypatch) as api:
        api.held.answers.put_nowait(failure)
        status, headers, body = await api.get("/live")
        assert status == expected
        assert int(headers["retry-after"]) > 0
        assert headers["access-control-allow-origin"] == "*"
        assert json.loads(body)["status"] == expected
        assert api.refused == {}, "`Reading` counts by the name of its own limit"


async def test_an_address_that_asked_too_often_is_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, monkeypatch) as api:
        for _ in range(LIMIT):
            api.held.answers.put_nowait({"statusCode": 200, "headers": {}, "body": ""})
            assert (await api.get("/live"))[0] == 200
        for path in ("/live", "/games/x/spectators"):
            assert (await api.get(path))[0] == 429
        assert len(api.held.asked) == LIMIT
        assert api.refused == {"http_per_minute": 2}
        assert (await api.get("/nothing/here"))[0] == 404
        assert len(api.held.asked) == LIMIT
