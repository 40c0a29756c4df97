"""The page of a game that people pass on, and those it leads to, without JavaScript."""

import re
from pathlib import Path

import pytest

from clients.probes.chessgame_client import ChessgameClient
from clients.probes.chessgame_games import play
from clients.probes.matches import OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.scriptless_browser import Seen, installed_chromium, look_at

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def game(shared_run: ArbiterRun) -> str:
    """The id of a finished game."""
    browser = ChessgameClient(shared_run.endpoints.http)
    new = browser.new_game()
    assert isinstance(new, tuple)
    play(browser, OPERA_GAME)
    browser.http.close()
    return str(new[0].id)


def _seen(url: str, folder: Path, width: int = 1200) -> Seen:
    program = installed_chromium()
    if program is None:
        pytest.skip("no Chromium on the PATH (Debian and Ubuntu: apt install chromium)")
    seen = look_at(url, program, folder / "profile", width=width)
    (folder / "page.png").write_bytes(seen.png)
    return seen


def test_a_finished_game_is_shown_without_javascript(
    arbiter: ArbiterRun, game: str, tmp_path: Path
) -> None:
    http = arbiter.endpoints.http
    seen = _seen(f"{http}/g/{game}", tmp_path)
    assert [f.status for f in seen.fetched if f.kind == "Document"] == [200]
    assert all(f.status < 400 for f in seen.fetched), seen.fetched
    assert all(f.url.startswith((http, "data:")) for f in seen.fetched), "nothing from elsewhere"
    pictures = [f for f in seen.fetched if f.kind == "Image" and f.media_type.startswith("image/")]
    assert pictures or "#white-king" in seen.html
    assert re.search("<title>[^<]*[a-z]", seen.html)
    assert "1-0" in seen.html


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize(
    "path", ["/about", "/docs", "/live", "/leaderboard/blitz", "/nowhere", "/g/"]
)
def test_every_page_fits_its_window_and_leads_home(
    arbiter: ArbiterRun, game: str, tmp_path: Path, path: str, width: int
) -> None:
    suffix = game if path == "/g/" else ""
    seen = _seen(f"{arbiter.endpoints.http}{path}{suffix}", tmp_path, width)
    assert seen.width <= width, "nothing has to be scrolled sideways"
    assert seen.height < 5000, "a reader finds the end of it"
    assert re.search('<a [^>]*href="/"', seen.html)
