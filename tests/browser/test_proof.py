"""The proof of a game, checked by the reader's own browser."""

import re

from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, paired
from tests.server.running_server import RunningServer


def test_a_reader_sees_what_the_players_signed_and_that_another_transcript_is_not_it(
    arbiter: RunningServer, newcomer: Newcomer
) -> None:
    match = paired(newcomer(), newcomer())
    match.plays("f3 e5 g4 Qh4#")
    match.ends("0-1")
    game = match.white.game

    page = newcomer().page
    page.goto(f"{arbiter.endpoints.http}/g/{game}")
    page.get_by_role("link", name="Proof").click()
    found = page.locator("#found")
    expect(found).to_contain_text("proven: the arbiter signed this history", timeout=PATIENCE_MS)
    expect(found).to_contain_text("proven: the players signed 6 of 6 lines, for this game")
    expect(found).to_contain_text("proven: the result is 0-1, by checkmate")
    expect(found).not_to_contain_text(re.compile("wrong|missing"))

    page.route("**/transcript", lambda route: route.fulfill(body=b"no transcript"))
    page.reload()
    expect(found).to_contain_text("wrong", timeout=PATIENCE_MS)
