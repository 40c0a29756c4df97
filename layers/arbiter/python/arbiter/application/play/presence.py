"""Players of live games who leave our gateway and come back (docs/decisions/0039-who-is-away.md).

Invariant: a look compares the game with the sockets that are open then, so it may come late, twice
or in any order. It is of the one player whose sockets opened or closed.
"""

import logging
from dataclasses import replace

from arbiter.application.connections import Connections
from arbiter.application.deps import ArbiterDeps
from arbiter.application.ports import Clock, Games, Lobby, Timers
from arbiter.application.records import Timer
from arbiter.core.game import Game
from arbiter.core.outages import covered_ms

_log = logging.getLogger(__name__)

LOOKS_APART_MS = 5_000
"""White's looks and Black's take turns, so that a game is told of no more often."""

LEAST_AWAY_MS = 2_000
"""A page that is loaded again is back within the second."""


def look_soon(games: Games, lobby: Lobby, timers: Timers, clock: Clock, pubkey: str) -> None:
    """Have a look, within twelve seconds, whether this player is there. Never raises."""
    try:
        game_id = lobby.player(pubkey).game_id
        game = games.load(game_id) if game_id else None
        if game is None or game.outcome or game.is_slow:
            return
        now_ms, turns_ms = clock.now_ms(), 2 * LOOKS_APART_MS
        first_ms = 0 if game.color_of(pubkey) else LOOKS_APART_MS
        at_ms = -((first_ms - now_ms - LEAST_AWAY_MS) // turns_ms) * turns_ms + first_ms
        timers.set((Timer(game.id, game.ply, at_ms, pubkey),), now_ms)
    except Exception as failure:  # noqa: BLE001 - a player who comes or goes is served all the same
        _log.warning("no look at who is there: %s", type(failure).__name__)


def looked_at(connections: Connections | None, game: Game, player: str, now_ms: int) -> Game:
    """The game with whether this player is there, if they said so; else the same game."""
    color = game.color_of(player)
    if connections is None or color is None or game.outcome is not None:
        return game
    seat = game.seat(color)
    left_ms = now_ms if connections.here_since(player) is None else 0
    if seat.left_ms in {None, left_ms}:
        return game
    return game.with_seat(color, replace(seat, left_ms=left_ms))


def away_ms(deps: ArbiterDeps, game: Game, player: str, until_ms: int) -> int:
    """For how long this player's opponent has been away, while they were there; less our delays."""
    color, connections = game.color_of(player), deps.connections
    opponent = None if color is None else game.seat(not color)
    if connections is None or opponent is None or not opponent.left_ms:
        return 0
    here_since_ms = connections.here_since(player)
    if here_since_ms is None or connections.here_since(opponent.player) is not None:
        return 0
    since_ms = max(opponent.left_ms, here_since_ms)
    late = deps.delays.during(since_ms, until_ms) if deps.delays else ()
    return max(0, until_ms - since_ms - covered_ms(late, since_ms, until_ms))
