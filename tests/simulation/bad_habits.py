"""Bad habits of native players, beside their honest play."""

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.clients import Seen, Tags
from tests.simulation.native_player import NativePlayer
from tests.simulation.native_sender import MOVE, REQUEST

if TYPE_CHECKING:
    from tests.simulation.world import World


OTHER_WORDS = ("O-O", "e2-e4", "Nf3", "@@@@", "e2e4 ", "DRAW")
LIVE = ("60+1", "180+2")
"""Who falls silent loses on time within an hour; without a clock others would wait for ever."""


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
            "H15": lambda seen, board: self._some_move(seen, board, server="f" * 64),
            "H44": lambda seen, board: self._some_move(seen, board, is_turn=False),
            "H46": self._for_an_older_state,
            "H48": lambda seen, _: self._one_of(seen, "0000", "--", "e1e1"),
            "H49": lambda seen, _: self._one_of(seen, *OTHER_WORDS),
            "H50": self._against_the_rules,
            "H53": lambda seen, _: self._one_of(seen, "draw", "takeback", "claim", times=2),
            "expired": self._expired,
            "takeback": lambda seen, _: self._one_of(seen, "takeback"),
        }

    def start(self) -> None:
        """Begin to slip, and perhaps to grow tired."""
        self._later()
        chance = self._world.chance
        is_tired = self._world.settings.time in LIVE and self._world.faults.allows("silence")
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
        """What was refused, when it could come true."""
        if not self._refused or not self._is_my_turn(seen):
            return False
        self._player.say_again(self._world.chance.choice(self._refused))
        return True

    def _against_the_rules(self, seen: Seen, board: chess.Board) -> bool:
        chance = self._world.chance
        own = [*chess.SquareSet(board.occupied_co[board.turn])]
        wrong = chess.Move(chance.choice(own), chance.randrange(64))
        if wrong in board.legal_moves or wrong.from_square == wrong.to_square:
            return False
        self._say(seen, wrong.uci())
        return True

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
        word = self._world.chance.choice(words)
        for _ in range(times):
            self._say(seen, word, **more)
        return True

    def _say(
        self,
        seen: Seen,
        content: str,
        *,
        state: str | None = None,
        server: str | None = None,
        extra: Tags = (),
        at: int | None = None,
    ) -> str:
        self._slips += 1
        named: Tags = (("e", seen.state_id if state is None else state),) if state != "" else ()
        tags: Tags = (
            ("d", seen.id),
            ("p", server or self._world.server.pubkey),
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
        seen = self._player.present_game()
        is_theirs = seen is not None and seen.is_turn_of(self._player.hand.pubkey)
        return None if is_theirs else seen

    def _up_ms(self, seen: Seen) -> int | None:
        items = self._world.cloud.items()
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


class Greedy:
    """The greed of one player."""

    def __init__(self, world: "World", player: NativePlayer) -> None:
        self._world = world
        self._player = player

    def start(self) -> None:
        self._world.soon(2.0 + self._world.chance.random() * 12.0, self._ask)

    def _ask(self) -> None:
        player, world = self._player, self._world
        if world.faults.is_healed:
            return
        self.start()
        if player.present_game() is None:
            return
        tags: Tags = (("p", world.server.pubkey),)
        if player.plan.time:
            tags += (("time", player.plan.time), ("mode", "rated"))
        player.say_again(player.hand.sign(REQUEST, "", tags))
        world.faults.note("greed", player.name)
