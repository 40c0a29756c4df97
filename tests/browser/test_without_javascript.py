"""Pages that people pass on, and those they lead to, with scripts switched off."""

import re

import pytest
from playwright.sync_api import Browser, Response

from clients.probes.hot_seat_client import ChessgameClient
from clients.probes.hot_seat_games import play
from clients.probes.matches import OPERA_GAME
from tests.server.running_server import RunningServer


@pytest.fixture(scope="module")
def game(arbiter: RunningServer) -> str:
    """The id of a finished game."""
    browser = ChessgameClient(arbiter.endpoints.http)
    new = browser.new_game()
    assert isinstance(new, tuple)
    play(browser, OPERA_GAME)
    browser.http.close()
    return str(new[0].id)


@pytest.mark.parametrize("width", [360, 1200])
def test_every_page_fits_its_window_loads_nothing_foreign_and_leads_home(
    browser: Browser, arbiter: RunningServer, game: str, width: int
) -> None:
    http = arbiter.endpoints.http
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": width, "height": 800}
    )
    try:
        page, came = context.new_page(), list[Response]()
        # Playwright marks what it calls, and no built-in method can be marked.
        page.on("response", lambda one: came.append(one))  # noqa: PLW0108
        for path in (f"/g/{game}", "/about", "/docs", "/live", "/leaderboard/blitz", "/nowhere"):
            page.goto(f"{http}{path}")
            html = page.content()
            body = page.locator("html").bounding_box()
            assert body is not None
            assert body["width"] <= width, "nothing has to be scrolled sideways"
            assert body["height"] < 5500, "a reader finds the end of it"
            assert re.search('<a [^>]*href="/"', html)
            if game in path:
                assert "1-0" in html
        assert all(one.url.startswith((http, "data:")) for one in came), "nothing from elsewhere"
        assert [one.url for one in came if one.status >= 400] == [f"{http}/nowhere"]
    finally:
        context.close()
