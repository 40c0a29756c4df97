"""A browser against players with other programs."""

import asyncio
import threading

import chess
import nostr_sdk  # type: ignore[import-untyped]

from tests.browser.players import Newcomer
from tests.clients.terminal.program import Program
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


def test_a_browser_against_a_nip_100_client(arbiter: RunningServer, newcomer: Newcomer) -> None:
    there = arbiter.endpoints
    browser = newcomer()
    script = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    failures: list[BaseException] = []

    async def play() -> None:
        client = Nip100Client(there.websocket, there.server)
        async with asyncio.timeout(60), client.connected():
            await client.search()
            await client.until_seated()
            await client.play_its_half(script)
            await client.until_over()

    def run() -> None:
        try:
            asyncio.run(play())
        except BaseException as failure:  # noqa: BLE001 - raised again below
            failures.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    browser.presses("play")
    board = chess.Board()
    for uci in script:
        if browser.color is board.turn:
            browser.shows(board.fen())  # the other answers at once
            browser.moves(uci)
        board.push_uci(uci)
    browser.shows(board.fen())
    browser.sees_result("1-0")
    thread.join(30)
    assert failures == []
