"""Requests to play of one batch: paired in memory, written in one transaction.

Those who meet in a pool write the same item, so one transaction for each request lets an arbiter
begin some ten games a second. Here a batch sees the lobby as it will be when all of it is written.

Invariant: nothing is written before that one transaction, and no timer set. If it cannot be made,
the requests are handled one by one, and the fault of one is its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Committed, Conflict, Games, Lobby, LobbyChange
from arbiter.application.queue_messages import PlayerEvent, QueueMessage
from arbiter.core.game import Game
from arbiter.core.pairing import Player, Pool
from arbiter.core.seeks import Challenge
from arbiter.dialects.base import Transport
from arbiter.dialects.registry import BY_KIND, SEEK_KINDS

MOST_TOGETHER = 10
"""Each names six items at most: its author, an opponent, two pools, a game and a name of it. A
transaction of DynamoDB has a hundred.
"""

ATTEMPTS = 4


class HandledAlone(Exception):
    """A change that is written by itself: of a challenge, a rematch or a game under way."""


def may_be_together(messages: Sequence[QueueMessage]) -> bool:
    """Whether these are requests about games to come, of players with one slot each."""
    return 1 < len(messages) <= MOST_TOGETHER and all(
        isinstance(message, PlayerEvent)
        and message.event.kind in SEEK_KINDS
        and BY_KIND[message.event.kind].transport is not Transport.BRIDGE
        for message in messages
    )


def together(deps: ArbiterDeps, handle: Callable[[ArbiterDeps], bool]) -> bool:
    """Whether all that ``handle`` changed is written. It is called with a draft, again if others
    wrote first, and returns False to give up. Raises for infrastructure.
    """
    players: dict[str, Player] = {}
    for attempt in range(ATTEMPTS):
        # Most often another batch wrote the pool: the players, whose versions the transaction
        # checks, are read again every other time.
        draft = _Draft(deps.lobby, deps.games, players if attempt % 2 else {})
        timers = _LaterTimers()
        if not handle(replace(deps, lobby=draft, games=_DraftGames(draft), timers=timers)):
            return False
        if deps.lobby.commit(draft.change()):
            for timer in timers.wanted:
                deps.timers.set(*timer)
            return True
        players = draft.stored_players()
    return False


@dataclass
class _Draft:
    """The lobby with the changes so far, each value read once; ``known`` players were before."""

    stored: Lobby
    stored_games: Games
    known: Mapping[str, Player]
    games: dict[str, Game] = field(default_factory=dict)
    _players: dict[str, tuple[Player, Player]] = field(default_factory=dict)
    _pools: dict[str, tuple[Pool, Pool]] = field(default_factory=dict)

    def player(self, player_id: str) -> Player:
        if player_id not in self._players:
            found = self.known.get(player_id) or self.stored.player(player_id)
            self._players[player_id] = found, found
        return self._players[player_id][1]

    def pool(self, name: str) -> Pool:
        if name not in self._pools:
            found = self.stored.pool(name)
            self._pools[name] = found, found
        return self._pools[name][1]

    def challenge(self, challenge_id: str) -> Challenge | None:
        return self.stored.challenge(challenge_id)

    def commit(self, change: LobbyChange) -> bool:
        """Keep a change of players and pools that were read here. Raises ``HandledAlone``."""
        if change.challenges or change.finished:
            raise HandledAlone
        for was, becomes in change.players:
            kept = replace(becomes, item_version=was.item_version + 1)
            self._players[was.id] = self._players[was.id][0], kept
        for before, after in change.pools:
            changed = replace(after, item_version=before.item_version + 1)
            self._pools[before.name] = self._pools[before.name][0], changed
        self.games.update({game.id: game for game in change.new_games})
        return True

    def stored_players(self) -> dict[str, Player]:
        """The players as they were read."""
        return {id_: stored for id_, (stored, _) in self._players.items()}

    def change(self) -> LobbyChange:
        """All of it."""
        return LobbyChange(
            players=tuple(pair for pair in self._players.values() if pair[0] != pair[1]),
            pools=tuple(pair for pair in self._pools.values() if pair[0] != pair[1]),
            other_games=tuple(self.games.values()),
        )


@dataclass(frozen=True, slots=True)
class _DraftGames:
    draft: _Draft

    def load(self, game_id: str) -> Game | None:
        return self.draft.games.get(game_id) or self.draft.stored_games.load(game_id)

    def commit(self, before: Game, after: Game) -> Committed | Conflict:
        del before, after
        raise HandledAlone


@dataclass
class _LaterTimers:
    wanted: list[tuple[str, int, int, int, str | None]] = field(default_factory=list)

    def set(
        self, game_id: str, ply: int, at_ms: int, now_ms: int, player: str | None = None
    ) -> None:
        self.wanted.append((game_id, ply, at_ms, now_ms, player))
