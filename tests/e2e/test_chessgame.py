"""The chessgame-backend API of a whole arbiter, by a client that knows the original alone."""

import contextlib
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import chess
import pytest

from clients.probes.hot_seat_client import ChessgameClient, Moved, Refused
from clients.probes.hot_seat_games import (
    INVALID_MOVE,
    Browse,
    replayed,
    started,
)
from tests.e2e.arbiter_run import ArbiterRun

pytestmark = pytest.mark.slow

_PAIRS_EACH = 8


@pytest.fixture
def browse(arbiter: ArbiterRun) -> Iterator[Browse]:
    with contextlib.ExitStack() as opened:

        def new(browser_id: str | None = None) -> ChessgameClient:
            browser = ChessgameClient(arbiter.endpoints.http, browser_id)
            opened.callback(browser.http.close)
            return browser

        yield new


@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 11), marks=pytest.mark.e2e_slow)], ids=["8", "80"]
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
