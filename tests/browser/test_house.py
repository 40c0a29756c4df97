"""Programs that the arbiter names as opponents, from the lobby."""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import pytest
from playwright.sync_api import Browser, expect

from clients.bot.keys import house_keys
from tests.browser.players import PATIENCE_MS, Newcomer, Player, newcomers
from tests.server.running_server import RunningServer, bundled_relay, running_server

LEVELS = (1, 2, 3)
PLAYERS = 3


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """An arbiter whose house has three players at each level; those of level 4 do not run."""
    folder = tmp_path_factory.mktemp("house")
    named = ",".join(map(str, house_keys(folder / "keys", (*LEVELS, 4), PLAYERS)))
    with (
        bundled_relay(folder) as relay,
        running_server(folder, relay, ARBITER_HOUSE=named) as server,
        running_house(folder, server, LEVELS),
    ):
        yield server


@contextmanager
def running_house(folder: Path, server: RunningServer, levels: Iterable[int]) -> Iterator[None]:
    """The programs of these levels."""
    there = server.endpoints
    command = [sys.executable, "-m", "clients.bot.house", "--players", str(PLAYERS)]
    command += ["--levels", ",".join(map(str, levels)), "--keys", str(folder / "keys")]
    command += ["--relays", ",".join(there.relays), "--server", there.server]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with (folder / "house.log").open("ab") as log:
        programs = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield
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
    """Resign: a program that is left alone waits for a while, and plays with no one else."""
    for player in players:
        player.presses("resign")
        player.presses("confirm")
        player.board.and_(player.page.locator("[data-result]")).wait_for()


def test_a_dozen_moves_against_a_program(guest: Newcomer) -> None:
    player = guest()
    levels = player.element("house").get_by_role("button", name="Level")
    expect(levels).to_have_count(len(LEVELS) + 1)
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


def test_three_play_the_same_level_at_once_and_the_fourth_is_told_the_place_in_line(
    guest: Newcomer,
) -> None:
    players = [guest() for _ in range(PLAYERS)]
    for player in players:
        player.presses("house-3")
    for player in players:
        plays(player, 1)
    names = [one.page.get_by_text("House, level 3").first.text_content() for one in players]
    assert len({*names}) == len(names), names
    late = [guest(), guest()]
    for place, player in enumerate(late, start=1):
        player.presses("house-3")
        player.sees(f"you are number {place} in line")
    for left, player in zip(players, late, strict=False):
        leaves(left)
        assert player.game
        plays(player, 1)
    leaves(players[2], *late)


def with_a_clock(guest: Newcomer) -> Player:
    """A player whose page does not wait as long as it thinks."""
    player = guest(None)
    player.context.clock.install()
    return player.opens()


def test_a_challenge_waits_for_a_program_that_does_not_run_yet(
    guest: Newcomer, house: RunningServer
) -> None:
    player = with_a_clock(guest)
    player.presses("house-4")
    player.element("waiting").wait_for()
    expect(player.page.get_by_text("sending…")).to_have_count(0)
    player.context.clock.fast_forward(10_000)
    player.sees("The computer does not answer at this level")
    player.reloads()
    player.element("waiting").wait_for()
    with running_house(house.data.parent, house, (4,)):
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
