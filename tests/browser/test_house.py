"""Programs that the arbiter names as opponents, from the lobby."""

import os
import subprocess
import sys
from collections.abc import Iterator

import chess
import pytest
from playwright.sync_api import Browser, expect

from clients.bot.keys import house_keys
from tests.browser.players import PATIENCE_MS, Newcomer, Player, newcomers
from tests.server.running_server import RunningServer, bundled_relay, running_server

LEVELS = (1, 2, 3)
NOT_RUNNING = "4f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """An arbiter whose house has two players at each level; another one, the first that is named at
    level 2, does not run.
    """
    folder = tmp_path_factory.mktemp("house")
    keys = house_keys(folder / "keys", LEVELS, 2)
    named = ",".join((f"{NOT_RUNNING}:2", *map(str, keys)))
    with (
        bundled_relay(folder) as relay,
        running_server(folder, relay, ARBITER_HOUSE=named) as server,
        (folder / "house.log").open("wb") as log,
    ):
        there = server.endpoints
        command = [sys.executable, "-m", "clients.bot.house", "--players", "2"]
        command += ["--levels", ",".join(map(str, LEVELS)), "--keys", str(folder / "keys")]
        command += ["--relays", ",".join(there.relays), "--server", there.server]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        programs = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield server
        finally:
            programs.terminate()
            programs.wait(20)


@pytest.fixture
def guest(browser: Browser, house: RunningServer) -> Iterator[Newcomer]:
    """Makes players at that arbiter."""
    with newcomers(browser, house.endpoints.http) as made:
        yield made


def plays(player: Player, moves: int) -> None:
    """Play any legal move, so often or until the game is over; the program answers each."""
    mine = " w " if player.color else " b "
    ready = f"[data-testid=board]:is([data-fen*='{mine}'], [data-result])"
    for _ in range(moves):
        player.page.locator(ready).wait_for()
        before = player.fen
        board = chess.Board(before)
        if board.is_game_over():
            return
        player.moves(next(iter(board.legal_moves)).uci())
        expect(player.board).not_to_have_attribute("data-fen", before, timeout=PATIENCE_MS)
    player.page.locator(ready).wait_for()


def leaves(*players: Player) -> None:
    """Resign: a program that is left alone waits for ten minutes, and plays with no one else."""
    for player in players:
        player.presses("resign")
        player.presses("confirm")
        player.board.and_(player.page.locator("[data-result]")).wait_for()


def test_a_dozen_moves_against_a_program(guest: Newcomer) -> None:
    player = guest()
    levels = player.element("house").get_by_role("button", name="Level")
    expect(levels).to_have_count(len(LEVELS))
    player.presses("house-1")
    assert player.game
    player.sees("House, level 1")
    plays(player, 12)
    if player.board.get_attribute("data-result") is None:
        leaves(player)


def test_the_terms_are_the_players_own_but_never_rated(guest: Newcomer) -> None:
    player = guest()
    player.page.get_by_role("button", name="Rated", exact=True).click()
    house = player.element("house")
    house.get_by_role("button", name="Change").click()
    house.get_by_role("button", name="No clock", exact=True).click()
    house.get_by_role("button", name="Black", exact=True).click()
    player.presses("house-1")
    assert player.color is chess.BLACK
    player.sees("No clock · Casual")
    plays(player, 1)
    leaves(player)
    player.presses("rematch")
    player.page.locator("[data-testid=board]:not([data-result])").wait_for()
    assert player.color is chess.WHITE
    plays(player, 1)
    leaves(player)


def test_a_busy_program_gives_way_to_the_next_and_then_the_player_is_told(guest: Newcomer) -> None:
    names, players = [], (guest(), guest())
    for player in players:
        player.presses("house-3")
        assert player.game
        plays(player, 1)
        names.append(player.page.get_by_text("House, level 3").first.text_content())
    assert len({*names}) == len(names), names
    third = guest()
    third.presses("house-3")
    third.sees("The computer plays as many games")
    expect(third.element("waiting")).to_have_count(0)
    leaves(*players)


def with_a_clock(guest: Newcomer) -> Player:
    """A player whose page does not wait as long as it thinks."""
    player = guest(None)
    player.context.clock.install()
    return player.opens()


def test_a_program_that_does_not_run_gives_way_to_the_next(guest: Newcomer) -> None:
    player = with_a_clock(guest)
    player.presses("house-2")
    player.element("waiting").wait_for()
    expect(player.page.get_by_text("sending…")).to_have_count(0)
    player.context.clock.fast_forward(10_000)
    assert player.game
    plays(player, 1)
    leaves(player)


def test_who_waits_for_a_person_is_offered_a_program_and_chooses(guest: Newcomer) -> None:
    player = with_a_clock(guest)
    player.presses("play")
    player.element("waiting").wait_for()
    expect(player.element("house-offer")).to_have_count(0)
    player.context.clock.fast_forward(20_000)
    player.element("house-offer").wait_for()
    expect(player.element("waiting")).to_be_visible()
    player.presses("house-offer")
    plays(player, 1)
    leaves(player)


def test_an_arbiter_without_a_house_offers_none(newcomer: Newcomer) -> None:
    player = newcomer()
    player.element("play").wait_for()
    expect(player.element("house")).to_have_count(0)
