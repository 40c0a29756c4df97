"""An arbiter, its relay and its page for each worker, and Chromium for its tests.

Only `make browser` brings Playwright: any other run of the tests leaves these out.
"""

import importlib.util
from collections.abc import Iterator

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("playwright") else ["test_*.py"]

if not collect_ignore_glob:
    from playwright.sync_api import Browser, sync_playwright

    from tests.browser.players import Newcomer, newcomers
    from tests.e2e.scriptless_browser import installed_chromium
    from tests.server.running_server import RunningServer, bundled_relay, running_server

    @pytest.fixture(scope="session")
    def chromium() -> Iterator[Browser]:
        """The machine's own browser, without a window."""
        program = installed_chromium()
        if program is None:
            pytest.skip("There is no chromium on this machine (Debian: apt install chromium)")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
            yield browser
            browser.close()

    @pytest.fixture(scope="session")
    def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
        """An arbiter with its gateway and the bundled relay."""
        folder = tmp_path_factory.mktemp("arbiter")
        with bundled_relay(folder) as relay, running_server(folder, relay) as server:
            yield server

    @pytest.fixture
    def newcomer(chromium: Browser, arbiter: RunningServer) -> Iterator[Newcomer]:
        """Makes players who have just opened the page."""
        with newcomers(chromium, arbiter.endpoints.http) as made:
            yield made
