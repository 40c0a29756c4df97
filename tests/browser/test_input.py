"""A player's unfinished input stays theirs while others speak, and ends when the system ends it."""

import os
import re
from collections.abc import Callable, Iterator

import chess
import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.conftest import StartedFrom
from tests.browser.players import PATIENCE_MS, Match, Player
from tests.browser.wire import ask_for_state
from tests.server.running_server import RunningServer

PAWN = "4k3/P7/8/8/8/8/7p/4K3 w - - 0 1"

Disturb = Callable[[Match], None]


@pytest.fixture
def disturb(arbiter: RunningServer) -> Disturb:
    """A stranger is shown the state of a game, and then Black offers a draw, which White sees."""

    def disturbed(match: Match) -> None:
        for _ in range(2):
            ask_for_state(arbiter.endpoints, match.white.game)
        match.black.offers_a_draw()
        match.white.sees("Your opponent offers a draw")

    return disturbed


def focused(player: Player, inside: str) -> bool:
    return bool(player.page.evaluate(f"!!document.activeElement.closest({inside!r})"))


def test_a_promotion_choice_stays_open_while_others_speak(
    started_from: StartedFrom, disturb: Disturb
) -> None:
    match = started_from(PAWN)
    match.plays("Ke2 Ke7")
    white = match.white
    white.drags("a7", "a8")
    white.page.get_by_role("dialog").wait_for()
    white.page.keyboard.press("ArrowDown")
    disturb(match)
    expect(white.page.get_by_role("dialog")).to_be_visible()
    assert drawn_at(white.page, "white pawn", chess.A8)
    assert focused(white, "[role=dialog]")
    white.page.keyboard.press("Enter")  # the knight, which is second
    match.board.push_uci("a7a8n")
    match.shown()


def test_a_promotion_choice_for_a_premove_stays_open_while_the_game_goes_on(
    started_from: StartedFrom,
) -> None:
    match = started_from(PAWN)
    white, black = match.white, match.black
    white.page.evaluate("localStorage.setItem('arbiter.preferences', '{\"autoQueen\":\"never\"}')")
    white.reloads()
    match.plays("Ke2")
    white.drags("e2", "e3")
    white.sees("Premoves: 1")
    white.drags("a7", "a8")
    white.page.get_by_role("dialog").wait_for()
    black.moves("Ke7")
    for uci in ("e8e7", "e2e3"):
        match.board.push_uci(uci)
    match.shown()
    expect(white.page.get_by_role("dialog")).to_be_visible()
    white.page.keyboard.press("n")
    white.sees("Premoves: 1")
    black.moves("Kd6")
    for uci in ("e7d6", "a7a8n"):
        match.board.push_uci(uci)
    match.shown()


def test_a_promotion_choice_that_became_impossible_is_closed(started_from: StartedFrom) -> None:
    match = started_from("1r2k3/P7/8/8/8/8/8/4K3 b - - 0 1")
    white = match.white
    white.page.evaluate("localStorage.setItem('arbiter.preferences', '{\"autoQueen\":\"never\"}')")
    white.reloads()
    white.drags("a7", "a8")
    white.page.get_by_role("dialog").wait_for()
    match.plays("Ra8")
    white.page.get_by_role("dialog").wait_for(state="detached")
    match.plays("Ke2")


def test_resigning_waits_for_its_second_word_while_others_speak(
    match: Match, disturb: Disturb
) -> None:
    match.plays("e4 e5")
    match.white.presses("resign")
    match.white.element("confirm").focus()
    disturb(match)
    assert focused(match.white, "[data-testid=confirm]")
    match.white.page.keyboard.press("Enter")
    match.ends("0-1")


def test_what_is_half_typed_stays_while_others_speak_and_move(
    match: Match, disturb: Disturb
) -> None:
    match.plays("e4 e5")
    field, line = (
        match.white.element("move"),
        match.white.page.get_by_role("textbox", name="Write a message"),
    )
    line.fill("good l")
    field.fill("Nf")
    disturb(match)
    expect(field).to_have_value("Nf")
    expect(line).to_have_value("good l")
    assert focused(match.white, "[data-testid=move]")
    match.white.page.keyboard.type("3")
    match.white.page.keyboard.press("Enter")
    match.board.push_san("Nf3")
    match.shown()
    field.fill("Bb")
    match.plays("Nc6")
    expect(field).to_have_value("Bb")


def test_a_drag_goes_on_while_others_speak(match: Match, disturb: Disturb) -> None:
    match.plays("e4 e5")
    mouse = match.white.page.mouse
    mouse.move(*match.white.middle("g1"))
    mouse.down()
    mouse.move(*match.white.middle("g2"))
    disturb(match)
    mouse.move(*match.white.middle("f3"), steps=3)
    mouse.up()
    match.board.push_san("Nf3")
    match.shown()


def drawn_at(page: Page, piece: str, square: chess.Square) -> bool:
    """Whether such a piece is drawn on this square of a board that has White below."""
    role = ".".join(piece.split())
    found = page.evaluate(
        """([role]) => {
          const ground = document.querySelector("cg-board").getBoundingClientRect();
          return [...document.querySelectorAll(`cg-board piece.${role}:not(.ghost)`)].map((one) => {
            const box = one.getBoundingClientRect();
            const at = (from, size, middle) => Math.floor((8 * (middle - from)) / size);
            return [at(ground.left, ground.width, box.left + box.width / 2),
                    7 - at(ground.top, ground.height, box.top + box.height / 2)];
          });
        }""",
        [role],
    )
    return [chess.square_file(square), chess.square_rank(square)] in found


@pytest.fixture
def fingers(match: Match) -> Iterator[CDPSession]:
    """White's screen, which can be touched."""
    if os.environ.get("BROWSER") == "firefox":
        pytest.skip("touches the screen by the protocol of Chromium")
    session = match.white.context.new_cdp_session(match.white.page)
    yield session
    session.detach()


def touch(fingers: CDPSession, kind: str, *points: tuple[float, float]) -> None:
    told = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})


HIDDEN = """
  Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  delete document.hidden;
"""
AT_BOARD = """
  const event = new PointerEvent("{}", {{ bubbles: true }});
  document.querySelector("cg-board").dispatchEvent(event);
"""
INTERRUPTIONS = {
    "the window loses the focus": 'dispatchEvent(new Event("blur"))',
    "the page is hidden": HIDDEN,
    "the page is left": 'dispatchEvent(new Event("pagehide"))',
    "the screen is turned": 'dispatchEvent(new Event("orientationchange"))',
    "another size": 'dispatchEvent(new Event("resize"))',
    "the capture of the pointer is lost": AT_BOARD.format("lostpointercapture"),
    "the pointer is taken": AT_BOARD.format("pointercancel"),
}


def is_back(match: Match) -> None:
    """The knight is where it was, and the player can move it."""
    expect(match.white.page.locator("piece.dragging")).to_have_count(0, timeout=PATIENCE_MS)
    match.white.page.evaluate("new Promise(requestAnimationFrame)")
    assert drawn_at(match.white.page, "white knight", chess.G1)
    match.plays("Nf3", "dragged")
    match.plays("Nc6")


@pytest.mark.parametrize("how", INTERRUPTIONS)
def test_a_drag_by_mouse_that_the_system_ends_ends(match: Match, how: str) -> None:
    match.plays("e4 e5")
    mouse = match.white.page.mouse
    mouse.move(*match.white.middle("g1"))
    mouse.down()
    mouse.move(*match.white.middle("f3"), steps=3)
    match.white.page.evaluate(INTERRUPTIONS[how])
    mouse.up()
    is_back(match)


@pytest.mark.parametrize("how", ["cancelled", "a second finger on the board", "one beside it"])
def test_a_drag_by_finger_that_the_system_ends_ends(
    match: Match, fingers: CDPSession, how: str
) -> None:
    match.plays("e4 e5")
    white = match.white
    goal, beside = white.middle("f3"), white.middle("d5" if "board" in how else "a8")
    if how == "one beside it":
        beside = (beside[0], 3)
    touch(fingers, "touchStart", white.middle("g1"))
    touch(fingers, "touchMove", white.middle("g2"))
    touch(fingers, "touchMove", goal)
    if how == "cancelled":
        touch(fingers, "touchCancel")
    else:
        touch(fingers, "touchStart", goal, beside)
        touch(fingers, "touchEnd", goal)
        touch(fingers, "touchEnd")
    is_back(match)


def test_a_drag_by_finger_that_nothing_ends_is_a_move(match: Match, fingers: CDPSession) -> None:
    match.plays("e4 e5")
    white = match.white
    touch(fingers, "touchStart", white.middle("g1"))
    touch(fingers, "touchMove", white.middle("g2"))
    touch(fingers, "touchMove", white.middle("f3"))
    touch(fingers, "touchEnd")
    match.board.push_san("Nf3")
    match.shown()


def test_the_clocks_stop_where_they_were(started_from: StartedFrom, arbiter: RunningServer) -> None:
    match = started_from(chess.STARTING_FEN, time="600+0")
    match.plays("e4 e5")
    white = match.white
    expect(white.element("clock-white")).to_have_text(re.compile("^9:"), timeout=PATIENCE_MS)
    white.presses("resign")
    white.presses("confirm")
    match.ends("0-1")
    # How much was charged is the arbiter's affair: its own delays, as of a busy machine, are not.
    shown = [
        [each.element(f"clock-{color}").text_content() for color in ("white", "black")]
        for each in match.everybody
    ]
    page = white.context.new_page()
    page.goto(f"{arbiter.endpoints.http}/g/{white.game}")
    listed = {
        side: page.locator(f".players .{side} time").text_content() for side in ("white", "black")
    }
    assert shown == [[listed["white"], listed["black"]]] * 2
    page.close()
