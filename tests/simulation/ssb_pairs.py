"""Two players of ssb-chess who play each other and follow the arbiter's feed, which judges them.

Each reads the other's log and ours. Neither's program waits for our word; but that the game is over
they believe when we say it.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from tests.simulation.feeds import Content, FeedOwner, Message
from tests.simulation.history import Belief
from tests.simulation.natives import WAITS_SECONDS
from tests.simulation.ssb_players import ASKS_AGAIN_SECONDS, game_of_root, move_content

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(eq=False)
class Refereed:
    """One of the two. Who has no ``guest`` waits to be invited."""

    owner: FeedOwner
    plies: int
    carelessness: float
    guest: FeedOwner | None = None
    root: str = ""
    color: chess.Color = chess.WHITE
    board: chess.Board = field(default_factory=chess.Board)
    result: str | None = None
    is_ending: bool = False
    said_at: float = 0.0

    def __post_init__(self) -> None:
        self.world = self.owner.world

    def beliefs(self) -> tuple[Belief, ...]:
        """How the game ended, as we have said; they may have made a move too late."""
        game = game_of_root(self.world, self.root)
        return (Belief(who=self.owner.name, game=game, result=self.result),)

    def begin(self) -> None:
        """Follow the arbiter, some time; and invite."""
        follow = {"type": "contact", "contact": self.owner.us, "following": True}
        seconds = self.world.chance.random() * self.world.chance.choice((0.1, 20.0))
        self.world.scheduler.after(seconds, lambda: self._say(follow))
        if self.guest is not None:
            self.color = self.world.chance.random() < 0.5
            color = "white" if self.color else "black"
            invite = {"type": "chess_invite", "inviting": self.guest.feed, "myColor": color}
            self.root = self.owner.write(invite).key

    def is_content(self) -> bool:
        return self.result is not None

    def hear(self, message: Message) -> None:
        content = message.content
        if content["type"] == "chess_invite" and content["inviting"] == self.owner.feed:
            self.root, self.color = message.key, content["myColor"] != "white"
            self.owner.write({"type": "chess_invite_accept", "root": self.root})
        if content.get("root") != self.root or not self.root:
            return
        if message.author == self.owner.us:
            verdict = content.get("verdict") or {}
            if verdict.get("reason") == "result":
                self.result = verdict["result"]
            return
        self.said_at = self.world.scheduler.now
        if "orig" in content:
            self._follow(content)
        if content["type"] == "chess_game_end":
            is_asked = not self.is_ending and "orig" not in content
            self.is_ending = True
            if is_asked and content["status"] == "draw":
                self.owner.write({"type": "chess_game_end", "root": self.root, "status": "draw"})

    def _follow(self, content: Content) -> None:
        """The other's move, if it is one: of what is none the arbiter says so."""
        if content["ply"] == self.board.ply() + 1 and self.board.turn != self.color:
            uci = f"{content['orig']}{content['dest']}{content.get('promotion', '')}"
            if chess.Move.from_uci(uci) in self.board.legal_moves:
                self.board.push_uci(uci)
                self.owner.pace.think()

    def act(self) -> None:
        now, chance = self.world.scheduler.now, self.world.chance
        if not self.root or self.result is not None:
            return
        if self.is_ending:
            # The arbiter's word has not come: a last message may have been too early for its place.
            if now - self.said_at > ASKS_AGAIN_SECONDS:
                self._end("resigned")
            return
        ply = self.board.ply()
        is_enough = ply >= self.plies or (self.owner.is_finishing and ply > 2)
        if self.board.turn == self.color:
            if is_enough and chance.random() < 0.5:
                self._end(chance.choice(("resigned", "draw")))
            else:
                self._move()
        elif self.owner.is_finishing and now - self.said_at > WAITS_SECONDS:
            self._end("resigned")

    def _move(self) -> None:
        chance = self.world.chance
        moves = [*self.board.legal_moves]
        if not moves:
            return
        if chance.random() < self.carelessness and self.world.faults.strikes(
            "unfounded", self.owner.name
        ):
            said = move_content(self.board, chance.choice(moves), self.root)
            self.owner.write({**said, "orig": "e4", "dest": "a8"})
        content = move_content(self.board, chance.choice(moves), self.root)
        uci = f"{content['orig']}{content['dest']}{content.get('promotion', '')}"
        self.owner.write(content)
        self.board.push_uci(uci)
        self.said_at = self.world.scheduler.now
        self.is_ending = content["type"] == "chess_game_end"

    def _end(self, status: str) -> None:
        self.is_ending = True
        self.said_at = self.world.scheduler.now
        self.owner.write({"type": "chess_game_end", "root": self.root, "status": status})

    def _say(self, content: Content) -> None:
        self.owner.write(content)


def seat_pair(world: "World", number: int, plies: int, carelessness: float) -> list[FeedOwner]:
    guest = FeedOwner(world, f"guest {number}", lambda owner: Refereed(owner, plies, carelessness))
    host = FeedOwner(
        world, f"host {number}", lambda owner: Refereed(owner, plies, carelessness, guest)
    )
    host.follow(guest.feed)
    guest.follow(host.feed)
    return [host, guest]
