"""Players whom this process has paired are never strangers to its listener; and what is dropped is
counted.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from types import MappingProxyType

import pytest

from arbiter.adapters.relays.player_lookup import PlayerLookup
from arbiter.adapters.sqlite.store import Store
from arbiter.nostr.event import EventTemplate, first_tag
from arbiter.nostr.keys import SecretKey
from server.http_api import _invocation
from server.settings import read_settings
from server.wiring import Parts, make_parts
from tests.adapters.relays.stand_ins import json_of
from tests.application.socket_player import genuine
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.fakes.relay import FakeRelay
from tests.server.running_server import RunningServer, running_server

TO_SERVER = ("p", SERVER.pubkey)


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[tuple[FakeRelay, Parts]]:
    """A server's parts and its one relay, which is listened to."""
    with FakeRelay() as relay, Store.open(folder / "arbiter.sqlite3") as store:
        parts = make_parts(read_settings({"relays": relay.url}, {}), SERVER, store)
        working = asyncio.create_task(parts.transactions.serve())
        assert parts.listener is not None
        assert parts.to_relays is not None
        parts.listener.start()
        await asyncio.to_thread(relay.message, "REQ")
        yield relay, parts
        await asyncio.to_thread(parts.listener.close)
        await parts.transactions.wait_idle()
        await parts.processing.wait_published()
        working.cancel()
        await parts.to_relays.close()


def say(relay: FakeRelay, key: SecretKey, kind: int, text: str, *tags: tuple[str, ...]) -> None:
    template = EventTemplate(kind, (TO_SERVER, *tags), text, int(time.time()))
    relay.broadcast(json_of(key.sign(template)))


async def published(relay: FakeRelay, kind: int, number: int = 1) -> tuple[str, str]:
    """Content and game of the arbiter's ``number``-th event of this kind."""
    for at in count(1):
        event = genuine((await asyncio.to_thread(relay.message, "EVENT", at))[1])
        number -= event.kind == kind
        if number == 0:
            return event.content, (first_tag(event, "d") or ("", ""))[1]
    raise AssertionError


async def test_the_players_of_a_new_game_are_known_without_a_look_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(PlayerLookup, "ask", lambda _, game_id: asked.append(game_id))
    async with serving(tmp_path) as (relay, _):
        for key in (ALICE, BOB):
            say(relay, key, 20300, "")
        _, game = await published(relay, 20302)
        for key in (ALICE, BOB):
            say(relay, key, 20303, "e2e4", ("d", game))
        fen, _ = await published(relay, 20302, 2)
    assert fen.startswith("rnbqkbnr/pppppppp/8/8/4P3/")
    assert asked == []


async def test_what_is_dropped_for_a_rate_is_counted_and_said_once(tmp_path: Path) -> None:
    async with serving(tmp_path) as (relay, parts):
        for number in range(40):
            say(relay, EVE, 20303, f"word {number}", ("d", "ab" * 16))
        said = [(await published(relay, 20304, number))[0] for number in range(1, 12)]
    assert [text.partition(":")[0] for text in said].count("rate-limited") == 1
    lines = parts.metrics.text().splitlines()
    assert 'arbiter_FromRelays{result="too-many-strangers"} 30' in lines
    assert 'arbiter_FromRelays{result="told-too-many"} 1' in lines
    assert 'arbiter_Records{status="told-too-many"} 1' in lines


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that answers two requests a minute, and shows all what it counts."""
    asked = {"ARBITER_HTTP_PER_ADDRESS": "2", "ARBITER_METRICS": "all"}
    with running_server(tmp_path_factory.mktemp("strict"), **asked) as running:
        yield running


def test_requests_are_counted_by_status_those_beyond_a_rate_too(strict: RunningServer) -> None:
    paths = ["/live"] * 8 + ["/load-game"] * 3
    statuses = Counter(status_and_text(strict, path)[0] for path in paths)
    _, text = status_and_text(strict, "/metrics")
    assert {200, 429} == {*statuses}
    for status, number in statuses.items():
        assert f'arbiter_HttpRequests{{status="{status}"}} {number}\n' in text
    assert f'arbiter_Refused{{limit="http_per_minute"}} {statuses[429]}\n' in text


def status_and_text(
    server: RunningServer, path: str, headers: Mapping[str, str] = MappingProxyType({})
) -> tuple[int, str]:
    asking = HTTPConnection("127.0.0.1", server.port)
    asking.request("GET", path, headers=dict(headers))
    answer = asking.getresponse()
    text = answer.read().decode()
    asking.close()
    return answer.status, text


def test_metrics_are_for_this_machine_unless_asked_otherwise(
    server: RunningServer, strict: RunningServer
) -> None:
    for asked, elsewhere in ((server, 403), (strict, 200)):
        assert status_and_text(asked, "/metrics")[0] == 200
        for forwarded in ("192.0.2.1", "unknown"):
            headers = {"X-Forwarded-For": forwarded}
            assert status_and_text(asked, "/metrics", headers)[0] == elsewhere


@pytest.mark.parametrize(
    ("host", "is_named"),
    [
        *((host, True) for host in ("192.0.2.1", "127.0.0.1:80", "[::1]:8080", "localhost:1")),
        *((host, False) for host in ("evil.example", "evil.example:80", "localhost.evil", "", ":")),
    ],
)
def test_links_name_no_host_that_only_a_request_named(host: str, *, is_named: bool) -> None:
    scope = {
        "headers": [(b"host", host.encode())],
        "query_string": b"",
        "raw_path": b"/",
        "method": "GET",
        "path": "/",
    }
    domain = _invocation(scope, b"")["requestContext"]["domainName"]
    assert domain == (host if is_named else "")
