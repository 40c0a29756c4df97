"""Native players who are told what to say, and when. All the rest is theirs: they say it again
until it is answered, drop what is old, and take no state for theirs that is none.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import chess

from tests.simulation.clients import Seen
from tests.simulation.natives import NativePlayer, Plan
from tests.simulation.relays import Habits
from tests.simulation.settings import Settings

if TYPE_CHECKING:
    from tests.simulation.world import World

NEVER = float("inf")
_ENOUGH_GAMES = 99
_ENOUGH_PLIES = 20
_THINKS_SECONDS = 3.0


def led_settings(seed: int, faults: frozenset[str], relays: Sequence[str]) -> Settings:
    habits = Habits(latency=0.05, most_stored=500, keeps_ephemeral=False, wants_auth=False)
    return Settings(
        seed=seed,
        faults=faults,
        relays=tuple((name, habits) for name in relays),
        skew_ms=2000,
        seconds=0.0,
        thinks_seconds=NEVER,
    )


def led_player(world: "World", name: str, ways: Sequence[str], time: str | None) -> NativePlayer:
    player = NativePlayer(world, name, ways, Plan(_ENOUGH_GAMES, _ENOUGH_PLIES, time))
    player.acts_at = NEVER
    return player


def challenge(one: NativePlayer, other: NativePlayer, start_fen: str) -> None:
    """When the first asks for a game it is one with the second, from this position; and the
    second waits for it.
    """
    one.plan = replace(one.plan, opponent=other.hand.pubkey, start_fen=start_fen)
    other.plan = replace(other.plan, waits=True)


def let_go(world: "World", players: Sequence[NativePlayer]) -> None:
    world.settings = replace(world.settings, thinks_seconds=_THINKS_SECONDS)
    for player in players:
        player.acts_at = world.scheduler.now


def game_of(player: NativePlayer) -> Seen | None:
    seen = player.games.get(player.game or "")
    return None if seen is None or seen.is_over else seen


def can_move(player: NativePlayer) -> bool:
    seen = game_of(player)
    if seen is None or player.voice.has_said(seen, "move"):
        return False
    return seen.is_turn_of(player.hand.pubkey) and any(chess.Board(seen.fen).legal_moves)


def move(player: NativePlayer, number: int) -> None:
    seen = player.games[player.game or ""]
    player.voice.never_said(seen, "move")
    player.voice.tell(seen, _legal(seen, number), "move")


def ask_state(player: NativePlayer) -> None:
    player.voice.ask_state(player.game or "")


def _legal(seen: Seen, number: int) -> str:
    moves = sorted(move.uci() for move in chess.Board(seen.fen).legal_moves)
    return moves[number % len(moves)]
