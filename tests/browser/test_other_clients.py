"""A browser against players with other programs."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import chess
import nostr_sdk  # type: ignore[import-untyped]
import pytest

from arbiter.nostr.nip19 import decode_npub
from clients.probes.matches import FOOLS_MATE
from tests.browser.players import Newcomer, Player
from tests.clients.terminal.program import Program
from tests.e2e.jester_amethyst import Amethyst
from tests.e2e.jester_player import JesterPlayer
from tests.e2e.jester_spelling import Spelling
from tests.e2e.jester_ui import JesterUi
from tests.e2e.nip100_client import Nip100Client
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


def test_a_browser_against_a_nip_100_client(arbiter: RunningServer, newcomer: Newcomer) -> None:
    there = arbiter.endpoints
    browser = newcomer()
    script = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]

    async def play() -> None:
        client = Nip100Client(there.websocket, there.server)
        async with client.connected():
            await client.search()
            await client.until_seated()
            await client.play_its_half(script)
            await client.until_over()

    with beside(play()):
        browser.presses("play")
        plays_its_half(browser, script)
        browser.sees_result("1-0")


@pytest.mark.parametrize(("spelling", "color"), [(JesterUi, "white"), (Amethyst, "black")])
def test_a_browser_against_a_player_of_kind_30(
    arbiter: RunningServer, newcomer: Newcomer, spelling: type[Spelling], color: str
) -> None:
    there = arbiter.endpoints
    browser = newcomer()
    player = JesterPlayer(spelling())

    async def play() -> None:
        async with player.connected(there.relays):
            await player.challenge(color, there.server)
            for ply, uci in enumerate(FOOLS_MATE):
                await player.until_ply(ply)
                if chess.COLORS[ply % 2] is (color == "white"):
                    await player.move(uci)
            await player.until_ply(len(FOOLS_MATE))

    with beside(play()):
        # Without a clock, as kind 30 knows none.
        browser.presses("play")
        assert browser.color is (color == "black")
        plays_its_half(browser, FOOLS_MATE)
        browser.sees_result("0-1")
    assert (player.view.result, player.view.complaint) == ("0-1", "")


def plays_its_half(browser: Player, script: Sequence[str]) -> None:
    """The browser makes its own moves (UCI) of the script, and shows all."""
    board = chess.Board()
    for uci in script:
        if browser.color is board.turn:
            browser.shows(board.fen())  # the other answers at once
            browser.moves(uci)
        board.push_uci(uci)
    browser.shows(board.fen())


@contextmanager
def beside(playing: Coroutine[None, None, None]) -> Iterator[None]:
    """Run this while the block runs; it ends as well, within a minute."""
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(asyncio.run, asyncio.wait_for(playing, 60))
        yield
        played.result()
