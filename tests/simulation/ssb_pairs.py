"""Two players of ssb-chess who play each other and follow the arbiter's feed: he judges them.

Each reads the other's log and ours. Neither's program waits for our word; but that the game is over
they believe when we say it.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chess

from arbiter.nostr.stand_in import stand_in
from tests.simulation.feeds import Content, Message, Reader, named
from tests.simulation.history import Actor, Belief
from tests.simulation.natives import WAITS_SECONDS
from tests.simulation.ssb_players import ASKS_AGAIN_SECONDS, game_of_root, move_content

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(eq=False)
class Refereed:
    """One of the two. Who has no ``guest`` waits to be invited."""

    world: "World"
    name: str
    plies: int
    carelessness: float
    guest: "Refereed | None" = None
    root: str = ""
    color: chess.Color = chess.WHITE
    board: chess.Board = field(default_factory=chess.Board)
    result: str | None = None
    is_ending: bool = False
    is_away: bool = False
    is_finishing: bool = False
    acts_at: float = 0.0
    said_at: float = 0.0

    def __post_init__(self) -> None:
        self.feed = named("@", self.name, self.world.settings.seed)
        self.us = self.world.bridges.disk.us
        self.reader = Reader(self.name, self._hear)
        self.world.bridges.read(self.feed)
        self.world.feeds.follow(self.reader, self.us)
        if self.guest is not None:
            self.world.feeds.follow(self.reader, self.guest.feed)
            self.world.feeds.follow(self.guest.reader, self.feed)

    # ------------------------------------------------------------------ what others ask

    def actor(self) -> Actor:
        """Who this is, for the history: a stand-in for his feed."""
        pubkeys = tuple(stand_in(server, "ssb", self.feed) for server in self.world.servers)
        return Actor(name=self.name, pubkeys=pubkeys, dialect="ssb")

    def beliefs(self) -> tuple[Belief, ...]:
        """How the game ended, as we have said; of its last moves he may have made one too late."""
        game = game_of_root(self.world, self.root)
        return (Belief(who=self.name, game=game, result=self.result),)

    def start(self) -> None:
        """Follow the arbiter, some time; and invite."""
        follow = {"type": "contact", "contact": self.us, "following": True}
        seconds = self.world.chance.random() * self.world.chance.choice((0.1, 20.0))
        self.world.scheduler.after(seconds, lambda: self._say(follow))
        if self.guest is not None:
            self.color = self.world.chance.random() < 0.5
            color = "white" if self.color else "black"
            invite = {"type": "chess_invite", "inviting": self.guest.feed, "myColor": color}
            self.root = self._write(invite).key
        self._tick()

    def go_away(self) -> None:
        """Leave the network."""
        self.is_away = True
        self.world.feeds.close(self.reader)

    def come_back(self) -> None:
        """Be there again."""
        if self.is_away and not self.world.is_settling:
            self.is_away = False
            self.world.feeds.open(self.reader)
            self._tick()

    def is_content(self) -> bool:
        """Whether the game is over, by our word."""
        return self.result is not None

    def finish(self) -> None:
        """End the game."""
        self.is_finishing = True

    # --------------------------------------------------------------------------- hearing

    def _hear(self, message: Message) -> None:
        content = message.content
        if content["type"] == "chess_invite" and content["inviting"] == self.feed:
            self.root, self.color = message.key, content["myColor"] != "white"
            self._write({"type": "chess_invite_accept", "root": self.root})
        if content.get("root") != self.root or not self.root:
            return
        if message.author == self.us:
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
                self._write({"type": "chess_game_end", "root": self.root, "status": "draw"})

    def _follow(self, content: Content) -> None:
        """The other's move, if it is one: of what is none the arbiter says so."""
        if content["ply"] == self.board.ply() + 1 and self.board.turn != self.color:
            uci = f"{content['orig']}{content['dest']}{content.get('promotion', '')}"
            if chess.Move.from_uci(uci) in self.board.legal_moves:
                self.board.push_uci(uci)
                self._think()

    # ---------------------------------------------------------------------------- acting

    def _tick(self) -> None:
        if self.is_away:
            return
        self.world.scheduler.after(2.0 + self.world.chance.random() * 2.0, self._tick)
        self._act()

    def _think(self) -> None:
        seconds = self.world.chance.random() * self.world.settings.thinks_seconds
        self.acts_at = self.world.scheduler.now + seconds
        self.world.scheduler.after(seconds, self._act)

    def _act(self) -> None:
        now, chance = self.world.scheduler.now, self.world.chance
        if self.is_away or not self.root or self.result is not None or now < self.acts_at:
            return
        if self.is_ending:
            # Our word has not come: somebody's last message may have been too early for its place.
            if now - self.said_at > ASKS_AGAIN_SECONDS:
                self._end("resigned")
            return
        ply = self.board.ply()
        is_enough = ply >= self.plies or (self.is_finishing and ply > 2)
        if self.board.turn == self.color:
            if is_enough and chance.random() < 0.5:
                self._end(chance.choice(("resigned", "draw")))
            else:
                self._move()
        elif self.is_finishing and now - self.said_at > WAITS_SECONDS:
            self._end("resigned")

    def _move(self) -> None:
        chance = self.world.chance
        moves = [*self.board.legal_moves]
        if not moves:
            return
        if chance.random() < self.carelessness and self.world.faults.strikes(
            "unfounded", self.name
        ):
            said = move_content(self.board, chance.choice(moves), self.root)
            self._write({**said, "orig": "e4", "dest": "a8"})
        content = move_content(self.board, chance.choice(moves), self.root)
        uci = f"{content['orig']}{content['dest']}{content.get('promotion', '')}"
        self._write(content)
        self.board.push_uci(uci)
        self.said_at = self.world.scheduler.now
        self.is_ending = content["type"] == "chess_game_end"

    def _end(self, status: str) -> None:
        self.is_ending = True
        self.said_at = self.world.scheduler.now
        self._write({"type": "chess_game_end", "root": self.root, "status": status})

    def _say(self, content: Content) -> None:
        self._write(content)

    def _write(self, content: Content) -> Message:
        return self.world.feeds.write(self.name, self.feed, content)


def seat_pair(world: "World", number: int, plies: int, carelessness: float) -> list[Refereed]:
    """Two who play each other."""
    guest = Refereed(world, f"guest {number}", plies, carelessness)
    host = Refereed(world, f"host {number}", plies, carelessness, guest)
    return [host, guest]
