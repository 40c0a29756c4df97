"""The lobby in memory, beside the games that it starts."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from arbiter.application.ports import LobbyChange
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge
from tests.fakes.faults import Hook, quiet
from tests.fakes.games import FakeGames


class FakeLobby:
    """Points of the hook: ``lobby.player``, ``lobby.load_players``, ``lobby.pool``,
    ``lobby.commit`` and ``lobby.committed``.
    """

    def __init__(self, games: FakeGames, hook: Hook = quiet) -> None:
        self.games = games
        self.players: dict[str, Player] = {}
        self.pools: dict[str, Pool] = {}
        self.challenges: dict[str, Challenge] = {}
        self.hook = hook

    def player(self, player_id: str) -> Player:
        self.hook("lobby.player")
        return self.players.get(player_id, Player(player_id))

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        self.hook("lobby.load_players")
        return {id_: self.players.get(id_, Player(id_)) for id_ in player_ids}

    def pool(self, name: str) -> Pool:
        self.hook("lobby.pool")
        return self.pools.get(name, Pool(name))

    def challenge(self, challenge_id: str) -> Challenge | None:
        self.hook("lobby.challenge")
        return self.challenges.get(challenge_id)

    def commit(self, change: LobbyChange) -> bool:
        if len({before.id for before, _ in change.players}) < len(change.players):
            raise ValueError("a transaction may name an item once")
        self.hook("lobby.commit")
        with self.games.lock:
            if not self._is_present(change):
                return False
            self._write(change)
        self.hook("lobby.committed")
        return True

    def _is_present(self, change: LobbyChange) -> bool:
        if any(game.id in self.games.by_id for game in change.new_games):
            return False
        if change.finished:
            game, _ = change.finished
            if self.games.by_id[game.id].item_version != game.item_version:
                return False
        for standing, made in change.challenges:
            if standing and standing.id not in self.challenges:
                return False
            if made and made.id in self.challenges:
                return False
        for before, _ in change.pools:
            if self.pools.get(before.name, Pool(before.name)).item_version != before.item_version:
                return False
        return all(
            self.players.get(was.id, Player(was.id)).item_version == was.item_version
            for was, _ in change.players
        )

    def _write(self, change: LobbyChange) -> None:
        for game in change.new_games:
            self.games.by_id[game.id] = game
        if change.finished:
            _, ended = change.finished
            self.games.by_id[ended.id] = ended
        for standing, made in change.challenges:
            if made:
                self.challenges[made.id] = made
            elif standing:
                del self.challenges[standing.id]
        for before, after in change.pools:
            self.pools[after.name] = replace(after, item_version=before.item_version + 1)
        for was, becomes in change.players:
            self.players[becomes.id] = replace(becomes, item_version=was.item_version + 1)
