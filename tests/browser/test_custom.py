"""The lobby's form: colour, the opponent's rating, a position to begin from."""

import re

import chess
from playwright.sync_api import expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, seated

ENDING = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def _asks_for(player: Player, *, color: str, lowest: int) -> None:
    """Ask the pool for 5+3 with this colour, and an opponent of this rating at least."""
    if not player.page.get_by_role("slider", name="From").is_visible():
        player.presses("play-custom")
    player.presses_named(color)
    player.page.get_by_role("slider", name="From").fill(str((lowest - 400) // 100))
    player.presses("play-custom-start")


def test_a_player_of_the_pool_chooses_a_colour_and_how_strong_the_opponent_is(
    newcomer: Newcomer,
) -> None:
    chooser, other = newcomer(), newcomer()
    _asks_for(chooser, color="Black", lowest=1600)
    chooser.element("waiting").wait_for()
    other.presses("play-5+3")
    other.element("waiting").wait_for()
    chooser.sees("Looking for an opponent")
    chooser.element("cancel").first.click()  # unrated they count as 1500
    chooser.element("waiting").wait_for(state="detached")
    _asks_for(chooser, color="Black", lowest=1500)
    match = seated(chooser, other)
    assert match.black is chooser
    match.plays("e4 e5")  # or who is left alone waits for the player of another test


def test_a_friend_is_challenged_from_a_position(newcomer: Newcomer) -> None:
    host = newcomer()
    host.presses_named("Change")
    for fen, reason in {
        "hello": "This is no FEN",
        "4k3/8/8/8/8/8/8/8 w - - 0 1": "Each side needs a king",
        "R3k3/7R/8/8/8/8/8/4K3 b - - 0 1": "The game is over in this position.",
    }.items():
        host.element("start").fill(fen)
        host.sees(reason)
        expect(host.page.get_by_role("region", name="Play a friend")).not_to_contain_text(
            "from a position"
        )
    host.element("start").fill(ENDING)
    host.sees("The game begins here, and is casual.")
    host.presses_named("White")
    host.presses("challenge-link")
    link = host.page.locator("a[data-testid=challenge-link]").get_attribute("href")
    guest = newcomer(link)
    guest.sees("from a position")
    guest.presses("accept")
    host.board.wait_for(timeout=PATIENCE_MS)
    match = seated(host, guest, chess.Board(ENDING))
    match.shown()
    assert match.white is host


def test_a_link_is_shown_as_a_qr_code(newcomer: Newcomer) -> None:
    host = newcomer()
    host.presses("challenge-link")
    host.presses_named("QR code")
    drawn = host.page.get_by_role("img", name="QR code")
    drawn.wait_for(timeout=PATIENCE_MS)
    dark = set(re.findall(r"M(\d+) (\d+)h1v1h-1z", drawn.locator("path").get_attribute("d") or ""))
    size = int((drawn.get_attribute("viewBox") or "").split()[2])
    assert (size - 8 - 17) % 4 == 0  # a size of the standard, in its quiet zone
    far = size - 11
    for x, y in ((4, 4), (far, 4), (4, far)):  # where the finder patterns are
        ring = {(str(x + it), str(y + edge)) for it in range(7) for edge in (0, 6)}
        inner = {(str(x + it), str(y + 1)) for it in range(1, 6)}
        assert ring <= dark
        assert not inner & dark
    host.presses_named("QR code")
    expect(drawn).to_have_count(0)
