"""The page of a game that people pass on, and those it leads to, without JavaScript."""

from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from clients.probes.chessgame_client import ChessgameClient
from clients.probes.chessgame_games import play
from clients.probes.http_client import HttpConnection
from clients.probes.matches import OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.scriptless_browser import Seen, installed_chromium, look_at

pytestmark = pytest.mark.slow


class _Elements(HTMLParser):
    """The elements of a page with their attributes, and the text of its title."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.title = ""
        self._in_title = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        self._in_title = tag == "title" and not self.title

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def named(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.found if name == tag]

    def meta(self, name: str) -> str:
        (content,) = (
            meta["content"]
            for meta in self.named("meta")
            if name in (meta.get("property"), meta.get("name"))
        )
        return content


def _game(http: str, script: Sequence[str]) -> str:
    browser = ChessgameClient(http)
    try:
        new = browser.new_game()
        assert isinstance(new, tuple)
        play(browser, script)
        return str(new[0].id)
    finally:
        browser.http.close()


def _seen(url: str, folder: Path, width: int = 1200) -> Seen:
    program = installed_chromium()
    if program is None:
        pytest.skip("no Chromium on the PATH (Debian and Ubuntu: apt install chromium)")
    return look_at(url, program, folder, width=width)


def _shows_a_board(page: _Elements, seen: Seen) -> bool:
    pictures = [f for f in seen.fetched if f.kind == "Image" and f.media_type.startswith("image/")]
    drawn = {use.get("href") or use.get("xlink:href") for use in page.named("use")}
    return "#white-king" in drawn or any(f.status == 200 for f in pictures)


def test_a_finished_game_is_shown_without_javascript(arbiter: ArbiterRun, tmp_path: Path) -> None:
    http = arbiter.endpoints.http
    seen = _seen(f"{http}/g/{_game(http, OPERA_GAME)}", tmp_path / "profile")
    (tmp_path / "page.png").write_bytes(seen.png)
    page = _Elements(seen.html)
    assert [f.status for f in seen.fetched if f.kind == "Document"] == [200]
    assert all(f.status < 400 for f in seen.fetched), seen.fetched
    assert all(f.url.startswith((http, "data:")) for f in seen.fetched), "nothing from elsewhere"
    assert page.title.strip()
    assert _shows_a_board(page, seen)
    assert "1-0" in seen.html


def test_a_link_to_a_game_has_a_title_and_a_picture(arbiter: ArbiterRun) -> None:
    http = arbiter.endpoints.http
    connection = HttpConnection(http)
    try:
        answer = connection.request("GET", f"/g/{_game(http, OPERA_GAME[:5])}")
        assert (answer.status, answer.media_type) == (200, "text/html")
        page = _Elements(answer.text)
        assert page.meta("og:title").strip()
        picture = page.meta("og:image")
        assert picture.startswith(("http://", "https://")), "crawlers take no relative address"
        assert picture.startswith(http)
        drawn = connection.request("GET", picture.removeprefix(http))
        assert drawn.status == 200
        assert drawn.media_type in {"image/png", "image/svg+xml"}
    finally:
        connection.close()


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("path", ["/", "/docs", "/live", "/leaderboard/blitz", "/nowhere", "/g/"])
def test_every_page_fits_its_window_and_leads_home(
    arbiter: ArbiterRun, tmp_path: Path, path: str, width: int
) -> None:
    http = arbiter.endpoints.http
    url = f"{http}{path}{_game(http, OPERA_GAME)}" if path == "/g/" else http + path

    seen = _seen(url, tmp_path / "profile", width)

    (tmp_path / "page.png").write_bytes(seen.png)
    assert seen.width <= width, "nothing has to be scrolled sideways"
    assert seen.height < 4000, "a reader finds the end of it"
    assert "/" in [attributes["href"] for attributes in _Elements(seen.html).named("a")]


def test_head_tells_the_length_of_what_get_brings(arbiter: ArbiterRun) -> None:
    http = arbiter.endpoints.http
    game = _game(http, OPERA_GAME)
    connection = HttpConnection(http)
    try:
        for path in ("/openapi.json", f"/games/{game}", f"/games/{game}/board.png", "/nowhere"):
            get, head = (connection.request(method, path) for method in ("GET", "HEAD"))
            assert (head.status, head.body) == (get.status, b"")
            assert head.headers["content-length"] == str(len(get.body)), path
    finally:
        connection.close()
