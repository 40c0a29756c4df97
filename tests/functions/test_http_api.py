"""The HTTP function as Lambda calls it: one deps for as long as the environment lives."""

from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arbiter import wiring
from functions.http_api import app
from tests.fakes.stores import FakeGames
from tests.fakes.transcripts import FakeTranscripts
from tests.proof.games import KeptWorld, play, values_of
from tests.proof.test_proof import MATE
from tests.web.browser import Site, an_invocation


@pytest.fixture(autouse=True)
def _forgotten() -> Any:
    app._app.cache_clear()
    yield
    app._app.cache_clear()


def test_a_request_is_answered_and_the_desk_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def deps() -> Any:
        made.append(Site().deps())
        return made[-1]

    monkeypatch.setattr(wiring, "web_deps", deps)

    answers = [app.handler(an_invocation("GET", "/"), object()) for _ in range(3)]

    assert len(made) == 1
    assert answers[0] == answers[2]
    assert (answers[0]["statusCode"], answers[0]["body"]) == (200, '{"message":"Api OK!"}')


def test_a_game_goes_on_in_the_next_invocation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "web_deps", Site().deps)
    mine = {"browser_id": "mine"}
    started = an_invocation("POST", "/new-game", body='{"browser_id": "mine"}')
    assert app.handler(started, object())["statusCode"] == 200
    moved = app.handler(an_invocation("GET", "/make-move/e2/e4", headers=mine), object())
    loaded = app.handler(an_invocation("GET", "/load-game", headers=mine), object())
    assert moved["statusCode"] == 200
    assert '"move_number":1' in loaded["body"]


def a_transcript_by_api_gateway(path: str, octets: bytes) -> dict[str, Any]:
    """A PUT of gzip as an HTTP API hands it over: a body that is no text is base64."""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {
            "accept": "*/*",
            "content-length": str(len(octets)),
            "content-type": "application/gzip",
            "host": "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
            "user-agent": "Python-urllib/3.11",
            "x-amzn-trace-id": "Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e",
            "x-forwarded-for": "192.0.2.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "a1b2c3d4e5",
            "domainName": "a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com",
            "domainPrefix": "a1b2c3d4e5",
            "http": {
                "method": "PUT",
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "192.0.2.7",
                "userAgent": "Python-urllib/3.11",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": "$default",
            "stage": "$default",
            "time": "10/Mar/2020:05:16:23 +0000",
            "timeEpoch": 1583817383220,
        },
        "body": b64encode(octets).decode(),
        "isBase64Encoded": True,
    }


def test_a_transcript_comes_through_api_gateway_and_back_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = KeptWorld(tmp_path)
    octets = play(world, MATE, ("time", "180+2")).octets
    game = world.game(values_of(octets)[0]["game"])
    world.store.close()
    kept = FakeTranscripts()
    site = Site(games=FakeGames(game), transcripts=kept)
    monkeypatch.setattr(wiring, "web_deps", site.deps)
    path = f"/games/{game.id}/transcript"

    wrong = app.handler(a_transcript_by_api_gateway(path, octets[:-9]), object())
    assert (wrong["statusCode"], kept.files) == (422, {})
    answer = app.handler(a_transcript_by_api_gateway(path, octets), object())
    shown = app.handler(an_invocation("GET", path), object())

    assert (answer["statusCode"], answer["body"]) == (204, "")
    assert answer["headers"]["ETag"] == f'"{sha256(octets).hexdigest()}"'
    assert kept.files == {game.id: octets}
    assert (shown["statusCode"], shown["isBase64Encoded"]) == (200, True)
    assert b64decode(shown["body"]) == octets
