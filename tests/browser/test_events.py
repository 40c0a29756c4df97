"""A club's evening at the page: made, joined, played, read on a wall and on paper."""

import re

import chess
import pytest
from playwright.sync_api import Page, expect

from tests.browser.players import PATIENCE_MS, Match, Newcomer, Player, seated
from tests.browser.test_everyone import PHONE, faults_of

EVENT = re.compile(r"#/events/([0-9a-f]{32})")


def made(organiser: Player, title: str, *, form: str = "round-robin") -> str:
    """Make an event that waits for its organiser's word before each round; return its id."""
    organiser.opens("#/events")
    organiser.presses("event-new")
    organiser.element("form-title").fill(title)
    organiser.element("form-format").select_option(form)
    organiser.element("form-interval").select_option(label="until I begin each round")
    organiser.presses("form-send")
    organiser.page.wait_for_url(EVENT, timeout=PATIENCE_MS)
    found = EVENT.search(organiser.page.url)
    assert found is not None
    return found[1]


def joined(newcomer: Newcomer, event: str, **options: object) -> Player:
    player = newcomer(f"#/events/{event}", **options)
    player.presses("event-join")
    player.sees("You take part.")
    return player


def begun(organiser: Player, *players: Player) -> Match:
    """The organiser has the round paired and begun; the players are at their board."""
    organiser.presses("event-pair")
    organiser.presses("event-start")
    one, other = players
    for player in players:
        player.board.wait_for(timeout=PATIENCE_MS)
    white, black = (one, other) if one.color == chess.WHITE else (other, one)
    return Match(white, black)


def shown(page: Page, part: str) -> str:
    return " ".join(page.get_by_test_id(f"event-{part}").inner_text().split())


def test_an_evening_from_its_making_to_its_final_standings(newcomer: Newcomer) -> None:
    organiser = newcomer()
    event = made(organiser, "Club evening <b>")
    one, other = joined(newcomer, event), joined(newcomer, event, **PHONE)
    expect(organiser.element("event-standings").locator("tbody tr")).to_have_count(2)
    match = begun(organiser, one, other)
    expect(match.white.element("game-event")).to_have_text("Club evening <b>, round 1.1")
    assert match.white.element("abort").count() == 0
    organiser.presses("event-live")
    match.plays("e4 e5")
    expect(organiser.page.locator(".game-card")).to_have_count(1)
    match.white.presses("resign")
    match.white.presses("confirm")
    match.ends("0-1")
    assert match.white.element("rematch").count() == 0
    organiser.sees("Final standings")
    expect(organiser.element("event-status")).to_have_text("Finished")
    rows = organiser.element("event-standings").locator("tbody tr")
    expect(rows.first).to_contain_text(re.compile(r"^1.*1", re.DOTALL))
    assert "0\N{EN DASH}1" in shown(organiser.page, "rounds")
    match.black.presses("game-event")
    expect(match.black.element("event-standings").locator(".me-row")).to_contain_text("1")
    newcomer("#/events").sees("Club evening <b>")


def test_events_are_without_fault_in_each_size_and_look(newcomer: Newcomer) -> None:
    organiser = newcomer("#/events/new")
    page = organiser.page
    page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = true))")
    faults = [*faults_of(page, "form")]
    event = made(organiser, "Evening of " + "long names " * 6)
    players = joined(newcomer, event), joined(newcomer, event)
    faults += faults_of(players[0].page, "joined")
    organiser.presses("event-pair")
    expect(organiser.element("event-rounds")).to_be_visible(timeout=PATIENCE_MS)
    page.locator("details").evaluate_all("all => all.forEach((it) => (it.open = true))")
    faults += faults_of(page, "organiser, planned")
    organiser.presses("event-start")
    players[0].board.wait_for(timeout=PATIENCE_MS)
    faults += faults_of(players[0].page, "its game")
    organiser.presses("event-live")
    faults += faults_of(page, "live boards")
    for player in players:
        player.opens(f"#/events/{event}")
    faults += faults_of(players[1].page, "own game")
    organiser.opens(f"#/events/{event}?view=poster")
    faults += faults_of(page, "poster")
    organiser.opens("#/events")
    faults += faults_of(page, "list")
    assert not faults, "\n".join(faults)


def test_a_poster_has_no_menu_and_paper_no_buttons(newcomer: Newcomer) -> None:
    organiser = newcomer()
    event = made(organiser, "On the wall")
    joined(newcomer, event)
    page = organiser.page
    expect(organiser.element("event-standings")).to_be_visible(timeout=PATIENCE_MS)
    page.emulate_media(media="print")
    for part in ("header.bar", "[data-testid=event-organiser]", "main button", ".share"):
        assert page.locator(part).first.is_hidden(), part
    expect(organiser.element("event-standings")).to_be_visible()
    page.emulate_media(media="screen")
    page.goto(f"{organiser.address}/#/events/{event}?view=poster")
    expect(page.locator(".poster")).to_be_visible(timeout=PATIENCE_MS)
    assert page.locator("header.bar").is_hidden()
    assert page.locator("main button").count() == 0


@pytest.mark.parametrize("word", ["Leave", "Pause"])
def test_a_player_leaves_or_pauses_and_is_not_paired(newcomer: Newcomer, word: str) -> None:
    organiser = newcomer()
    event = made(organiser, f"Evening without one: {word}", form="swiss")
    away, *others = (joined(newcomer, event) for _ in range(3))
    away.presses_named(word)
    if word == "Leave":
        away.presses_named("Leave: are you sure?")
    away.sees(
        "You have left this event." if word == "Leave" else "You are paused and get no games."
    )
    match = begun(organiser, *others)
    assert {match.white, match.black} == set(others)


def test_paired_while_playing_a_player_is_told_that_both_clocks_run(newcomer: Newcomer) -> None:
    organiser = newcomer()
    event = made(organiser, "Busy evening")
    busy, other = joined(newcomer, event), joined(newcomer, event)
    stranger = newcomer()
    for player in (busy, stranger):
        player.opens("#/")
        player.presses("play-10+0")
    seated(busy, stranger).plays("e4 e5")  # or who is left alone meets the player of another test
    game = busy.game
    organiser.presses("event-pair")
    organiser.presses("event-start")
    other.board.wait_for(timeout=PATIENCE_MS)
    busy.sees("Your game of an event has begun. The clocks of both games run.")
    assert busy.game == game
    busy.page.get_by_test_id("elsewhere").get_by_role("link").click()
    assert busy.game == other.game
    busy.sees("Your other game goes on as well: the clocks of both run.")
