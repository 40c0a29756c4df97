"""Games in memory, under the same contract suite as DynamoDB's."""

from collections.abc import Collection, Mapping
from threading import RLock

from arbiter.application.ports import Committed, Conflict
from arbiter.core.game import Game
from tests.fakes.faults import Hook, quiet


class FakeGames:
    """Points of the hook: ``games.load``, ``games.load_all``, ``games.players_of``,
    ``games.commit``, ``games.committed``.
    """

    def __init__(self, *games: Game, hook: Hook = quiet) -> None:
        self.standing: dict[str, Game] = {game.id: game for game in games}
        self.hook = hook
        self.lock = RLock()

    def load(self, game_id: str) -> Game | None:
        self.hook("games.load")
        return self.standing.get(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        self.hook("games.load_all")
        return {game_id: self.standing.get(game_id) for game_id in game_ids}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        self.hook("games.players_of")
        standing = {game_id: self.standing.get(game_id) for game_id in game_ids}
        return {
            game_id: frozenset((game.white.player, game.black.player)) if game else frozenset()
            for game_id, game in standing.items()
        }

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        self.hook("games.commit")
        with self.lock:
            standing = self.standing.get(before.id)
            if standing is None or standing.item_version != before.item_version:
                return Conflict(standing)
            self.standing[after.id] = after
        self.hook("games.committed")
        return Committed()
