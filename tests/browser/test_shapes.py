"""The page in other shapes: a phone on its side, the system's colours, a chart by keyboard."""

import json

import nostr_sdk  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.players import Match, Newcomer, paired

ON_ITS_SIDE = (740, 360)
SIZES = ((360, 640), ON_ITS_SIDE, (1280, 800))


def resized(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")


def style(found: Locator, name: str) -> str:
    return str(found.evaluate("(it, name) => getComputedStyle(it)[name]", name))


def test_on_a_phone_on_its_side_the_board_has_the_height_and_all_else_is_beside_it(
    newcomer: Newcomer,
) -> None:
    match = paired(newcomer(), newcomer(), "play-10+0")
    match.plays("e4 e5")
    page = match.white.page
    resized(page, ON_ITS_SIDE)
    board = match.white.board.bounding_box()
    assert board is not None
    assert board["height"] >= 0.93 * 360
    assert board["y"] + board["height"] <= 360
    for name in ("clock-white", "clock-black", "resign", "draw", "takeback"):
        expect(match.white.element(name)).to_be_in_viewport(ratio=1)
    header = page.get_by_role("link", name="Watch", exact=True)
    header.scroll_into_view_if_needed()
    expect(header).to_be_in_viewport()


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_menu_opens_where_there_is_room(match: Match, size: tuple[int, int]) -> None:
    match.plays("e4 e5")
    page = match.white.page
    before = page.viewport_size
    resized(page, size)
    page.locator("summary[title=More]").click()
    page.get_by_role("button", name="Copy PGN").wait_for()
    expect(page.locator(".menu-list")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    assert before is not None
    page.set_viewport_size(before)


def test_in_the_system_s_colours_pieces_squares_and_clocks_are_told_apart(
    newcomer: Newcomer,
) -> None:
    match = paired(newcomer(), newcomer(), "play-10+0")
    match.plays("e4 e5")
    page = match.white.page
    page.emulate_media(forced_colors="active")
    match.white.taps("g1")
    board = page.locator("cg-board")
    assert style(board, "backgroundImage") != "none", "the squares of the board"
    assert style(board.locator("piece").first, "backgroundImage") != "none", "its pieces"
    for mark in ("last-move", "selected", "move-dest"):
        square = board.locator(f"square.{mark}").first
        outlined = style(square, "outlineStyle") == "solid"
        assert outlined or style(square, "backgroundImage") != "none", mark
    running, other = match.white.element("clock-white"), match.white.element("clock-black")
    assert style(running, "backgroundColor") != style(other, "backgroundColor")


def test_a_leaderboard_has_a_line_for_each_player_on_a_phone(newcomer: Newcomer) -> None:
    keys = [nostr_sdk.Keys.generate().public_key().to_hex() for _ in range(3)]
    ranks = [
        {"rating": 1900 - place, "deviation": 60, "games": 1000, "player": {"pubkey": key}}
        for place, key in enumerate(keys)
    ]
    player = newcomer(viewport={"width": 360, "height": 640})
    player.page.route("**/leaderboard/*?*", lambda route: route.fulfill(json={"players": ranks}))
    player.opens("#/leaderboard/blitz")
    rows = player.page.locator("tbody tr")
    expect(rows).to_have_count(3)
    for row in rows.all():
        box = row.bounding_box()
        assert box is not None
        assert box["height"] < 2 * 24 + 8, "one line of text, and its padding"
    assert player.page.evaluate("document.documentElement.scrollWidth") == 360
    expect(player.page.get_by_role("link", name="Correspondence")).to_be_in_viewport(ratio=1)


def test_the_chart_of_a_rating_is_read_game_by_game_with_the_keyboard(newcomer: Newcomer) -> None:
    player = newcomer()
    npub = player.npub
    games = "\n\n".join(
        f'[Event "Rated blitz game"]\n[White "Ann"]\n[WhiteNA "nostr:{npub}"]\n[Black "b"]\n'
        f'[WhiteElo "{rating}"]\n[UTCDate "2026.01.1{day}"]\n[UTCTime "10:00:00"]\n\n1. e4 *'
        for day, rating in enumerate((1500, 1512, 1490))
    )
    standing = {"rating": 1490, "deviation": 60, "games": 3, "provisional": False}
    key = nostr_sdk.PublicKey.parse(npub).to_hex()

    def answer(route: Route) -> None:
        if "games.pgn" in route.request.url:
            route.fulfill(body=games, content_type="application/x-chess-pgn")
        else:
            card = {"pubkey": key, "ratings": {"blitz": standing}, "games": []}
            route.fulfill(body=json.dumps(card), content_type="application/json")

    player.page.route("**/players/**", answer)
    player.opens(f"#/player/{npub}")
    chart = player.page.get_by_role("slider", name="Rating before each game")
    expect(chart).to_have_attribute("aria-valuetext", "Jan 12, 2026: 1490")
    chart.focus()
    for shown in ("Jan 11, 2026: 1512", "Jan 10, 2026: 1500"):
        player.page.keyboard.press("ArrowLeft")
        expect(chart).to_have_attribute("aria-valuetext", shown)
        expect(player.page.locator("figcaption strong")).to_have_text(shown)
    expect(player.page.get_by_role("img", name="From 1500 to 1490 in 3 games")).to_be_visible()
    figure, svg = player.page.locator("figure"), player.page.locator("figure svg")
    outer, inner = figure.bounding_box(), svg.bounding_box()
    assert outer is not None
    assert inner is not None
    assert outer["height"] > inner["height"] > 100, "no part of it lies over the next"
