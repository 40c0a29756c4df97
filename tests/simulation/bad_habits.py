"""Bad habits of native players, beside their honest play."""

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.clients import Seen, Tags
from tests.simulation.native_player import NativePlayer
from tests.simulation.native_sender import MOVE

if TYPE_CHECKING:
    from tests.simulation.world import World

_WORDS = ("draw", "takeback", "claim", "claim-left")


class Careless:
    """The habits of one player. They slip about every few seconds, and may fall silent for good."""

    def __init__(self, world: "World", player: NativePlayer) -> None:
        self._world = world
        self._player = player
        self._states: dict[str, list[str]] = defaultdict(list)
        self._refused: list[str] = []
        self._slips = 0
        self._habits: dict[str, Callable[[Seen, chess.Board], bool]] = {
            "F19": self._out_of_turn,
            "F49": self._once_more,
            "H44": lambda seen, board: self._some_move(seen, board, is_turn=False),
            "H46": self._for_an_older_state,
            "H48": lambda seen, _: self._one_of(seen, "0000", "--", "e1e1"),
            "F17": self._far_off,
            "F18": lambda seen, board: self._some_move(seen, board, times=2),
            "H53": lambda seen, _: self._one_of(
                seen, "draw", "takeback", "claim", "claim-left", times=2
            ),
            "expired": self._expired,
            "takeback": lambda seen, _: self._one_of(seen, "takeback"),
        }

    def start(self) -> None:
        """Begin to slip, and perhaps to grow tired."""
        self._later()
        chance = self._world.chance
        is_live = "+" in (self._player.plan.time or "")
        # Who falls silent loses on time; without a clock others would wait for ever.
        is_tired = is_live and self._world.faults.allows("silence")
        if is_tired and chance.random() < 0.5:
            self._world.scheduler.after(chance.random() * 60, self._fall_silent)

    def _later(self) -> None:
        self._world.soon(1.0 + self._world.chance.random() * 8.0, self._slip)

    def _slip(self) -> None:
        if self._world.faults.is_healed:
            return
        self._later()
        kinds = [kind for kind in self._habits if self._world.faults.allows(kind)]
        seen = self._game_under_way()
        if kinds and seen is not None:
            kind = self._world.chance.choice(kinds)
            if self._habits[kind](seen, chess.Board(seen.fen)):
                self._world.faults.note(kind, self._player.name)

    def _game_under_way(self) -> Seen | None:
        """The game that they play, if they can say anything in it; its state is remembered."""
        seen = self._player.present_game()
        if seen is not None and seen.state_id not in self._states[seen.id]:
            self._states[seen.id].append(seen.state_id)
        return seen

    def _fall_silent(self) -> None:
        if self._world.faults.allows("silence"):
            self._world.faults.note("silence", self._player.name)
            self._player.leave()

    # The habits: whether they gave in.

    def _out_of_turn(self, seen: Seen, board: chess.Board) -> bool:
        """A move that may be good when its turn has come; then it is sent again. It names no state,
        so only its date, which may be ahead, and the memory of it tell what became of it.
        """
        if self._is_my_turn(seen) or board.is_check():
            return False
        board.push(chess.Move.null())
        moves = [move.uci() for move in board.legal_moves]
        if moves:
            at = self._world.now_ms() // 1000 + self._world.chance.choice((0, 600))
            word = self._world.chance.choice(moves)
            self._refused.append(self._say(seen, word, state="", at=at))
        return bool(moves)

    def _once_more(self, seen: Seen, _: chess.Board) -> bool:
        """The refused event, when it could come true."""
        if not self._refused or not self._is_my_turn(seen):
            return False
        self._player.say_again(self._world.chance.choice(self._refused))
        return True

    def _far_off(self, seen: Seen, board: chess.Board) -> bool:
        """A move that is dated far off."""
        at = self._world.now_ms() // 1000 + self._world.chance.choice((-3000, -100, 1200))
        return self._some_move(seen, board, state="", at=at)

    def _for_an_older_state(self, seen: Seen, board: chess.Board) -> bool:
        older = [state for state in self._states[seen.id] if state != seen.state_id]
        if not older or not self._is_my_turn(seen):
            return False
        return self._some_move(seen, board, state=self._world.chance.choice(older))

    def _expired(self, seen: Seen, _: chess.Board) -> bool:
        """Signed to be void before it is sent (NIP-40)."""
        past = str(self._world.now_ms() // 1000 - 60)
        return self._one_of(seen, "resign", "draw", extra=(("expiration", past),))

    def _some_move(
        self, seen: Seen, board: chess.Board, *, is_turn: bool = True, **more: Any
    ) -> bool:
        moves = [move.uci() for move in board.legal_moves]
        if not moves or self._is_my_turn(seen) is not is_turn:
            return False
        return self._one_of(seen, *moves, **more)

    def _one_of(self, seen: Seen, *words: str, times: int = 1, **more: Any) -> bool:
        for _ in range(times):
            self._say(seen, self._world.chance.choice(words), **more)
        return True

    def _say(
        self,
        seen: Seen,
        content: str,
        *,
        state: str | None = None,
        extra: Tags = (),
        at: int | None = None,
    ) -> str:
        self._slips += 1
        named: Tags = (("e", seen.state_id if state is None else state),) if state != "" else ()
        tags: Tags = (
            ("d", seen.id),
            ("p", self._world.server.pubkey),
            ("p", seen.white),
            ("p", seen.black),
            *named,
            ("slip", str(self._slips)),
            *extra,
        )
        text = self._player.hand.sign(MOVE, content, tags, at)
        self._player.say_again(text)
        return text

    def _is_my_turn(self, seen: Seen) -> bool:
        return seen.is_turn_of(self._player.hand.pubkey)
