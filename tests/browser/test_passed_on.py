"""A finished game that is passed on: posted to a player's followers, and framed by another page."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, expect
from websockets.sync.client import connect

from tests.browser.players import PATIENCE_MS, Newcomer, paired
from tests.server.running_server import RunningServer

PAGES = (("board", "/embed"), ("game", ""), ("proof", "/proof"))


def found(relay: str, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """The events that this relay has."""
    events = list[dict[str, Any]]()
    with connect(relay) as socket:
        socket.send(json.dumps(["REQ", "all", wanted]))
        while (said := json.loads(socket.recv(timeout=20)))[0] != "EOSE":
            events.append(said[2])
    return events


def test_a_mated_game_is_posted_with_note_picture_and_proof_and_framed_by_another_page(
    arbiter: RunningServer, browser: Browser, newcomer: Newcomer
) -> None:
    match = paired(newcomer(), newcomer())
    match.plays("f3 e5 g4 Qh4#")
    match.ends("0-1")
    player, game, http = match.white, match.white.game, arbiter.endpoints.http

    player.page.locator("summary[title=More]").click()
    player.presses("post")
    expect(player.page.get_by_text("Posted: 1 of 1")).to_be_visible(timeout=PATIENCE_MS)

    relay = arbiter.endpoints.relays[0]
    (note,) = found(relay, {"kinds": [64], "#d": [game]})
    (post,) = found(relay, {"kinds": [1], "#q": [note["id"]]})
    said, picture, proof, quoted = post["content"].split("\n")
    assert said.endswith(" 0-1")
    assert (picture, proof) == (f"{http}/games/{game}/board.png", f"{http}/g/{game}/proof")
    assert quoted.startswith("nostr:nevent1")
    shown = player.page.request.get(picture)
    assert (shown.status, shown.headers["content-type"]) == (200, "image/png")
    page = newcomer().page
    page.goto(proof)
    expect(page.locator("#found")).to_contain_text("the arbiter signed", timeout=PATIENCE_MS)

    _framed(browser, http, game)


@contextmanager
def _elsewhere(html: str) -> Iterator[str]:
    """The address of a page of somebody else."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def _framed(browser: Browser, http: str, game: str) -> None:
    """A page of somebody else, read by a stranger without scripts, shows the embedded board, and
    can show no other page of ours.
    """
    frames = (f'<iframe name="{name}" src="{http}/g/{game}{end}"></iframe>' for name, end in PAGES)
    context = browser.new_context(java_script_enabled=False)
    try:
        with _elsewhere("".join(frames)) as address:
            page = context.new_page()
            page.goto(address)
            board = page.frame_locator("iframe[name=board]")
            expect(board.locator("svg").first).to_be_visible(timeout=PATIENCE_MS)
            expect(board.locator("body")).to_contain_text(re.compile("0-1|checkmate"))
            (link,) = board.get_by_role("link").all()
            assert link.get_attribute("href") == f"/g/{game}"
            assert link.get_attribute("target") == "_blank"
            assert board.locator("button, input, form, script, select").count() == 0
            for name, _ in PAGES[1:]:
                other = page.frame_locator(f"iframe[name={name}]")
                expect(other.locator("svg, #found")).to_have_count(0)
        assert context.cookies() == []
    finally:
        context.close()
