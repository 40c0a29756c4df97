"""An arbiter, its relay and its page for each worker, and a browser for its tests.

Only `make browser` brings Playwright: any other run of the tests leaves these out.
"""

import importlib.util
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

collect_ignore_glob = [] if importlib.util.find_spec("playwright") else ["test_*.py"]

if not collect_ignore_glob:
    import chess
    import nostr_sdk  # type: ignore[import-untyped]
    from playwright.sync_api import Browser, BrowserType, Playwright, sync_playwright

    from tests.browser import firefox
    from tests.browser.firefox import installed_firefox
    from tests.browser.players import Match, Newcomer, Regulars, newcomers, seated
    from tests.browser.wire import open_challenge
    from tests.e2e.scriptless_browser import installed_chromium
    from tests.server.running_server import RunningServer, bundled_relay, running_server

    @pytest.fixture(scope="session")
    def playwright() -> Iterator[Playwright]:
        with sync_playwright() as started:
            yield started

    @pytest.fixture(scope="session")
    def browser(
        playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[Browser]:
        """The machine's own browser, without a window: chromium, or what BROWSER names."""
        if os.environ.get("BROWSER") == "firefox":
            launched = started_firefox(playwright.firefox, tmp_path_factory.mktemp("firefox"))
        else:
            launched = started_chromium(playwright.chromium)
        yield launched
        launched.close()

    def started_chromium(kind: BrowserType) -> Browser:
        program = installed_chromium()
        if program is None:
            pytest.skip("There is no chromium on this machine (Debian: apt install chromium)")
        return kind.launch(executable_path=program, args=["--no-sandbox"])

    def started_firefox(
        kind: BrowserType, folder: Path, preferences: Mapping[str, str | float | bool] | None = None
    ) -> Browser:
        if installed_firefox() is None:
            pytest.skip("There is no Firefox on this machine (Debian: apt install firefox-esr)")
        starter = folder / "firefox"
        command = shlex.join((sys.executable, firefox.__file__))
        starter.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        starter.chmod(0o700)
        return kind.launch(
            channel="moz-firefox",
            executable_path=starter,
            firefox_user_prefs=dict(preferences or {}),
        )

    @pytest.fixture(scope="session")
    def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
        """An arbiter with its gateway and the bundled relay."""
        folder = tmp_path_factory.mktemp("arbiter")
        with bundled_relay(folder) as relay, running_server(folder, relay) as server:
            yield server

    @pytest.fixture
    def newcomer(browser: Browser, arbiter: RunningServer) -> Iterator[Newcomer]:
        """Makes players who have just opened the page."""
        with newcomers(browser, arbiter.endpoints.http) as made:
            yield made

    @pytest.fixture(scope="session")
    def regulars(browser: Browser, arbiter: RunningServer) -> Iterator[Regulars]:
        """Two players for many tests: a page that is open already need not be loaded."""
        made = Regulars(browser, arbiter.endpoints.http)
        yield made
        made.close()

    @pytest.fixture
    def match(regulars: Regulars) -> Iterator[Match]:
        """A new game of these two, who are in the lobby again when the test is over."""
        with regulars.playing() as made:
            yield made

    StartedFrom = Callable[..., Match]

    @pytest.fixture
    def started_from(arbiter: RunningServer, newcomer: Newcomer) -> StartedFrom:
        """Begins a game of two browsers from a position or at a time that the page itself does not
        offer: one has the key of who made the challenge, the other opens its link.
        """

        def started(fen: str, *, chess960: bool = False, time: str | None = None) -> Match:
            keys = nostr_sdk.Keys.generate()
            secret = keys.secret_key().to_hex()
            host = newcomer(script=f"localStorage.setItem('arbiter.secret', '{secret}')")
            terms = [["color", "white"]]
            if fen != chess.STARTING_FEN:
                terms.append(["start", fen])
            if chess960:
                terms.append(["variant", "chess960"])
            if time:
                terms.append(["time", time])
            challenge = open_challenge(arbiter.endpoints, keys, *terms)
            guest = newcomer(f"#/challenge/{challenge}")
            guest.presses("accept")
            return seated(host, guest, chess.Board(fen, chess960=chess960))

        return started
