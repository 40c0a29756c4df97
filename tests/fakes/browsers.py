"""Browsers in memory, under the same contract suite as DynamoDB's."""

from threading import RLock

from arbiter.core.game import Game
from tests.fakes.games import FakeGames


class FakeBrowsers:
    """Starts its games among those of ``games``."""

    def __init__(self, games: FakeGames) -> None:
        self.games = games
        self.taken: dict[str, str] = {}
        self.lock = RLock()

    def game_of(self, browser_id: str) -> str | None:
        return self.taken.get(browser_id)

    def start(self, browser_id: str, game: Game) -> bool:
        with self.lock:
            if browser_id in self.taken:
                return False
            self.taken[browser_id] = game.id
            self.games.by_id[game.id] = game
            return True
