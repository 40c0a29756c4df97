"""A player of ssb-chess who invites the arbiter's feed, and plays the opponent that it finds.

Their program knows what is in their own log and what has come of ours: nothing tells it that a
move of its own was taken, but that it is answered. What is written stays, so it is written once.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.feeds import Content, FeedOwner, Message
from tests.simulation.history import Belief
from tests.simulation.natives import WAITS_SECONDS

if TYPE_CHECKING:
    from tests.simulation.world import World

ASKS_AGAIN_SECONDS = 40.0
TIMES_TO_LEAVE = 3

FOUND, OVER, CANCELLED = "found", "over", "cancelled"


@dataclass(eq=False)
class Board:
    """One game as their program has it, by the key of its invitation."""

    root: str
    color: chess.Color
    board: chess.Board = field(default_factory=chess.Board)
    state: str = ""
    result: str = "*"
    own: dict[str, int] = field(default_factory=dict)
    changed_at: float = 0.0
    has_left: bool = False
    has_offered: bool = False
    is_again: bool = False
    times_left: int = 0

    @property
    def is_over(self) -> bool:
        return self.state in {OVER, CANCELLED}


@dataclass(eq=False)
class SsbPlayer:
    """One feed's program. A ``is_rogue`` one also does what no program of theirs would."""

    owner: FeedOwner
    games_left: int
    plies: int
    carelessness: float
    is_rogue: bool = False
    boards: dict[str, Board] = field(default_factory=dict)
    root: str = ""

    def __post_init__(self) -> None:
        self.world = self.owner.world

    def begin(self) -> None:
        """Nothing: they first act when they are asked to."""

    def is_content(self) -> bool:
        board = self.boards.get(self.root)
        # A rematch that is not wanted is not answered, and cannot be withdrawn.
        is_done = board is None or board.is_over or (board.is_again and not board.state)
        return is_done and (self.games_left <= 0 or self.owner.is_finishing)

    def beliefs(self) -> tuple[Belief, ...]:
        """What they believe of the latest game that began. This wire names no game, so it is found
        in the table.
        """
        begun = [one for one in self.boards.values() if one.state in {FOUND, OVER}]
        if not begun:
            return (Belief(who=self.owner.name, game=None),)
        last = begun[-1]
        game = game_of_root(self.world, last.root)
        # A player who gives up need not be told what was moved meanwhile.
        ply = None if last.has_left else len(last.board.move_stack)
        return (Belief(who=self.owner.name, game=game, ply=ply, result=last.result),)

    def hear(self, message: Message) -> None:
        content = message.content
        if not message.is_read_by(self.owner.feed):
            return
        if content["type"] == "chess_invite" and content["inviting"] == self.owner.feed:
            self._invited(message)
            return
        board = self.boards.get(str(content.get("root")))
        if board is None:
            return
        board.changed_at = self.world.scheduler.now
        match content["type"]:
            case "chess_invite_accept":
                board.state = board.state or FOUND
            case "chess_move":
                self._moved(board, content)
            case "chess_game_end":
                self._ended(board, content)
            case "chess_chat":
                self._told(board, content)
            case _:
                pass
        if board.state == FOUND and board.has_left:
            # It began as they withdrew: then that was their resignation.
            board.state, board.result = OVER, _won(not board.color)
        self.owner.pace.think()

    def _invited(self, message: Message) -> None:
        if self.owner.is_finishing or self.games_left <= 0 or not self._is_free():
            return
        self.games_left -= 1
        self.root = message.key
        color = message.content["myColor"] != "white"
        self.boards[message.key] = Board(message.key, color)
        self.owner.write({"type": "chess_invite_accept", "root": message.key})

    def _moved(self, board: Board, content: Content) -> None:
        ply = content["ply"]
        board.state = board.state or FOUND
        move = chess.Move.from_uci(_uci(content))
        # Of two moves of a rogue's, written under one number, the other may have counted.
        if ply == len(board.board.move_stack) + 1 and board.board.is_legal(move):
            board.board.push(move)
        else:
            self.world.memo(f"{self.owner.name} cannot follow: half-move {ply}")

    def _ended(self, board: Board, content: Content) -> None:
        if "orig" in content:
            self._moved(board, content)
        board.state = OVER
        if content["status"] == "resigned":
            board.result = _won(board.color)
        elif content["status"] == "mate":
            board.result = _won(not board.color)
        else:
            board.result = "1/2-1/2"

    def _told(self, board: Board, content: Content) -> None:
        text, verdict = content["msg"], content.get("verdict")
        if verdict is not None:
            self._refused(board, verdict)
        elif "is no longer open" in text or "Not accepted" in text or "no opponent in" in text:
            board.state = board.state or CANCELLED
        elif "The game is over: " in text:
            board.state, board.result = OVER, _result_in(text)
        elif "You play " in text:
            board.state = board.state or FOUND

    def _refused(self, board: Board, verdict: Content) -> None:
        """A verdict: what it is about was not counted, unless only a claim was wrong."""
        ply = board.own.pop(verdict["about"], None)
        if verdict["reason"] != "disputed" and ply == len(board.board.move_stack):
            board.board.pop()
        if verdict["reason"] == "game-over":
            board.state, board.result = OVER, _result_in(verdict["text"])
            # There is one verdict of a kind: it also is about what they moved after the end.
            while len(board.board.move_stack) > verdict["ply"]:
                board.board.pop()

    def _is_free(self) -> bool:
        board = self.boards.get(self.root)
        return board is None or board.is_over

    def act(self) -> None:
        board = self.boards.get(self.root)
        if board is None or board.is_over:
            if self.games_left > 0 and not self.owner.is_finishing:
                self._invite(board)
        elif board.state != FOUND:
            self._wait(board)
        elif board.board.turn == board.color:
            self._my_turn(board)
        else:
            self._their_turn(board)

    def _invite(self, before: Board | None) -> None:
        chance = self.world.chance
        color = chance.random() < 0.5
        content = {
            "type": "chess_invite",
            "inviting": self.owner.us,
            "myColor": "white" if color else "black",
        }
        # Who offers a rematch waits for it as long as for anybody.
        is_again = before is not None and before.state == OVER and chance.random() < 0.5
        again = {"root": before.root} if is_again and before is not None else {}
        self.games_left -= 1
        self.root = self.owner.write({**content, **again}).key
        self.boards[self.root] = Board(
            self.root, color, changed_at=self.world.scheduler.now, is_again=bool(again)
        )

    def _wait(self, board: Board) -> None:
        """Wait for an opponent, or withdraw."""
        waited = self.world.scheduler.now - board.changed_at
        # That they wait no more may be lost with the bridge that had it, so they withdraw again.
        if board.is_again:
            return
        if board.times_left == TIMES_TO_LEAVE:
            # A game had begun that they never heard of, and they gave it up: nothing is said to
            # a player who gives up.
            board.state = CANCELLED
            return
        if self.owner.is_finishing and waited > (ASKS_AGAIN_SECONDS if board.has_left else 10.0):
            self._resign(board)

    def _my_turn(self, board: Board) -> None:
        chance, ply = self.world.chance, len(board.board.move_stack)
        is_enough = ply >= self.plies or (self.owner.is_finishing and ply > 2)
        if is_enough and chance.random() < 0.5:
            self._resign(board)
            return
        moves = [*board.board.legal_moves]
        if not moves:
            return
        if chance.random() < self.carelessness and self.world.faults.strikes(
            "unfounded", self.owner.name
        ):
            self.owner.write(self._unfounded(board))
        move = chance.choice(moves)
        content = move_content(board.board, move, board.root)
        if self.is_rogue and self.world.faults.strikes("forked", self.owner.name):
            other = move_content(board.board, chance.choice(moves), board.root)
            self.world.feeds.fork(self.owner.name, self.owner.feed, content, other)
            board.board.push(move)
            return
        key = self.owner.write(content).key
        board.board.push(move)
        board.own[key] = ply + 1
        board.changed_at = self.world.scheduler.now
        if content["type"] == "chess_game_end":
            board.state = OVER
            board.result = board.board.result()

    def _their_turn(self, board: Board) -> None:
        chance, now = self.world.chance, self.world.scheduler.now
        if self.owner.is_finishing and now - board.changed_at > WAITS_SECONDS:
            self._resign(board)
        elif self.is_rogue and self.world.faults.strikes("too early", self.owner.name):
            move = chance.choice([*board.board.legal_moves])
            content = move_content(board.board, move, board.root)
            self.owner.write({**content, **self._early(), "ply": content["ply"] + 1})
        elif not board.has_offered and chance.random() < 0.02:
            board.has_offered = True
            self.owner.write(
                {"type": "chess_chat", "root": board.root, "msg": "/draw"}, is_private=True
            )

    def _early(self) -> Content:
        """What an early move is said to be: a move, or the end of the game by either's victory."""
        winner = self.world.chance.choice((None, None, self.owner.feed, self.owner.us))
        if winner is None:
            return {"type": "chess_move"}
        return {"type": "chess_game_end", "status": "mate", "winner": winner}

    def _resign(self, board: Board) -> None:
        """Give up; with no opponent yet, they withdraw their invitation so."""
        board.has_left = True
        board.times_left += 1
        board.changed_at = self.world.scheduler.now
        self.owner.write({"type": "chess_game_end", "root": board.root, "status": "resigned"})
        if board.state == FOUND:
            board.state, board.result = OVER, _won(not board.color)

    def _unfounded(self, board: Board) -> Content:
        chance, root = self.world.chance, board.root
        move = chance.choice([*board.board.legal_moves])
        content = move_content(board.board, move, root)
        return chance.choice(
            (
                {**content, "type": "chess_move", "orig": "e4", "dest": "a8"},
                {**content, "type": "chess_game_end", "status": "mate", "dest": content["orig"]},
                {"type": "chess_move", "root": root, "orig": 7, "dest": None, "ply": "one"},
                {"type": "chess_game_end", "root": root, "status": "mate"},
            )
        )


def seat_player(
    world: "World", name: str, games: int, plies: int, carelessness: float, *, is_rogue: bool
) -> FeedOwner:
    def program(owner: FeedOwner) -> SsbPlayer:
        return SsbPlayer(owner, games, plies, carelessness, is_rogue)

    return FeedOwner(world, name, program, is_honest=not is_rogue)


def move_content(board: chess.Board, move: chess.Move, root: str) -> dict[str, Any]:
    """A move as ssb-chess writes it: within the end, if it ends the game."""
    after = board.copy()
    after.push(move)
    fields: dict[str, Any] = {
        "root": root,
        "ply": after.ply(),
        "orig": chess.square_name(move.from_square),
        "dest": chess.square_name(move.to_square),
        "pgnMove": board.san(move),
        "fen": after.fen(),
    }
    if move.promotion:
        fields["promotion"] = chess.piece_symbol(move.promotion)
    if not after.is_game_over():
        return {"type": "chess_move", **fields}
    status = "mate" if after.is_checkmate() else "draw"
    return {"type": "chess_game_end", "status": status, **fields}


def game_of_root(world: "World", root: str) -> str | None:
    for item in world.cloud.dynamodb.items("arbiter"):
        seats = (item.get(name, {}).get("S", "") for name in ("wa", "ba"))
        if item["pk"]["S"].startswith("g#") and any(f" {root} " in seat for seat in seats):
            return str(item["pk"]["S"].removeprefix("g#"))
    return None


def _uci(content: Content) -> str:
    return f"{content['orig']}{content['dest']}{content.get('promotion', '')}"


def _result_in(text: str) -> str:
    return text.partition("over: ")[2].partition(",")[0]


def _won(color: chess.Color) -> str:
    return "1-0" if color == chess.WHITE else "0-1"
