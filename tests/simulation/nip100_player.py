"""An honest player of the NIP-100 draft, on a socket to the gateway, as docs/dialects/nip100.md has
one.

Nothing on this wire names a game or a state, so they go by their own board: their colour, their
moves that were accepted, and those of their opponent. When they are not sure they say `connect`
again with the number of half-moves that they know, and are sent the rest.
"""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.client_connections import GATEWAY, ClientConnection
from tests.simulation.clients import Hand
from tests.simulation.history import Actor, Belief

if TYPE_CHECKING:
    from tests.simulation.world import World

CONNECT, MOVE, OFFER, RESIGN = range(5000, 5004)

PATIENCE_SECONDS = 8.0
WAITS_SECONDS = 300.0

_ENDS = ("gamecheckmate", "gamedraw", "opponentresigned", "gameover")


@dataclass(slots=True)
class Said:
    """An event that waits for its verdict."""

    text: str
    id: str
    what: str
    uci: str
    last_at: float
    tries: int = 1


@dataclass(eq=False)
class Nip100Player:
    """One player."""

    world: "World"
    name: str
    games_left: int
    plies: int
    color: chess.Color | None = None
    game: str | None = None
    past_games: set[str] = field(default_factory=set)
    board: chess.Board = field(default_factory=chess.Board)
    said: Said | None = None
    is_over: bool = True
    result: str | None = "*"
    is_searching: bool = False
    is_finishing: bool = False
    is_away: bool = False
    must_ask: bool = True
    heard_at: float = 0.0
    moved_at: float = 0.0
    acts_at: float = 0.0

    def __post_init__(self) -> None:
        self.hand = Hand(self.world, self.name)
        self.connection = ClientConnection(self.world, self.name, GATEWAY, self._hear, self._opened)

    def actor(self) -> Actor:
        return Actor(name=self.name, pubkeys=(self.hand.pubkey,), dialect="nip100")

    def start(self) -> None:
        self.connection.dial()
        self._tick()

    def finish(self) -> None:
        self.is_finishing = True

    def go_away(self) -> None:
        self.is_away = True
        self.connection.close()

    def come_back(self) -> None:
        if not self.is_away or self.world.is_settling:
            return
        self.is_away = False
        self.connection.dial()
        self._tick()

    def is_content(self) -> bool:
        wants_more = self.games_left > 0 and not self.is_finishing
        return self.said is None and self.is_over and not self.is_searching and not wants_more

    def beliefs(self) -> tuple[Belief, ...]:
        asked = (self.said.id,) if self.said else ()
        # Of a game that is over this wire tells no more: its last move may have been missed.
        knows = self.game and not self.must_ask and not self.is_over
        ply = len(self.board.move_stack) if knows else None
        result = None if self.is_over and self.result == "*" else self.result
        return (Belief(who=self.name, game=self.game, ply=ply, result=result, asked=asked),)

    def _opened(self, connection: ClientConnection) -> None:
        del connection
        # The socket does not speak for them yet, and what is under way may be lost with the old.
        self.must_ask = True

    def _hear(self, way: str, message: list[Any]) -> None:
        del way
        self.heard_at = self.world.scheduler.now
        match message:
            case ["OK", str(id_), bool(accepted), str(text)]:
                self._judged(id_, text, accepted=accepted)
            case ["EVENT", int(label), {"content": str(content), "tags": tags, "pubkey": pubkey}]:
                named = {tag[0]: tag[1] for tag in tags if len(tag) > 1}
                is_server = pubkey in self.world.servers
                self._told(label, content, named if is_server else {})
            case _:
                pass

    def _judged(self, id_: str, text: str, *, accepted: bool) -> None:
        if text in ("white", "black") and accepted:
            self._sit_down(chess.WHITE if text == "white" else chess.BLACK)
        said = self.said
        if said is None or said.id != id_:
            return
        self.said = None
        if not accepted:
            self.world.memo(f"{self.name} was refused {said.what}: {text}")
            if said.what == "connect":
                self.is_searching = False
                if "another protocol" in text:
                    self.is_over = True
            elif said.what == "cancel":
                self.is_searching = "game goes on" not in text
            self.must_ask = said.what != "cancel"
            return
        self.must_ask = False
        self._was_accepted(said, text)

    def _was_accepted(self, said: Said, text: str) -> None:
        match said.what:
            case "connect":
                if not text:
                    # They wait: so the game that they remember, or never learnt their colour of, is
                    # over, however it ended.
                    if self.result == "*":
                        self._end(None)
                    self.is_searching = True
            case "cancel":
                self.is_searching = False
            case "resign":
                self._end("0-1" if self.color == chess.WHITE else "1-0")
            case "move":
                self._push(said.uci)
            case _:
                pass

    def _sit_down(self, color: chess.Color) -> None:
        self.color = color
        self.is_searching = False
        if self.is_over:
            self.is_over = False
            if self.game in self.past_games:
                # They were not told which it is; what they are told of it will say so.
                self.game = None
            self.games_left -= 1
            self.result = "*"
            self.board = chess.Board()
        self._think()

    def _told(self, label: int, content: str, tags: dict[str, str]) -> None:
        if content == "gameisfound":
            self._found(tags)
        elif content in _ENDS and label == CONNECT:
            if self._is_of_this_game(tags):
                self._end(tags.get("result", "*"))
        elif label == OFFER and content != "offersent":
            if not self._is_of_this_game(tags):
                return
            self._moved(content.lower(), int(tags["ply"]) if "ply" in tags else None)

    def _is_of_this_game(self, tags: dict[str, str]) -> bool:
        """Their opponent's own event has no tags of ours: then it is the next move."""
        game = tags.get("d")
        if self.game is None and game not in self.past_games and not self.is_over:
            self.game = game
        return game is None or game == self.game

    def _found(self, tags: dict[str, str]) -> None:
        if tags.get("d") != self.game:
            self._leave_behind()
            self.game = tags.get("d")
            self.is_over = True
            self.result = "*"
            self.board = chess.Board()

    def _leave_behind(self) -> None:
        if self.game is not None:
            self.past_games.add(self.game)

    def _moved(self, uci: str, ply: int | None) -> None:
        known = len(self.board.move_stack)
        if ply is not None and ply <= known:
            return
        is_his = self.board.turn != self.color
        if (ply is not None and ply != known + 1) or (ply is None and not is_his):
            self.must_ask = True
            return
        self._push(uci)

    def _push(self, uci: str) -> None:
        move = chess.Move.from_uci(uci)
        if move not in self.board.legal_moves:
            self.must_ask = True
            return
        self.board.push(move)
        self.moved_at = self.world.scheduler.now
        self._think()

    def _end(self, result: str | None) -> None:
        self._leave_behind()
        self.is_over = True
        self.result = result
        self.color = None

    def _tick(self) -> None:
        if not self.is_away:
            self.world.scheduler.after(2.0 + self.world.chance.random() * 2.0, self._tick)
            self._act()

    def _think(self) -> None:
        seconds = self.world.chance.random() * self.world.settings.thinks_seconds
        self.acts_at = self.world.scheduler.now + seconds
        self.world.scheduler.after(seconds, self._act)

    def _act(self) -> None:
        now = self.world.scheduler.now
        if self.is_away or now < self.acts_at or not self.connection.is_open:
            return
        if self.said is not None:
            self._say_again(self.said, now)
        elif not self.is_over and self.must_ask:
            self._connect()
        elif self.is_searching and self.is_finishing:
            self._say(CONNECT, "cancelsearch", "cancel")
        elif self.is_over and not self.is_searching:
            if self.games_left > 0 and not self.is_finishing:
                self._connect()
        elif self.is_searching or self.board.turn != self.color:
            if not self.is_over and self.is_finishing and now - self.moved_at > WAITS_SECONDS:
                self._say(RESIGN, "resign", "resign")
            elif now - self.heard_at > 3 * PATIENCE_SECONDS:
                self.heard_at = now
                self._connect()
        else:
            self._my_turn()

    def _connect(self) -> None:
        ply = len(self.board.move_stack) if not self.is_over else 0
        self._say(CONNECT, "connect", "connect", (("ply", str(ply)),))

    def _my_turn(self) -> None:
        chance = self.world.chance
        ply = len(self.board.move_stack)
        moves = [*self.board.legal_moves]
        if not moves:
            self.must_ask = True
            return
        is_enough = ply >= self.plies or (self.is_finishing and ply > 2)
        if is_enough and chance.random() < 0.5:
            self._say(RESIGN, "resign", "resign")
            return
        if chance.random() < 0.05:
            self._say(OFFER, "offer", "offer", (("ply", str(ply)),))
            return
        move = chance.choice(moves)
        self._say(MOVE, move.uci(), "move", (("ply", str(ply + 1)),), move.uci())

    def _say_again(self, said: Said, now: float) -> None:
        if now - said.last_at < PATIENCE_SECONDS * min(said.tries, 4):
            return
        said.last_at = now
        said.tries += 1
        is_for_another = self.world.server.pubkey not in said.text
        if said.what == "connect" or said.tries > 3 or is_for_another:
            # A fresh one binds a fresh socket; and whether the old one was done is asked thereby.
            self.said = None
            self._connect()
            return
        self.connection.say_event(said.text)

    def _say(
        self,
        kind: int,
        content: str,
        what: str,
        more: tuple[tuple[str, str], ...] = (),
        uci: str = "",
    ) -> None:
        tags = (("p", self.world.server.pubkey), *more)
        text = self.hand.sign(kind, content, tags)
        id_: str = json.loads(text)["id"]
        self.said = Said(text, id_, what, uci, self.world.scheduler.now)
        self.connection.say_event(text)
