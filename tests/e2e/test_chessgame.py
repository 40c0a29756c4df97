"""The chessgame-backend API of a whole arbiter, by a client that knows the original alone."""

import contextlib
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

from bench.long_game import long_game
from clients.probes.hot_seat_client import ChessgameClient, Loaded, Moved, Refused
from clients.probes.hot_seat_games import (
    BEFORE_PROMOTION,
    CASTLING_SHORT_AND_LONG,
    EN_PASSANT,
    INVALID_MOVE,
    Browse,
    play,
    replayed,
    started,
)
from clients.probes.matches import OPERA_GAME
from tests.e2e.arbiter_run import ArbiterRun

pytestmark = pytest.mark.slow

_PAIRS_EACH = 20
# More than two pages.
_LONG_PLIES = 210


@pytest.fixture
def browse(arbiter: ArbiterRun) -> Iterator[Browse]:
    """Opens browsers, and closes them after the test."""
    with contextlib.ExitStack() as opened:

        def new(browser_id: str | None = None) -> ChessgameClient:
            browser = ChessgameClient(arbiter.endpoints.http, browser_id)
            opened.callback(browser.http.close)
            return browser

        yield new


def test_of_pages_that_choose_one_id_at_once_exactly_one_has_it(browse: Browse) -> None:
    pages = [browse() for _ in range(4)]
    chosen = f"many-pages-of-{random.getrandbits(64):x}"
    with ThreadPoolExecutor(len(pages)) as all_of_them:
        answers = list(all_of_them.map(lambda page: page.new_game(chosen), pages))
    begun = [answer for answer in answers if not isinstance(answer, Refused)]
    assert [a.status for a in answers if isinstance(a, Refused)] == [409] * (len(pages) - 1)
    loaded = browse(chosen).load_game()
    assert isinstance(loaded, Loaded)
    assert [game.id for game, _ in begun] == [loaded.board.game_id]


@pytest.mark.parametrize(
    ("script", "illegal"),
    [
        (OPERA_GAME, "b8c8"),
        (CASTLING_SHORT_AND_LONG, "e1e2"),
        (EN_PASSANT, "g4g5"),
        ((*BEFORE_PROMOTION, "a7b8q"), "b8a8"),
    ],
    ids=["mate", "castling", "en passant", "promotion"],
)
def test_a_game_comes_back_as_it_was_played_and_a_refused_move_changes_nothing(
    browse: Browse, script: tuple[str, ...], illegal: str
) -> None:
    browser = started(browse)
    board = play(browser, script)
    assert browser.make_move(illegal[:2], illegal[2:]) == INVALID_MOVE
    again = browse(browser.browser_id)
    assert replayed(again.load_game()).fen() == board.fen()


@pytest.mark.e2e_slow
def test_a_long_game_is_loaded_in_pages_and_the_first_looks_as_ever(browse: Browse) -> None:
    browser = started(browse)
    script = long_game(_LONG_PLIES)
    play(browser, script)
    pages = []
    query = ""
    while True:
        page = browser.load_game(query)
        assert isinstance(page, Loaded)
        assert page.moves
        pages.append(page)
        if page.extra["next"] is None:
            break
        query = f"?before={page.extra['next']}"
    assert len(pages) > 2
    assert [page for page in pages if page.board != pages[0].board] == []
    moves = [move for page in pages for move in page.moves]
    assert [move.move_number for move in moves] == list(range(_LONG_PLIES, 0, -1))
    assert [f"{move.from_square}{move.to_square}" for move in reversed(moves)] == list(script)


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 11), marks=pytest.mark.e2e_slow)], ids=["20", "200"]
)
def test_of_two_moves_at_once_exactly_one_is_made(browse: Browse, seeds: range) -> None:
    with ThreadPoolExecutor(2) as both:
        for seed in seeds:
            _play_pairs_at_once(browse, random.Random(seed), both)


def _play_pairs_at_once(browse: Browse, chance: random.Random, both: ThreadPoolExecutor) -> None:
    """Play a game in which two pages of one browser send every move at the same moment."""
    pages = [started(browse)]
    pages.append(browse(pages[0].browser_id))
    board = chess.Board()
    together = threading.Barrier(2)

    def make(page: ChessgameClient, move: chess.Move) -> Moved | Refused:
        together.wait()
        return page.make_move(move.uci()[:2], move.uci()[2:4])

    for _ in range(_PAIRS_EACH):
        # Promotions are left out, so that two squares say which move it was.
        legal = [move for move in board.legal_moves if move.promotion is None]
        wanted = [chance.choice(legal), chance.choice(legal)]
        answers = list(both.map(make, pages, wanted))
        won = [n for n, answer in enumerate(answers) if isinstance(answer, Moved)]
        assert len(won) == 1, answers
        assert answers[1 - won[0]] == INVALID_MOVE
        board.push(wanted[won[0]])
    assert replayed(pages[0].load_game()).fen() == board.fen()
