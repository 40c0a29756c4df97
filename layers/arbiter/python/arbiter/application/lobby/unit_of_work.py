"""Requests to play of one batch: paired in memory, written in one transaction, since those who meet
in a pool write the same item: one each would begin some ten games a second.

Invariant: nothing is written, counted or timed before it. If it fails, requests are handled one by
one.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Committed, Conflict, Games, Lobby, LobbyChange, Ratings
from arbiter.application.records import PlayerEvent, Timer
from arbiter.core.clocks import Speed
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool
from arbiter.core.ratings import Standing
from arbiter.core.seeks import Challenge
from arbiter.dialects.registry import BY_KIND, SEEK_KINDS
from arbiter.dialects.tournaments import DIALECT

OF_TOURNAMENTS = DIALECT.kinds
"""Those about tournaments, which are no part of the lobby."""

MAX_TOGETHER = 10
"""Each names six items at most, and a transaction of DynamoDB has a hundred."""

ATTEMPTS = 4


class NotBatchable(Exception):
    """A change that is written by itself: of a challenge, a rematch, a running game or a count."""


def may_be_batched(requests: Sequence[PlayerEvent]) -> bool:
    """Whether these are requests about games to come, of players with one slot each."""
    return 1 < len(requests) <= MAX_TOGETHER and all(
        request.event.kind in SEEK_KINDS - OF_TOURNAMENTS
        and BY_KIND[request.event.kind].bridge is None
        for request in requests
    )


def commit_together(
    deps: ArbiterDeps, authors: Collection[str], handle: Callable[[ArbiterDeps], bool]
) -> bool:
    """Whether all that ``handle`` changed is written; it is called again if others wrote first, and
    returns False to give up. ``authors`` (64 hex) are known. Raises for infrastructure.
    """
    ratings = _UnitRatings(deps.ratings, authors)
    players: Mapping[str, Player] = {}
    games: Mapping[str, Game | None] = {}
    for attempt in range(ATTEMPTS):
        # Most often another batch wrote the pool: the players, whose versions the transaction
        # checks, are read again every other time.
        if not attempt % 2:
            players = deps.lobby.load_players(authors)
            last = {player.game_id for player in players.values() if player.game_id}
            games = deps.games.load_all(last) if last else {}
        unit = _UnitOfWork(deps.lobby, deps.games, players, games)
        timers = _LaterTimers()
        unit_deps = replace(
            deps,
            lobby=unit,
            games=_UnitGames(unit),
            # Of ratings, a request asks for standings alone.
            ratings=cast("Ratings", ratings),
            timers=timers,
            rate_limits=_NoRates() if deps.rate_limits else None,
        )
        if not handle(unit_deps):
            return False
        if deps.lobby.commit(unit.change()):
            deps.timers.set(timers.wanted, deps.clock.now_ms())
            return True
        players = unit.stored_players()
    return False


@dataclass
class _UnitOfWork:
    """The lobby with the changes so far, each value read once."""

    stored: Lobby
    stored_games: Games
    known: Mapping[str, Player]
    known_games: Mapping[str, Game | None]
    games: dict[str, Game] = field(default_factory=dict)
    _players: dict[str, tuple[Player, Player]] = field(default_factory=dict)
    _pools: dict[str, tuple[Pool, Pool]] = field(default_factory=dict)

    def player(self, player_id: str) -> Player:
        if player_id not in self._players:
            found = self.known.get(player_id) or self.stored.player(player_id)
            self._players[player_id] = found, found
        return self._players[player_id][1]

    def load_players(self, player_ids: Collection[str]) -> Mapping[str, Player]:
        return {player_id: self.player(player_id) for player_id in player_ids}

    def pool(self, name: str) -> Pool:
        if name not in self._pools:
            found = self.stored.pool(name)
            self._pools[name] = found, found
        return self._pools[name][1]

    def challenge(self, challenge_id: str) -> Challenge | None:
        return self.stored.challenge(challenge_id)

    def commit(self, change: LobbyChange) -> bool:
        """Keep a change of players and pools that were read here. Raises ``NotBatchable``."""
        if change.challenges or change.finished:
            raise NotBatchable
        for was, becomes in change.players:
            kept = replace(becomes, item_version=was.item_version + 1)
            self._players[was.id] = self._players[was.id][0], kept
        for before, after in change.pools:
            changed = replace(after, item_version=before.item_version + 1)
            self._pools[before.name] = self._pools[before.name][0], changed
        self.games.update({game.id: game for game in change.new_games})
        return True

    def stored_players(self) -> dict[str, Player]:
        return {id_: stored for id_, (stored, _) in self._players.items()}

    def change(self) -> LobbyChange:
        return LobbyChange(
            players=tuple(pair for pair in self._players.values() if pair[0] != pair[1]),
            pools=tuple(pair for pair in self._pools.values() if pair[0] != pair[1]),
            other_games=tuple(self.games.values()),
        )


@dataclass(frozen=True, slots=True)
class _UnitGames:
    unit: _UnitOfWork

    def load(self, game_id: str) -> Game | None:
        if game_id in self.unit.games:
            return self.unit.games[game_id]
        if game_id in self.unit.known_games:
            return self.unit.known_games[game_id]
        return self.unit.stored_games.load(game_id)

    def load_all(self, game_ids: Collection[str]) -> Mapping[str, Game | None]:
        known = {**self.unit.known_games, **self.unit.games}
        others = [game_id for game_id in game_ids if game_id not in known]
        found = self.unit.stored_games.load_all(others) if others else {}
        return {**{id_: known[id_] for id_ in game_ids if id_ in known}, **found}

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        del before, after
        raise NotBatchable


@dataclass
class _UnitRatings:
    """The authors' standings, read together when one of a speed is asked for."""

    stored: Ratings
    authors: Collection[str]
    _known: dict[Speed, Mapping[str, Standing]] = field(default_factory=dict)

    def standing(self, player_id: str, speed: Speed) -> Standing:
        if speed not in self._known:
            self._known[speed] = self.stored.load_standings(self.authors, speed)
        return self._known[speed].get(player_id) or self.stored.standing(player_id, speed)


@dataclass
class _LaterTimers:
    wanted: list[Timer] = field(default_factory=list)

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        del now_ms
        self.wanted += timers


class _NoRates:
    """Each attempt would count the same requests again."""

    def take(self, *_: object, **__: object) -> bool:
        raise NotBatchable
