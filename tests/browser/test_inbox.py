"""Challenges and rematches wait for a player: each is there once, and gone when answered."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.players import PATIENCE_MS, Newcomer, Player, paired, seated

FORGET = """
for (const name of Object.keys(localStorage))
    if (name.startsWith("arbiter.play.")) localStorage.removeItem(name)
"""


def challenges(host: Player, guest_npub: str) -> None:
    host.element("friend").fill(guest_npub)
    host.presses_named("Challenge")
    expect(host.element("waiting")).not_to_contain_text("sending", timeout=PATIENCE_MS)


def comes_back(player: Player) -> None:
    """Open the lobby anew, as after an hour away."""
    if player.page.is_closed():
        player.page = player.new_tab()
    player.opens()


def are(shown: Locator, number: int) -> None:
    expect(shown).to_have_count(number, timeout=PATIENCE_MS)


@pytest.mark.parametrize("forgets", [False, True], ids=["kept by the page", "by the arbiter alone"])
def test_challenges_wait_on_both_sides_through_reloads_each_once(
    newcomer: Newcomer, *, forgets: bool
) -> None:
    host, other, guest = newcomer(), newcomer(), newcomer()
    npub = guest.npub
    guest.page.close()
    challenges(host, npub)
    challenges(other, npub)
    for _ in range(2):
        comes_back(guest)
        are(guest.element("incoming"), 2)
        if forgets:
            for player in (guest, host):
                player.page.evaluate(FORGET)
        guest.page.close()
        host.reloads()
        are(host.element("waiting"), 1)
    host.presses("cancel")
    are(host.element("waiting"), 0)
    comes_back(guest)
    are(guest.element("incoming"), 1)
    guest.element("incoming").get_by_role("button", name="Accept").click()
    seated(other, guest)


def test_a_challenge_that_another_tab_has_answered_goes_when_this_one_is_looked_at_again(
    newcomer: Newcomer,
) -> None:
    host, guest = newcomer(), newcomer()
    challenges(host, guest.npub)
    are(guest.element("incoming"), 1)
    here, elsewhere = guest.page, guest.new_tab()
    guest.page = elsewhere
    guest.opens()
    guest.element("incoming").get_by_role("button", name="Decline").click()
    host.sees("Challenge declined")
    are(guest.element("incoming"), 0)
    guest.page = here
    guest.reloads()
    are(guest.element("incoming"), 0)


def test_a_challenge_is_seen_on_every_page_and_leads_to_the_lobby(newcomer: Newcomer) -> None:
    host, guest = newcomer(), newcomer()
    npub = guest.npub
    guest.opens("#/tv")
    challenges(host, npub)
    guest.presses("inbox")
    are(guest.element("incoming"), 1)
    are(guest.element("inbox"), 0)


@pytest.mark.parametrize("answer", ["Accept", "Decline"])
def test_a_rematch_that_was_offered_meanwhile_is_in_the_lobby(
    newcomer: Newcomer, answer: str
) -> None:
    match = paired(newcomer(), newcomer(), button="play-3+2")
    match.plays("e4 e5 Nf3")
    host, guest = match.white, match.black
    guest.presses("resign")
    guest.presses("confirm")
    match.ends("1-0")
    guest.page.close()
    host.presses("rematch")
    host.sees("You have asked for a rematch")
    for _ in range(2):
        comes_back(guest)
        are(guest.element("rematch-offer"), 1)
    guest.element("rematch-offer").get_by_role("button", name=answer).click()
    if answer == "Accept":
        guest.page.wait_for_url("**/#/game/*")
        host.page.locator("[data-testid=board]:not([data-result])").wait_for()
    else:
        host.hears("Rematch declined")
    comes_back(guest)
    are(guest.element("rematch-offer"), 0)
