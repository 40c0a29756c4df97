"""The same board for a keyboard, a phone, a screen reader, in the dark and in other languages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import StartedFrom
from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired, seated

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "clients/web/node_modules/axe-core/axe.min.js"
PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
HEIGHTS = {1280: 800, 740: 360, 360: 640}
LOOKS = [(1280, "light"), (1280, "dark"), (740, "light"), (360, "light"), (360, "dark")]

RULES = """async ([within, scheme]) => {
  // Also the experimental ones; of those for level AAA only what all pages can keep. In the dark
  // the same elements have other colours.
  const wanted = axe.getRules().filter(({ tags }) =>
    !tags.includes("wcag2aaa") && (scheme === "light" || tags.includes("cat.color")));
  const rules = Object.fromEntries(wanted.map(({ ruleId }) => [ruleId, { enabled: true }]));
  const { violations } = await axe.run(within, { rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, impact, target.join(" "), failureSummary]));
}"""

# Elements whose words stick out of them or are cut off, but for names, which end in dots.
OVERFLOWING = """() => [...document.querySelectorAll("html, main :not(input), header *")]
  .filter((it) => it.clientWidth > 1 && it.scrollWidth > it.clientWidth + 1)
  .filter((it) => !["auto", "scroll"].includes(getComputedStyle(it).overflowX))
  .filter((it) => getComputedStyle(it).textOverflow !== "ellipsis")
  .map((it) => `${it.tagName}.${it.className} ${it.scrollWidth} > ${it.clientWidth} px: `
    + it.innerText.replace(/\\s+/g, " ").slice(0, 80))
"""

COLOURS_SETTLED = """Promise.all(
  document.getAnimations().filter((it) => it instanceof CSSTransition)
    .map((it) => it.finished.catch(() => {})),
)"""


def faults_of(page: Page, screen: str, within: str = "html") -> Iterator[str]:
    """The faults that axe finds on this screen, or in a part of it, in each size and colour."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    before = page.viewport_size
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_timeout(50)
        page.evaluate(COLOURS_SETTLED)
        for rule, impact, target, why in page.evaluate(RULES, [within, scheme]):
            yield f"{screen} {width} {scheme}: {rule} ({impact}) {target}: {' '.join(why.split())}"
        over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if over > 0:
            yield f"{screen} {width}: the page is {over} px too wide"
    if before:
        page.set_viewport_size(before)


def _toggle_all(page: Page) -> None:
    page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = !it.open))")


def test_every_page_outside_a_game_is_without_fault(newcomer: Newcomer) -> None:
    player = newcomer()
    page = player.page
    faults = [*faults_of(page, "lobby")]
    player.presses("play-custom")
    player.presses_named("Change")
    player.presses("challenge-link")
    link = page.locator("a[data-testid=challenge-link]").get_attribute("href")
    player.presses("play-3+2")
    other = newcomer()
    other.element("friend").fill(player.npub)
    other.presses_named("Challenge")
    player.element("incoming").wait_for()
    faults += faults_of(page, "lobby with everything open")
    assert link is not None
    faults += faults_of(newcomer(link).page, "challenge")
    for where, title in {
        "#/settings": "Settings",
        "#/tv": "Games in progress",
        "#/leaderboard/blitz": "Leaderboards",
        f"#/player/{player.npub}": re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+ [1-9][0-9]"),
        "#/nothing": "There is no such page",
    }.items():
        player.opens(where)
        expect(page.get_by_role("heading", level=1)).to_contain_text(title, timeout=PATIENCE_MS)
        _toggle_all(page)
        faults += faults_of(page, where)
    player.opens("#/")
    player.element("cancel").first.click()  # no player of the next test is to meet them
    player.element("play-5+3").wait_for()
    assert not faults, "\n".join(faults)


def test_every_state_of_a_game_is_without_fault(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer(), button="play-10+0")
    player, page = match.white, match.white.page
    faults = [*faults_of(page, "first position")]
    match.plays("e4 e5 Nf3 Nc6 Bc4 Bc5 Bxf7 Kxf7 Nxe5")
    line = match.black.page.get_by_placeholder("Write a message")
    line.fill("Well played")
    line.press("Enter")
    player.sees("Well played")
    match.black.offers_a_draw()
    player.hears("offers a draw")
    player.moves("d2d4")  # a premove
    player.moves("nonsense")
    faults += faults_of(page, "offer, premove, chat")
    player.page.get_by_role("button", name="Decline").click()
    player.presses("resign")
    for menu in page.locator("summary").all():
        menu.click()
        page.locator(".menu-list").wait_for()
        faults += faults_of(page, "resigning, a menu open", ".menu[open]")
        page.keyboard.press("Escape")
        expect(page.locator(".menu-list")).to_have_count(0)
    player.presses("confirm")
    match.ends("0-1")
    faults += faults_of(page, "over")
    player.presses_named("Analyse")
    expect(page.get_by_text(re.compile("depth"))).to_be_visible(timeout=60_000)
    faults += faults_of(page, "analysis")
    match.black.presses("rematch")
    player.hears("wants a rematch")
    faults += faults_of(page, "rematch", ".area-actions")
    assert not faults, "\n".join(faults)


def test_a_promotion_and_an_analysis_are_without_fault(
    started_from: StartedFrom, newcomer: Newcomer
) -> None:
    match = started_from("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1")
    match.white.drags("a7", "a8")
    match.white.page.get_by_role("dialog").wait_for()
    faults = [*faults_of(match.white.page, "promotion")]
    several = f'1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 (3... d6)\n4. Ke3 *\n\n[White "{"M" * 60}"]\n\n1. d4'
    player = newcomer(f"#/analysis?pgn={quote(several)}")
    player.page.get_by_role("list", name="Moves").wait_for()
    _toggle_all(player.page)
    player.element("fen").fill("nonsense")
    player.element("fen").press("Enter")
    faults += faults_of(player.page, "analysis page")
    assert not faults, "\n".join(faults)


def test_a_game_by_keyboard_alone(newcomer: Newcomer) -> None:
    players = [newcomer(), newcomer()]
    for player in players:
        _tab_to(player, "play")
        player.page.keyboard.press("Enter")
    for player in players:
        player.board.wait_for()
    board = chess.Board()
    white, black = sorted(players, key=lambda it: not it.color)
    for uci in ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"):
        player = white if board.turn else black
        _tab_to(player, "board", inside=True)
        _walk(player, uci[:2])
        player.page.keyboard.press("Enter")
        _walk(player, uci[2:])
        player.page.keyboard.press("Space")
        board.push_uci(uci)
        for each in players:
            each.shows(board.fen())
    black.sees_result("1-0")
    assert board.is_checkmate()


def _tab_to(player: Player, test_id: str, *, inside: bool = False) -> None:
    """Press Tab until the focus is there."""
    found = f"[data-testid='{test_id}']"
    is_there = f"!!document.activeElement.{'closest' if inside else 'matches'}(`{found}`)"
    player.page.bring_to_front()  # a browser has one page at a time that keys go to
    for _ in range(80):
        if player.page.evaluate(is_there):
            return
        player.page.keyboard.press("Tab")
    raise AssertionError(f"no way to {test_id} by Tab")


def _walk(player: Player, goal: str) -> None:
    """By a rank's number and the arrows."""
    page = player.page
    page.keyboard.press(goal[1])
    at = page.evaluate("document.activeElement.dataset.square")
    files = chess.FILE_NAMES.index(goal[0]) - chess.FILE_NAMES.index(at[0])
    towards_h = (files > 0) is player.color
    for _ in range(abs(files)):
        page.keyboard.press("ArrowRight" if towards_h else "ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.square") == goal


def test_a_game_on_a_phone(newcomer: Newcomer) -> None:
    match = paired(newcomer(**PHONE), newcomer())
    phone = match.white if match.white.page.viewport_size == PHONE["viewport"] else match.black
    match.plays("e4 e5 Nf3 Nc6 Bb5 a6", "clicked")
    box = phone.board.bounding_box()
    assert box is not None
    assert box["width"] >= 320
    assert box["y"] + box["height"] <= 640  # the whole board is on the first screen
    for color in (chess.WHITE, chess.BLACK):
        assert match.board.king(color) is not None
    header = phone.page.locator("header.bar").bounding_box()
    assert header is not None
    assert header["height"] < 56  # one row
    phone.presses("resign")
    phone.presses("confirm")
    match.ends("0-1" if phone is match.white else "1-0")


def test_the_smallest_phone_and_a_large_screen_show_all_of_the_board(newcomer: Newcomer) -> None:
    match = paired(newcomer(), newcomer())
    for width, height in ((320, 568), (844, 390), (3840, 2160)):
        match.white.page.set_viewport_size({"width": width, "height": height})
        match.white.page.evaluate("scrollTo(0, 0)")
        box = match.white.board.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert abs(box["width"] - box["height"]) < 2
        assert box["height"] > min(width, height) * 0.6


@pytest.mark.parametrize(
    ("locale", "knight", "spoken", "won"),
    [
        ("de-AT", "Sf3", "Springer", "Gewonnen"),
        ("es-419", "Cf3", "caballo", "Has ganado"),
        ("fr-CA", "Cf3", "cavalier", "Vous avez gagné"),
    ],
)
def test_the_page_speaks_the_browser_s_language(
    newcomer: Newcomer, locale: str, knight: str, spoken: str, won: str
) -> None:
    match = paired(newcomer(locale=locale), newcomer(locale=locale))
    expect(match.white.page.locator("html")).to_have_attribute("lang", locale[:2])
    match.plays("e4 e5")
    match.white.moves(knight)
    match.board.push_san("Nf3")
    match.shown()
    match.black.hears(spoken)
    match.black.presses("resign")
    match.black.presses("confirm")
    match.white.sees(won)


def test_another_language_is_chosen_in_the_header_and_kept(newcomer: Newcomer) -> None:
    player = newcomer()
    loaded = "performance.getEntriesByType('resource').map((it) => it.name)"
    others = re.compile(r"/assets/(de|es|fr)-")
    assert [*filter(others.search, player.page.evaluate(loaded))] == []
    player.page.get_by_role("combobox", name="Language").select_option("Español")
    player.sees("Jugar al ajedrez")
    (only,) = filter(others.search, player.page.evaluate(loaded))
    assert "/es-" in only
    player.reloads()
    expect(player.page.locator("html")).to_have_attribute("lang", "es")
    expect(player.page.get_by_role("combobox", name="Idioma")).to_have_value("es")


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "es-ES", "fr-FR"])
def test_words_fit_the_smallest_phone(newcomer: Newcomer, locale: str) -> None:
    player = newcomer(locale=locale, viewport={"width": 320, "height": 568})
    page, faults = player.page, []
    pages = ["#/", "#/tv", "#/leaderboard/blitz", "#/settings", "#/analysis?pgn=e4"]
    match = paired(player, newcomer())
    for where in (*pages, f"#/player/{player.npub}", f"#/game/{player.game}"):
        player.opens(where)
        expect(page.locator("main > :not(.loading)").first).to_be_visible()
        page.locator("details, button[aria-expanded=false]").evaluate_all(
            "all => all.forEach((it) => it.open === false ? (it.open = true) : it.click())"
        )
        page.wait_for_timeout(100)
        faults += [f"{where}: {each}" for each in page.evaluate(OVERFLOWING)]
    match.plays("e4 e5")  # who is left alone before that waits for another opponent
    page.keyboard.press("Escape")  # an open menu lies over what is above it
    match.white.presses("resign")
    faults += [f"resigning: {each}" for each in page.evaluate(OVERFLOWING)]
    match.white.presses("confirm")
    match.ends("0-1")
    faults += [f"over: {each}" for each in page.evaluate(OVERFLOWING)]
    assert not faults, "\n".join(faults)


def test_the_first_visit_is_a_first_move_away(newcomer: Newcomer) -> None:
    """A player who is paired at once is at the board, whatever the page was still loading."""
    waits = newcomer()
    waits.presses("play")
    waits.element("waiting").wait_for()
    comes = newcomer(None)
    comes.page.goto(comes.address)
    comes.presses("play")
    match = seated(waits, comes)
    # Who is left alone waits again, and the player of another test would meet them.
    match.plays("e4 e5")


def test_a_browser_that_forbids_databases_plays(newcomer: Newcomer) -> None:
    forbid = (
        "Object.defineProperty(window, 'indexedDB', "
        "{ get() { throw new DOMException('denied', 'SecurityError'); } });"
    )
    match = paired(newcomer(script=forbid), newcomer())
    match.plays("e4 e5")


def test_what_the_page_keeps_is_a_key_and_preferences(newcomer: Newcomer) -> None:
    player = newcomer()
    player.page.emulate_media(color_scheme="dark")  # as systems do in the evening
    player.page.get_by_role("button", name="Light colours").wait_for()
    player.page.emulate_media(color_scheme="light")
    player.page.get_by_role("button", name="Dark colours").click()
    kept = json.loads(player.page.evaluate("JSON.stringify(localStorage)"))
    assert all(name.startswith("arbiter.") for name in kept)
    player.reloads()
    expect(player.page.locator("html")).to_have_attribute("data-theme", "dark")
