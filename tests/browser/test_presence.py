"""A player who closes the tab, as their opponent sees it."""

from collections.abc import Iterator
from pathlib import Path

import chess
import nostr_sdk  # type: ignore[import-untyped]
import pytest
from playwright.sync_api import Browser, expect

from tests.browser.players import Match, newcomers, seated
from tests.browser.wire import open_challenge
from tests.server.running_server import RunningServer, running_server

LEFT = "Your opponent left. If they stay away, you can claim victory."


@pytest.fixture
def patient(tmp_path: Path) -> Iterator[RunningServer]:
    """An arbiter of which a game can be claimed as soon as a player is away."""
    with running_server(tmp_path / "server", ARBITER_RULES_LEFT_SECONDS="0") as server:
        yield server


@pytest.fixture
def match(browser: Browser, patient: RunningServer) -> Iterator[Match]:
    """Ten minutes each, and both have moved; the opponent's page does not wait as long as it
    thinks.
    """
    with newcomers(browser, patient.endpoints.http) as newcomer:
        keys = nostr_sdk.Keys.generate()
        secret = keys.secret_key().to_hex()
        host = newcomer(script=f"localStorage.setItem('arbiter.secret', '{secret}')")
        guest = newcomer(None)
        guest.context.clock.install()
        challenge = open_challenge(patient.endpoints, keys, ["color", "white"], ["time", "600+0"])
        guest.opens(f"#/challenge/{challenge}").presses("accept")
        made = seated(host, guest, chess.Board())
        made.plays("e4 e5")
        yield made


def test_who_closes_the_tab_has_left_is_back_and_is_claimed_against_when_they_leave_again(
    match: Match,
) -> None:
    leaver, opponent = match.white, match.black
    address = leaver.page.url
    leaver.page.close()
    opponent.hears(LEFT)
    opponent.sees(LEFT)
    expect(opponent.element("claim-left")).to_have_count(0)
    leaver.page = leaver.new_tab()
    leaver.opens(address)
    opponent.hears("Your opponent is back.")
    expect(opponent.page.get_by_text(LEFT)).to_have_count(0)
    leaver.page.close()
    opponent.sees(LEFT)
    # The page's clock is set right by what the arbiter dates next, which comes after the claim.
    opponent.context.set_offline(True)
    opponent.context.clock.fast_forward(125_000)
    opponent.presses("claim-left")
    opponent.context.set_offline(False)
    opponent.sees("You won")
    opponent.sees("A player left the game. Black wins.")
    leaver.page = leaver.new_tab()
    leaver.opens(address)
    leaver.sees("You lost")
    opponent.complaints[:] = [one for one in opponent.complaints if "ERR_INTERNET" not in one]


def test_a_second_tab_is_there_when_the_first_is_closed(match: Match) -> None:
    leaver, opponent = match.white, match.black
    second = leaver.new_tab()
    second.goto(leaver.page.url)
    second.get_by_test_id("board").wait_for()
    leaver.page.close()
    leaver.page = second
    match.plays("Nf3 Nc6")
    expect(opponent.page.get_by_text(LEFT)).to_have_count(0)
    second.close()
    opponent.sees(LEFT)
