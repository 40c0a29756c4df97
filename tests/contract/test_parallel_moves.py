"""Two moves at once in one hot-seat game, on a real table: exactly one of them is played."""

import random
from collections.abc import Callable
from threading import Barrier
from uuid import uuid4

import chess
import pytest

from arbiter.adapters.dynamodb.browsers import DynamoDbBrowsers
from arbiter.adapters.sqlite.browsers import SqliteBrowsers
from arbiter.application.hot_seat import HotSeatDeps, RequestedMove, load, make_move, new_game
from arbiter.core.game import Game
from tests.builders import NOW_MS, SERVER
from tests.contract.candidates import Store
from tests.contract.race import race
from tests.contract.sqlite_file import SqliteFile
from tests.fakes.clock import FakeClock
from tests.fakes.queue import FakeRepublishQueue
from tests.fakes.rate_limits import FakeRateLimits

PAIRS = 200
PAIRS_IN_A_GAME = 20


@pytest.fixture(params=["sqlite", "moto"])
def deps(
    request: pytest.FixtureRequest, tables: Callable[[str], Store], sqlite_file: SqliteFile
) -> HotSeatDeps:
    store = tables(request.param)
    on_file = request.param == "sqlite"
    return HotSeatDeps(
        games=store.games,
        browsers=SqliteBrowsers(sqlite_file.opened)
        if on_file
        else DynamoDbBrowsers(lambda: store.client, store.table),
        republish=FakeRepublishQueue(),
        rate_limits=FakeRateLimits(),
        clock=FakeClock(NOW_MS),  # stands still: two moves are not told apart by their time
        server=SERVER.pubkey,
    )


def two_wishes(game: Game, chance: random.Random) -> tuple[chess.Move, chess.Move]:
    """Two legal moves, at times the very same one. Neither ends the game."""

    def goes_on(move: chess.Move) -> bool:
        board = game.board().copy()
        board.push(move)
        return board.outcome() is None

    moves = [move for move in game.board().legal_moves if goes_on(move)]
    return chance.choice(moves), chance.choice(moves)


@pytest.mark.slow
def test_of_200_pairs_of_parallel_moves_exactly_one_of_each_is_played(deps: HotSeatDeps) -> None:
    chance = random.Random(5)
    browser_id = ""
    for number in range(PAIRS):
        if number % PAIRS_IN_A_GAME == 0:
            browser_id = uuid4().hex
            assert new_game(deps, browser_id, chance.randbytes(16))
        before = load(deps, browser_id)
        assert before is not None
        wishes = two_wishes(before, chance)
        got: dict[int, Game | None] = {}
        # Every other pair has both seen the position before either moves.
        both_looked = Barrier(2) if number % 2 else None

        def ask(
            at: int,
            wishes: tuple[chess.Move, chess.Move] = wishes,
            both_looked: Barrier | None = both_looked,
            browser_id: str = browser_id,
            got: dict[int, Game | None] = got,
        ) -> None:
            seen = load(deps, browser_id)
            assert seen is not None
            if both_looked:
                both_looked.wait(30)
            move = wishes[at]
            wish = RequestedMove(move.from_square, move.to_square, move.promotion or chess.QUEEN)
            got[at] = make_move(deps, seen, wish, uuid4().bytes[:8])

        race(lambda: ask(0), lambda: ask(1))

        played = [at for at in (0, 1) if got[at] is not None]
        assert len(played) == 1, (number, wishes)
        after = load(deps, browser_id)
        assert after is not None
        assert after == got[played[0]]
        assert after.moves == (*before.moves, wishes[played[0]])
