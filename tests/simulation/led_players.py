"""Native players who are told what to say, and when. All the rest is theirs: they say it again
until it is answered, drop what is old, and take no state for theirs that is none.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import chess

from tests.simulation.adversaries import Meddler
from tests.simulation.clients import Seen
from tests.simulation.native_voice import MOVE
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


def is_free(player: NativePlayer) -> bool:
    is_asking = any(one.what == "request" for one in player.voice.asked.values())
    is_seated = game_of(player) is not None or player.game not in {None, *player.games}
    return not (is_seated or is_asking or player.plan.waits)


def can_move(player: NativePlayer) -> bool:
    seen = game_of(player)
    if seen is None or player.voice.has_said(seen, "move"):
        return False
    return seen.is_turn_of(player.hand.pubkey) and any(chess.Board(seen.fen).legal_moves)


def ask_for_game(player: NativePlayer) -> None:
    player._request()


def move(player: NativePlayer, number: int) -> None:
    seen = player.games[player.game or ""]
    player.voice.never_said(seen, "move")
    player.voice.tell(seen, _legal(seen, number), "move")


def move_twice(player: NativePlayer, number: int) -> None:
    seen = player.games[player.game or ""]
    move(player, number)
    tags = (("d", seen.id), *player.voice.server(), ("e", seen.state_id))
    player.say_again(player.hand.sign(MOVE, _legal(seen, number + 1), tags))


def say_word(player: NativePlayer, word: str) -> None:
    seen = player.games[player.game or ""]
    if player.voice.never_said(seen, word):
        player.voice.word(seen, word)


def ask_state(player: NativePlayer) -> None:
    player.voice.ask_state(player.game or "")


def words_of(player: NativePlayer) -> list[str]:
    return [one.text for one in player.voice.asked.values()]


def move_for(stranger: Meddler, seen: Seen, server: str, word: str) -> None:
    """Somebody who does not play says a word in a game of others; ``move`` is one that is legal."""
    said = _legal(seen, 0) if word == "move" else word
    tags = (("d", seen.id), ("p", server), ("p", seen.white), ("p", seen.black))
    stranger.say(stranger.hand.sign(MOVE, said, (*tags, ("e", seen.state_id))))


def _legal(seen: Seen, number: int) -> str:
    moves = sorted(move.uci() for move in chess.Board(seen.fen).legal_moves)
    return moves[number % len(moves)]
