"""A player whose opponent did not come looks for another, for as long as they wish."""

import pytest
from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired, seated

TEXT = "Your opponent did not come. Looking for another…"
BUTTON = "play-15+10"
"""A pool that no other test plays in."""


def left_alone(newcomer: Newcomer) -> Player:
    """One whose opponent has aborted, and who is told that they look for another."""
    match = paired(newcomer(), newcomer(), BUTTON)
    match.black.presses("abort")
    match.white.sees(TEXT)
    return match.white


def test_the_next_game_opens_by_itself(newcomer: Newcomer) -> None:
    alone = left_alone(newcomer)
    before = alone.game
    comes = newcomer()
    comes.presses(BUTTON)
    alone.page.wait_for_url(lambda url: "#/game/" in url and before not in url)
    match = seated(alone, comes)
    expect(alone.page.get_by_text(TEXT)).to_have_count(0)
    match.plays("e4 e5")
    match.white.presses("resign")
    match.white.presses("confirm")
    match.ends("0-1")


@pytest.mark.parametrize("way", ["cancel", "leave", "reload and cancel"])
def test_the_wait_ends_as_the_player_wishes_and_none_is_left_behind(
    newcomer: Newcomer, way: str
) -> None:
    alone = left_alone(newcomer)
    if way.startswith("reload"):
        alone.reloads()
        alone.sees(TEXT)
    if way == "leave":
        alone.page.get_by_role("link", name="New game").click()
    else:
        alone.presses("cancel")
    expect(alone.element("waiting")).to_have_count(0, timeout=PATIENCE_MS)
    comes = newcomer()
    comes.presses(BUTTON)
    waiting = comes.element("waiting")
    waiting.wait_for()
    expect(waiting).not_to_contain_text("sending", timeout=PATIENCE_MS)
    comes.presses("cancel")
    comes.element("play-5+3").wait_for()


def test_a_search_begun_in_the_lobby_is_seen_on_every_page(newcomer: Newcomer) -> None:
    player = newcomer()
    player.presses(BUTTON)
    player.element("waiting").wait_for()
    for page in ("Watch", "Leaderboards"):
        player.page.get_by_role("link", name=page, exact=True).first.click()
        player.sees("Looking for an opponent")
    player.presses("cancel")
    expect(player.element("waiting")).to_have_count(0, timeout=PATIENCE_MS)
