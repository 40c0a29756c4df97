"""A player with several games: all are listed, each is played, and the next to move is at hand."""

import re

import nostr_sdk  # type: ignore[import-untyped]
from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired
from tests.browser.wire import open_challenge
from tests.server.running_server import RunningServer

BY_DAYS = (["time", "3d"], ["color", "black"])


def begins(player: Player, arbiter: RunningServer) -> str:
    """Begin a game by days as White, against a key that waits for it; its id."""
    challenge = open_challenge(arbiter.endpoints, nostr_sdk.Keys.generate(), *BY_DAYS)
    player.opens(f"#/challenge/{challenge}")
    player.presses("accept")
    return player.game


def test_a_player_finds_each_of_their_games_and_the_next_to_move(
    newcomer: Newcomer, arbiter: RunningServer
) -> None:
    player = newcomer()
    games = [begins(player, arbiter) for _ in range(3)]
    assert len({*games}) == 3
    player.moves("e4")
    expect(player.board).to_have_attribute("data-pending", "false")
    player.presses("next-game")
    assert player.game in games[:2]
    player.opens()
    player.reloads()
    expect(player.element("resume")).to_contain_text("Your turn")
    expect(player.element("your-game")).to_have_count(2, timeout=20_000)
    last = player.element("your-game").last
    # Where the opponent is to move comes last.
    expect(last).to_have_attribute("href", f"#/game/{games[2]}", timeout=20_000)
    last.click()
    assert player.game == games[2]


def test_a_live_game_begins_beside_slow_ones_and_is_first_in_the_lobby(
    newcomer: Newcomer, arbiter: RunningServer
) -> None:
    player = newcomer()
    slow = begins(player, arbiter)
    player.opens()
    match = paired(player, newcomer(), button="play-3+2")
    match.plays("e4 e5")
    player.opens()
    expect(player.element("resume")).to_contain_text("3+2")
    expect(player.element("your-game")).to_have_attribute("href", f"#/game/{slow}")
    player.presses("resume")
    match.shown()
    match.black.presses("resign")
    match.black.presses("confirm")
    match.ends("1-0")


def _opens_conditional_moves(player: Player) -> None:
    player.page.get_by_title("More", exact=True).click()
    player.page.get_by_role("link", name="Conditional moves").click()


def test_conditional_moves_are_added_on_the_analysis_board_kept_by_the_arbiter_and_deleted(
    newcomer: Newcomer, arbiter: RunningServer
) -> None:
    player = newcomer()
    begins(player, arbiter)
    _opens_conditional_moves(player)
    lines = player.element("lines").get_by_role("listitem")
    player.sees(re.compile("None yet"))
    for move in ("e4", "e5", "Nf3"):
        player.moves(move)
    player.presses_named("Add the line shown")
    expect(lines).to_have_text(re.compile("1. e4 e5 2. Nf3"), timeout=PATIENCE_MS)
    player.page.go_back()
    _opens_conditional_moves(player)
    expect(lines).to_have_text(re.compile("1. e4 e5 2. Nf3"), timeout=PATIENCE_MS)
    player.presses_named("Delete 1. e4 e5 2. Nf3")
    expect(lines).to_have_count(0, timeout=PATIENCE_MS)
    expect(player.page.get_by_text("Engine", exact=True)).to_be_disabled()


NOTICES = """() => {
    window.told = [];
    window.Notification = class {
        static permission = "granted";
        constructor(title, { tag }) { window.told.push([title, tag]); }
        close() {}
    };
}"""
HIDDEN = """(hidden) => {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_player_who_looks_elsewhere_is_told_of_their_turn_if_they_wish(
    newcomer: Newcomer, arbiter: RunningServer
) -> None:
    match = paired(newcomer(), newcomer(), button="play-3d")
    white, black = match.white, match.black
    icon = white.page.locator("link[rel=icon]")
    # It is followed from here on.
    expect(icon).to_have_attribute("href", re.compile("^data:image/svg"), timeout=20_000)
    expect(white.page).to_have_title(re.compile("^Your turn — "))
    for player in match.everybody:
        player.page.evaluate(NOTICES)
    match.plays("e4 e5")
    expect(black.page).to_have_title(re.compile("is to move"))
    for player, answer in ((white, "Yes"), (black, "Never")):
        question = player.element("turns-question")
        question.get_by_role("button", name=answer).click()
        expect(question).to_have_count(0)
    match.plays("Nf3")
    for player in match.everybody:
        player.page.evaluate(HIDDEN, arg=True)
    match.plays("Nc6")
    white.page.wait_for_function("told.length === 1")
    assert white.page.evaluate("told[0][1]") == f"turn:{white.game}"
    assert "Your turn — " in white.page.evaluate("told[0][0]")
    assert black.page.evaluate("told") == [], "who said never"
