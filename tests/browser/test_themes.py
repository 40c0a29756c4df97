"""Boards and pieces: seen before they are chosen, loaded only then."""

import re

from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player

LOOKS = """() => {
  const of = (selector, name) => getComputedStyle(document.querySelector(selector))[name];
  return [of("cg-board", "backgroundImage"), of("cg-board piece", "backgroundImage")].join(" ");
}"""


def _loaded(player: Player) -> list[str]:
    names = "performance.getEntriesByType('resource').map((it) => it.name)"
    return [it for it in player.page.evaluate(names) if re.search(r"/(plain|themes)-", it)]


def test_a_board_and_pieces_are_seen_chosen_and_kept(newcomer: Newcomer) -> None:
    player = newcomer("#/analysis")
    player.board.wait_for()
    assert "data:image/svg" in player.page.evaluate(LOOKS)
    assert not _loaded(player)

    player.opens("#/settings")
    boards = player.page.get_by_role("group", name="Board", exact=True)
    expect(boards.get_by_role("button")).to_have_count(4)
    expect(boards.get_by_role("button", name="Brown")).to_have_attribute("aria-pressed", "true")
    boards.get_by_role("button", name="Green").click()
    player.page.get_by_role("group", name="Pieces").get_by_role("button", name="Plain").click()

    for _ in range(2):  # also after the page is loaded again
        player.opens("#/analysis")
        player.board.wait_for()
        expect(player.page.locator("html")).to_have_attribute(
            "data-pieces", "plain", timeout=PATIENCE_MS
        )
        looks = player.page.evaluate(LOOKS)
        assert "rgb(115, 149, 82)" in looks
        assert re.search(r"/assets/plain-\w+\.svg", looks)
    player.opens("#/settings")
    player.page.get_by_role("button", name="Reset to defaults").click()
    player.opens("#/analysis")
    player.board.wait_for()
    assert "data:image/svg" in player.page.evaluate(LOOKS)
