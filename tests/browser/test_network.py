"""Games while relays and the arbiter come and go, and beside a relay that lies."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import nostr_sdk  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser.meddling_relay import meddling_relay
from tests.browser.players import Match, Newcomer, Player, newcomers, paired
from tests.browser.wire import signed
from tests.e2e.foreign_relays import ForeignRelay, bundled
from tests.server.running_server import RunningServer, free_port, running_server

STATE = 20302
RESPONSE = 20301

_LOST = re.compile("WebSocket|connection to the server|ERR_CONN|ERR_INTERNET")
"""Browsers' log of each connection that fails."""


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[ForeignRelay]:
    """A relay of this test, which may end it."""
    started = bundled(tmp_path, free_port())
    started.start()
    yield started
    started.stop()


@pytest.fixture
def fragile(tmp_path: Path, relay: ForeignRelay) -> Iterator[RunningServer]:
    """An arbiter of this test, on that relay, which may end it."""
    with running_server(tmp_path / "server", relay.url) as server:
        yield server


def _loud(match: Match) -> None:
    """The browser itself logs each connection that fails."""
    for player in match.everybody:
        player.complaints[:] = [one for one in player.complaints if not _LOST.search(one)]


def test_one_knows_the_relay_alone_and_the_other_the_gateway(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    there = arbiter.endpoints
    match = paired(newcomer(without=there.websocket), newcomer(without=there.relays[0]))
    match.plays("e4 e5 Nf3")
    match.waiting.presses("resign")
    match.waiting.presses("confirm")
    match.ends("0-1")


def test_the_relay_is_killed_in_mid_game_and_comes_back(
    browser: Browser, fragile: RunningServer, relay: ForeignRelay
) -> None:
    gateway = fragile.endpoints.websocket
    with newcomers(browser, fragile.endpoints.http) as newcomer:
        match = paired(newcomer(without=gateway), newcomer(without=gateway))
        match.plays("e4 e5")
        relay.kill()
        match.white.moves("g1f3", "dragged")
        match.white.sees("No connection. Your move is kept and sent when a relay is back.")
        assert "white knight" in match.white.piece_at("f3")
        relay.start()
        match.board.push_san("Nf3")
        match.shown()
        match.plays("Nc6")
        _loud(match)


def test_the_relay_is_killed_and_the_gateway_goes_on(
    browser: Browser, fragile: RunningServer, relay: ForeignRelay
) -> None:
    with newcomers(browser, fragile.endpoints.http) as newcomer:
        match = paired(newcomer(), newcomer())
        match.plays("e4 e5")
        relay.kill()
        match.plays("Nf3 Nc6")
        _loud(match)


def test_the_arbiter_is_killed_in_mid_game_and_comes_back(
    browser: Browser, fragile: RunningServer
) -> None:
    with newcomers(browser, fragile.endpoints.http) as newcomer:
        match = paired(newcomer(), newcomer())
        match.plays("e4 e5")
        fragile.kill()
        match.white.moves("Nf3")
        expect(match.white.board).to_have_attribute("data-pending", "true")
        fragile.start()
        match.board.push_san("Nf3")
        match.shown()
        match.plays("Nc6")
        _loud(match)


def test_a_browser_without_a_network_catches_up(match: Match) -> None:
    match.plays("e4")
    match.white.context.set_offline(True)
    match.black.moves("e5")
    match.board.push_san("e5")
    match.black.shows(match.board.fen())
    match.white.context.set_offline(False)
    match.shown()
    match.plays("Nf3")
    _loud(match)


def test_what_a_lying_relay_says_is_not_believed(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    there = arbiter.endpoints
    with meddling_relay(there.relays[0]) as liar:
        address = f"{there.http}/?arbiter={there.npub}&relays={liar.url}"
        match = paired(
            newcomer(address, without=there.websocket), newcomer(address, without=there.websocket)
        )
        match.plays("e4 e5")
        states = [event for event in liar.passed if event["kind"] == STATE]
        mated = chess.Board()
        for san in ["f3", "e5", "g4", "Qh4#"]:
            mated.push_san(san)
        last = states[-1]
        tags = [[*tag] for tag in last["tags"] if tag[0] not in {"version", "ply", "moves"}]
        tags += [["version", "999"], ["ply", "4"], ["moves", "f2f3", "e7e5", "g2g4", "d8h4"]]
        tags += [["result", "0-1"], ["termination", "checkmate"]]
        stranger = nostr_sdk.Keys.generate()
        by_stranger = signed(stranger, STATE, mated.fen(), *tags)
        liar.say(
            by_stranger,
            {**by_stranger, "pubkey": there.server},
            {**last, "content": mated.fen()},
            {**last, "tags": tags, "content": mated.fen()},
            states[0],  # a true one, of a position that is past
            signed(stranger, RESPONSE, f"started:{'ab' * 16}:{there.server}:w", *tags),
        )
        match.plays("Nf3 Nc6")
        for player in match.everybody:
            assert player.board.get_attribute("data-result") is None
            assert json.dumps(player.complaints) == "[]"


_NOTES_WHAT_IS_SEEN = """() => {
  window.noted = []
  new MutationObserver(() => {
    for (const it of document.querySelectorAll("main *:not(.unseen)"))
      if (!it.childElementCount && it.checkVisibility()) window.noted.push(it.textContent)
    window.noted = [...new Set(window.noted)]
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}"""
"""Notes every text that can be seen, and be it for a moment, but for the screen reader's."""


def test_a_socket_that_stays_open_and_falls_silent_is_said_at_the_board_and_left(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    there = arbiter.endpoints
    with meddling_relay(there.relays[0]) as quiet:
        address = f"{there.http}/?arbiter={there.npub}&relays={quiet.url}"
        one = newcomer(None, without=there.websocket)
        one.context.route_web_socket(there.relays[0], lambda socket: socket.close())
        one.opens(address)
        match = paired(one, newcomer(), "play-3+2")
        match.plays("e4 e5")
        one.page.evaluate(_NOTES_WHAT_IS_SEEN)
        quiet.fall_silent()
        # Well before the 53 seconds without a live clock: nothing here is waited for so long.
        one.sees("Connected again.")
        noted = one.page.evaluate("window.noted")
        assert any("No connection: no move is seen until it is back." in it for it in noted), noted
        match.shown()
        match.plays("Nf3 Nc6")
        _loud(match)


def _answering(player: Player, arbiter: RunningServer, answer: Callable[[Route], None]) -> None:
    """The page itself comes; what it asks about the arbiter is answered so."""
    player.page.route("**/.well-known/**", answer)
    player.page.route(
        lambda url: url.rstrip("/") == arbiter.endpoints.http,
        lambda route: route.fallback() if route.request.is_navigation_request() else answer(route),
    )
    player.page.goto(arbiter.endpoints.http)


def test_a_page_without_a_network_says_so_and_goes_on_by_itself(
    newcomer: Newcomer, arbiter: RunningServer
) -> None:
    lost = newcomer(None)
    _answering(lost, arbiter, lambda route: route.abort())
    lost.sees("The arbiter does not answer.")
    lost.page.unroute_all()
    lost.element("play").wait_for()
    lost.complaints.clear()


def test_a_page_that_finds_no_arbiter_says_so(newcomer: Newcomer, arbiter: RunningServer) -> None:
    lost = newcomer(None)
    _answering(lost, arbiter, lambda route: route.fulfill(status=404))
    lost.sees("No arbiter was found at this address.")
    lost.page.unroute_all()
    lost.presses_named("Try again")
    lost.element("play").wait_for()
    lost.complaints.clear()
