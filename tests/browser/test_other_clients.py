"""A browser against the terminal."""

import chess
import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.nostr.nip19 import decode_npub
from tests.browser.players import Newcomer
from tests.clients.terminal.program import Program
from tests.server.running_server import RunningServer


def test_a_browser_against_the_terminal(arbiter: RunningServer, newcomer: Newcomer) -> None:
    there = arbiter.endpoints
    browser = newcomer()
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()
    with Program(secret=secret, server=there.server, relays=[*there.relays]) as terminal:
        terminal.until("queued")
        browser.presses("play")
        board = chess.Board()
        for san in ["e4", "e5", "Qh5", "Nc6", "Bc4", "Nf6", "Qxf7#"]:
            if browser.color is board.turn:
                browser.moves(san)
            else:
                terminal.enter(san)
            board.push_san(san)
            browser.shows(board.fen())
            terminal.until("state", fen=board.fen())
        browser.sees_result("1-0")


def test_the_link_of_each_is_one_for_the_other(
    arbiter: RunningServer, newcomer: Newcomer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUN_DIR", str(arbiter.data))
    secrets = [nostr_sdk.Keys.generate().secret_key().to_hex() for _ in range(2)]
    asked = ("--challenge", "link", "--time", "7+4")
    with Program(secret=secrets[0], server="", relays=[], options=asked) as terminal:
        guest = newcomer(terminal.until("queued")["link"])
        guest.sees("7+4")
        guest.presses("accept")
        terminal.until("started", time="420+4")

    host = newcomer()
    host.presses("challenge-link")
    link = host.page.locator("a[data-testid=challenge-link]").get_attribute("href")
    assert link is not None
    with Program(secret=secrets[1], server="", relays=[], options=("--accept", link)) as terminal:
        terminal.until("started", opponent=decode_npub(host.npub))
