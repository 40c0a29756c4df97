"""Random games to their end through the real handler, with everything delivered three times and
out of order.

``GAMES=1000 make test PYTEST_ARGS=tests/application/test_many_games.py`` plays a thousand.
"""

import os
import random
from collections import Counter
from typing import Any

import chess
import pytest

from arbiter import wiring
from arbiter.core.game import Game, Termination
from functions.process_events import app
from tests.application.players import PLAYERS, Player
from tests.application.world import Table, World
from tests.builders import a_key

GAMES = int(os.environ.get("GAMES", "44"))
AT_ONCE = 8
COPIES = 3
WINDOW = 24
"""How many deliveries may overtake one another."""


NOT_HERE = {Termination.TIMEOUT, Termination.AGREEMENT}
"""Ends that take a clock or two players who talk; tests of their own have them."""


class Hall:
    """Many tables, one queue that repeats and shuffles, and a plain board beside each game."""

    def __init__(self, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.random = random.Random(seed)
        self.world = World()
        monkeypatch.setattr(wiring, "arbiter_deps", lambda: self.world.deps)
        self.window: list[dict[str, Any]] = []
        self.ends: Counter[str] = Counter()
        self.plies = 0
        self.deliveries = 0

    def post(self, body: str, group: str) -> None:
        """Put three copies of a body among what is under way."""
        for _ in range(COPIES):
            message_id = f"m{self.random.getrandbits(64):x}"
            record: dict[str, Any] = {
                "messageId": message_id,
                "body": body,
                "attributes": {"MessageGroupId": group},
            }
            self.window.append(record)

    def deliver_some(self) -> None:
        """Hand a batch of up to ten over, drawn from the window."""
        batch = [
            self.window.pop(self.random.randrange(min(WINDOW, len(self.window))))
            for _ in range(min(10, len(self.window)))
        ]
        self.deliveries += len(batch)
        assert app.handler({"Records": batch}, None) == {"batchItemFailures": []}

    def play(self, style: str, number: int) -> "Match":
        one, other = (a_key(f"{style}{number}{side}") for side in "ab")
        return Match(self, self.world.start(one, other), PLAYERS[style](self.random))


class Match:
    """One game with its oracle."""

    def __init__(self, hall: Hall, table: Table, player: Player) -> None:
        self.hall, self.table, self.player = hall, table, player
        self.board = chess.Board()
        self.tries = 0
        self.asked: str | None = None
        self.version_asked = 0

    def step(self) -> bool:
        """Let the player to move do something; True when the game is over."""
        game = self.hall.world.game(self.table.game_id)
        if self.asked and game.ply > len(self.board.move_stack):
            self.board.push_uci(self.asked)
            self.hall.plies += 1
        assert game.board().fen() == self.board.fen()
        assert [move.uci() for move in game.moves] == [move.uci() for move in self.board.move_stack]
        if game.outcome is not None:
            self._check_end(game)
            return True
        self.hall.world.clock.ms += 1000
        self.table.state = self.hall.world.publisher.states[self.table.game_id]
        self.asked = self.player(self.board, self.tries)
        self.tries += 1
        self.version_asked = game.item_version
        event = self.table.move_event(self.asked)
        self.hall.post(self.hall.world.body(event), self.table.game_id)
        return False

    def _check_end(self, game: Game) -> None:
        assert game.outcome is not None
        self.hall.ends[game.outcome.termination] += 1
        outcome = self.board.outcome()
        if outcome is not None:
            assert game.outcome.termination == outcome.termination.name.lower().replace("_", "-")
            assert game.outcome.winner == outcome.winner
        assert len(game.applied_ids) == len(set(game.applied_ids))


@pytest.mark.parametrize("seed", [20261120])
def test_every_game_ends_as_a_plain_board_says_and_nothing_is_applied_twice(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(seed, monkeypatch)
    styles = [[*PLAYERS][number % len(PLAYERS)] for number in range(GAMES)]
    waiting = [*enumerate(styles)]
    matches: list[Match] = []
    finished = 0
    while waiting or matches:
        while waiting and len(matches) < AT_ONCE:
            number, style = waiting.pop(0)
            matches.append(hall.play(style, number))
        over = [match for match in matches if match.step()]
        finished += len(over)
        matches = [match for match in matches if match not in over]
        for _ in range(len(matches)):
            hall.deliver_some()
        while any(is_unanswered(match, hall) for match in matches):
            hall.deliver_some()

    assert finished == GAMES
    if len(PLAYERS) <= GAMES:
        assert set(hall.ends) == set(Termination) - NOT_HERE
    summary = (
        f"\n{finished} games, {hall.plies} plies, {hall.deliveries} deliveries: {dict(hall.ends)}"
    )
    print(summary)  # noqa: T201 - the figures are what a thousand games are played for


def is_unanswered(match: Match, hall: Hall) -> bool:
    """Whether the event this match waits for has not been applied or refused yet."""
    game = hall.world.game(match.table.game_id)
    return match.asked is not None and game.item_version <= match.version_asked
