"""The HTTP function as Lambda calls it: one deps for as long as the environment lives."""

from typing import Any

import pytest

from arbiter import wiring
from functions.http_api import app
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
