"""A table that counts what DynamoDB would charge, in its units."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from arbiter.adapters.items.games import item_of_game
from arbiter.application.ports import Committed, Conflict, LobbyChange
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge
from bench.packed_games import PackedGames, item_bytes
from bench.prices import read_units, write_units
from tests.application.world import World
from tests.fakes.stores import FakeLobby


class CountedTable:
    """Games and lobby of one world, counted as DynamoDB counts."""

    def __init__(self, world: World) -> None:
        """From here on all that this world reads and writes is counted."""
        self._games = CountedGames(PackedGames(world))
        self._lobby = CountedLobby(world.lobby)
        world.deps = replace(world.deps, games=self._games, lobby=self._lobby)

    @property
    def write_units(self) -> int:
        return self._games.write_units + self._lobby.write_units

    @property
    def read_units(self) -> int:
        return self._games.read_units + self._lobby.read_units


class CountedLobby:
    """A lobby whose items are all below one unit, and whose every write is a transaction."""

    def __init__(self, lobby: FakeLobby) -> None:
        self._lobby = lobby
        self.read_units = 0
        self.write_units = 0

    def player(self, player_id: str) -> Player:
        self.read_units += 1
        return self._lobby.player(player_id)

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        return {player_id: self.player(player_id) for player_id in player_ids}

    def pool(self, name: str) -> Pool:
        self.read_units += 1
        return self._lobby.pool(name)

    def challenge(self, challenge_id: str) -> Challenge | None:
        self.read_units += 1
        return self._lobby.challenge(challenge_id)

    def commit(self, change: LobbyChange) -> bool:
        """Two units for each item, as transactions are charged; a new game enters three indexes."""
        items = len(change.pools) + len(change.players) + len(change.challenges)
        games = len(change.new_games)
        items += games + (change.finished is not None)
        self.write_units += 2 * items + 3 * games
        return self._lobby.commit(change)


class CountedGames:
    """Packed games that remember what DynamoDB would have counted."""

    def __init__(self, games: PackedGames) -> None:
        self._games = games
        self.read_units = 0
        self.write_units = 0

    def load(self, game_id: str) -> Game | None:
        """One strongly consistent read."""
        self.read_units += read_units(item_bytes(self._games.items.get(f"g#{game_id}", {})))
        return self._games.load(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        return {game_id: self.load(game_id) for game_id in game_ids}

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        """One write, of the larger of both items; and one more for each index that changes."""
        done = self._games.commit(before, after)
        sizes = [item_bytes(item_of_game(game)) for game in (before, after)]
        self.write_units += write_units(max(sizes))
        self.write_units += before.outcome is None and after.outcome is not None
        return done
