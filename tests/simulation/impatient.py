"""A native player who does not wait: they speak as soon as the opponent's time is up.

A flag falls two seconds after that, since a move in time may still be on its way. Until then
whatever they say is refused, and must be.
"""

from typing import TYPE_CHECKING

import chess

from tests.simulation.known_games import Seen
from tests.simulation.native_voice import MOVE
from tests.simulation.natives import NativePlayer

if TYPE_CHECKING:
    from tests.simulation.world import World

LAG_MS, FIRST_MOVE_MS, FIRST_PLIES = 1000, 30_000, 2

HASTE_SECONDS = 2.2
"""They speak within so long after the opponent's time is up."""

TIMES = 4
"""So often they speak."""

WORDS = ("flag", "draw", "resin")
"""One of these in three; else a move."""


class Impatient:
    """The habit of one player, who knows to the millisecond when the opponent's time is up."""

    def __init__(self, world: "World", player: NativePlayer) -> None:
        self._world = world
        self._player = player
        self._awaited: set[str] = set()

    def start(self) -> None:
        """Begin to watch the opponent's clock."""
        world = self._world
        if not world.faults.is_healed:
            world.soon(1.0 + world.chance.random() * 2.0, self.start)
            self._look()

    def _look(self) -> None:
        seen = self._present()
        if seen is None or seen.state_id in self._awaited:
            return
        self._awaited.add(seen.state_id)
        up_ms = self._up_ms(seen)
        if up_ms is None:
            return
        for _ in range(TIMES):
            late_ms = self._world.chance.random() * HASTE_SECONDS * 1000
            self._world.at_ms(up_ms + late_ms, lambda: self._speak(seen))

    def _present(self) -> Seen | None:
        """The game under way, if it is the opponent's turn."""
        player = self._player
        seen = player.games.get(player.game or "")
        if seen is None or seen.is_over or player.is_away:
            return None
        return None if seen.is_turn_of(player.hand.pubkey) else seen

    def _up_ms(self, seen: Seen) -> int | None:
        """When the opponent's time is up, by the numbers that stand in the table."""
        items = self._world.cloud.dynamodb.items("arbiter")
        item = next((one for one in items if one["pk"]["S"] == f"g#{seen.id}"), {})
        if "tn" not in item:
            return None
        since_ms, color = int(item["tn"]["N"]), "w" if " w " in seen.fen else "b"
        if seen.ply < FIRST_PLIES and not item["tc"]["S"].endswith("d"):
            return since_ms + FIRST_MOVE_MS
        return since_ms + int(item[f"{color}c"]["N"]) + LAG_MS

    def _speak(self, known: Seen) -> None:
        seen, world = self._present(), self._world
        if seen is None or seen.version != known.version or not world.faults.allows("impatient"):
            return
        board = chess.Board(seen.fen)
        board.turn = not board.turn
        moves = [move.uci() for move in board.pseudo_legal_moves]
        content = world.chance.choice([*moves[: 2 * len(WORDS)], *WORDS])
        tags = (("d", seen.id), ("p", world.server.pubkey), ("e", seen.state_id))
        world.faults.note("impatient", self._player.name)
        self._player.say_again(self._player.hand.sign(MOVE, content, tags))
