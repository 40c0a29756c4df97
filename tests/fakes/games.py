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
        self.by_id: dict[str, Game] = {game.id: game for game in games}
        self.hook = hook
        self.lock = RLock()

    def load(self, game_id: str) -> Game | None:
        self.hook("games.load")
        return self.by_id.get(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        self.hook("games.load_all")
        return {game_id: self.by_id.get(game_id) for game_id in game_ids}

    def players_of(self, game_ids: Collection[str]) -> Mapping[str, frozenset[str]]:
        self.hook("games.players_of")
        stored = {game_id: self.by_id.get(game_id) for game_id in game_ids}
        return {
            game_id: frozenset((game.white.player, game.black.player)) if game else frozenset()
            for game_id, game in stored.items()
        }

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        if (after.id, after.item_version) != (before.id, before.item_version + 1):
            raise ValueError("a commit takes one game from one version to the next")
        self.hook("games.commit")
        with self.lock:
            stored = self.by_id.get(before.id)
            if stored is None or stored.item_version != before.item_version:
                return Conflict(stored)
            self.by_id[after.id] = after
        self.hook("games.committed")
        return Committed()
