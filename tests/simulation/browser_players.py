"""Two people at one browser, over HTTP: the hot seat of docs/dialects/rest.md."""

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import chess

from tests.simulation.history import Actor, Belief
from tests.simulation.lambdas import Returned

if TYPE_CHECKING:
    from tests.simulation.world import World


@dataclass(eq=False)
class BrowserPlayer:
    """One browser. It has no key, and remembers the board that it was shown."""

    world: "World"
    name: str
    plies: int
    game: str | None = None
    board: chess.Board = field(default_factory=chess.Board)
    asked: chess.Move | None = None
    is_waiting: bool = False
    is_unsure: bool = False
    is_away: bool = False
    is_done: bool = False

    def __post_init__(self) -> None:
        self.browser_id = self.world.chance.randbytes(16).hex()

    def actor(self) -> Actor:
        return Actor(name=self.name, pubkeys=(), dialect="rest")

    def beliefs(self) -> tuple[Belief, ...]:
        ply = len(self.board.move_stack)
        return (Belief(who=self.name, game=self.game, ply=ply, result="*" if ply else None),)

    def is_content(self) -> bool:
        return self.is_done and not self.is_waiting

    def start(self) -> None:
        self._tick()

    def finish(self) -> None:
        self.plies = min(self.plies, len(self.board.move_stack) + 2)

    def go_away(self) -> None:
        self.is_away = True

    def come_back(self) -> None:
        if self.is_away and not self.world.is_settling:
            self.is_away = False
            self.is_waiting = False
            self.is_unsure = True
            self._tick()

    def _tick(self) -> None:
        if self.is_away or self.is_done:
            return
        self.world.scheduler.after(0.5 + self.world.chance.random() * 2.0, self._tick)
        if self.is_waiting:
            return
        self.is_waiting = True
        if self.game is None and not self.is_unsure:
            self._request("POST", "/new-game", self._began, {"browser_id": self.browser_id})
        elif self.is_unsure:
            self._request("GET", "/load-game", self._loaded)
        else:
            self._move()

    def _move(self) -> None:
        moves = [*self.board.legal_moves]
        is_over = self.board.is_checkmate() or self.board.is_insufficient_material()
        if not moves or is_over or len(self.board.move_stack) >= self.plies:
            self.is_waiting = False
            self.is_done = True
            return
        if self.asked is None:
            self.asked = self.world.chance.choice(moves)
        origin = chess.square_name(self.asked.from_square)
        target = chess.square_name(self.asked.to_square)
        becomes = chess.piece_symbol(self.asked.promotion) if self.asked.promotion else None
        query = {"promotion": becomes} if becomes else {}
        path = f"/make-move/{origin}/{target}"
        self._request("GET", path, self._moved, query=query)

    def _began(self, status: int, body: dict[str, Any]) -> None:
        if status == 200:
            self.game = body["game"]["id"]
        else:
            self.is_unsure = status != 0

    def _moved(self, status: int, body: dict[str, Any]) -> None:
        del body
        if status == 200 and self.asked is not None:
            self.board.push(self.asked)
            self.asked = None
        else:
            self.is_unsure = True

    def _loaded(self, status: int, body: dict[str, Any]) -> None:
        if status == 400 and self.game is None:
            self.is_unsure = False
        if status != 200:
            return
        self.is_unsure = False
        board = body["board"]
        self.game = board["game_id"]
        if board["move_number"] == len(self.board.move_stack) + 1 and self.asked is not None:
            self.board.push(self.asked)
        self.asked = None

    def _request(
        self,
        method: str,
        path: str,
        answered: Any,
        body: dict[str, Any] | None = None,
        query: dict[str, str] | None = None,
    ) -> None:
        def done(result: Returned | None) -> None:
            self.is_waiting = False
            # API Gateway answers for a function that died.
            status = 0 if result is None else result.value["statusCode"]
            text = "" if result is None else result.value.get("body") or ""
            answered(status, json.loads(text) if text.startswith("{") else {})

        invocation = {
            "version": "2.0",
            "routeKey": "$default",
            "rawPath": path,
            "rawQueryString": "&".join(f"{name}={value}" for name, value in (query or {}).items()),
            "queryStringParameters": query or {},
            "headers": {"host": "web.example", "browser_id": self.browser_id},
            "requestContext": {
                "http": {
                    "method": method,
                    "path": path,
                    "protocol": "HTTP/1.1",
                    "sourceIp": "192.0.2.7",
                    "userAgent": "browser",
                },
                "stage": "$default",
                "requestId": "simulated",
            },
            "isBase64Encoded": False,
            "body": json.dumps(body) if body is not None else None,
        }
        self.world.lambdas.invoke("http", invocation, done)
