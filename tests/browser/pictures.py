"""Makes docs/images: the page as it is, played by two browsers. `make browser PICTURES=1`."""

import json
import random
import sys
import tempfile
from pathlib import Path

import chess
import nostr_sdk  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.players import Match, Newcomer, Player, newcomers, paired
from tests.browser.wire import publish, signed
from tests.e2e.scriptless_browser import installed_chromium
from tests.server.running_server import RunningServer, bundled_relay, running_server

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
MAX_BYTES = 120_000
WINDOW = {"width": 1180, "height": 740}
PHONE = {"width": 390, "height": 780}
PROFILE = 0

# Morphy against the Duke of Brunswick and Count Isouard, Paris 1858.
OPERA = (
    "e4 e5 Nf3 d6 d4 Bg4 dxe5 Bxf3 Qxf3 dxe5 Bc4 Nf6 Qb3 Qe7 Nc3 c6 Bg5 b5 Nxb5 cxb5 Bxb5+ Nbd7 "
    "O-O-O Rd8 Rxd7 Rxd7 Rd1 Qe6 Bxd7+ Nxd7 Qb8+ Nxb8 Rd8#"
)


def named(newcomer: Newcomer, server: RunningServer, name: str) -> Player:
    """A player whose profile says this name."""
    keys = nostr_sdk.Keys.generate()
    publish(server.endpoints.relays[0], signed(keys, PROFILE, json.dumps({"name": name})))
    secret = keys.secret_key().to_hex()
    return newcomer(script=f"localStorage.setItem('arbiter.secret', '{secret}')")


def white_and_black(newcomer: Newcomer, server: RunningServer, button: str) -> Match:
    """A game of two who have names."""
    return paired(named(newcomer, server, "Ada"), named(newcomer, server, "Ben"), button)


def take(page: Page, name: str) -> None:
    """Write one picture. Raises ValueError if it is too large for a repository."""
    page.evaluate("document.activeElement.blur()")
    page.wait_for_timeout(500)
    png = page.screenshot()
    if len(png) > MAX_BYTES:
        raise ValueError(f"{name} has {len(png)} bytes; {MAX_BYTES} are the most")
    (IMAGES / f"{name}.png").write_bytes(png)
    print(f"{name:<10}{len(png):>8} bytes")


def main() -> None:
    program = installed_chromium()
    if program is None:
        sys.exit("There is no chromium on this machine (Debian: apt install chromium)")
    keys = [nostr_sdk.Keys.generate().public_key().to_hex() for _ in range(8)]
    house = ",".join(f"{key}:{level}" for level, key in enumerate(keys, 1))
    with (
        tempfile.TemporaryDirectory() as folder,
        bundled_relay(Path(folder)) as relay,
        running_server(Path(folder), relay, ARBITER_HOUSE=house) as server,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        with newcomers(chromium, server.endpoints.http, viewport=WINDOW) as newcomer:
            dice = random.Random(3)
            for _ in range(3):
                shown = white_and_black(newcomer, server, "play-5+3")
                for _ in range(dice.randrange(4, 12)):
                    shown.plays(shown.board.san(dice.choice([*shown.board.legal_moves])))
            match = white_and_black(newcomer, server, "play-10+0")
            moves = OPERA.split()
            match.plays(" ".join(moves[:17]))
            waiting = newcomer()
            waiting.presses("play-3+2")
            lobby = newcomer()
            lobby.sees("1 waiting")
            take(lobby.page, "lobby")
            player = match.white.page
            take(player, "game")
            player.emulate_media(color_scheme="dark")
            take(player, "dark")
            player.emulate_media(color_scheme="light")
            player.set_viewport_size(PHONE)
            take(player, "phone")
            player.set_viewport_size(WINDOW)
            match.plays(" ".join(moves[17:]))
            match.ends("1-0")
            match.white.presses_named("Analyse")
            expect(player.get_by_text("Looking at move")).to_have_count(1, timeout=60_000)
            expect(player.get_by_text("Looking at move")).to_have_count(0, timeout=240_000)
            take(player, "end")
    assert match.board.outcome() == chess.Outcome(chess.Termination.CHECKMATE, chess.WHITE)


if __name__ == "__main__":
    main()
