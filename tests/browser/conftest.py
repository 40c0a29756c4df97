"""An arbiter, its relay and its page for each worker, and Chromium for its tests.

Only `make browser` brings Playwright: any other run of the tests leaves these out.
"""

import importlib.util
from collections.abc import Callable, Iterator

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("playwright") else ["test_*.py"]

if not collect_ignore_glob:
    import chess
    import nostr_sdk  # type: ignore[import-untyped]
    from playwright.sync_api import Browser, sync_playwright

    from tests.browser.players import Match, Newcomer, newcomers, seated
    from tests.browser.wire import open_challenge
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

    StartedFrom = Callable[..., Match]

    @pytest.fixture
    def started_from(arbiter: RunningServer, newcomer: Newcomer) -> StartedFrom:
        """Begins a game of two browsers from a position, which the page itself does not offer: one
        has the key of who made the challenge, the other opens its link.
        """

        def started(fen: str, *, chess960: bool = False) -> Match:
            keys = nostr_sdk.Keys.generate()
            secret = keys.secret_key().to_hex()
            host = newcomer(script=f"localStorage.setItem('arbiter.secret', '{secret}')")
            terms = [["start", fen], ["color", "white"]]
            if chess960:
                terms.append(["variant", "chess960"])
            challenge = open_challenge(arbiter.endpoints, keys, *terms)
            guest = newcomer(f"#/challenge/{challenge}")
            guest.presses("accept")
            return seated(host, guest, chess.Board(fen, chess960=chess960))

        return started
