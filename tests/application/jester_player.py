"""A player of kind 30, in the spelling of one client. They know the board by their own moves and by
the arbiter's.
"""

import json
from typing import Any

import chess

from arbiter.core.game import Game
from arbiter.dialects.jester.wire import START, private_reference
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import SERVER, an_event

CLIENTS = ("jesterui", "amethyst", "nostr.blue")
US = ("p", SERVER.pubkey)


class JesterPlayer:
    """As `NativePlayer`. The last start is played."""

    def __init__(
        self, world: World, key: SecretKey, color: str = "white", client: str = "amethyst"
    ) -> None:
        self.world, self.key, self.pubkey = world, key, key.pubkey
        self.color, self.client = color, client
        self.start = self.head = ""
        self.history: list[str] = []

    def start_event(self, *tags: tuple[str, ...], **fields: Any) -> VerifiedEvent:
        """A start for the arbiter, with further tags and other fields."""
        content: dict[str, Any] = {"version": "0", "kind": 0, "history": [], "nonce": "abcdef42"}
        addressed: tuple[tuple[str, ...], ...] = (("e", START), US)
        match self.client:
            case "jesterui":
                addressed = (("e", private_reference(SERVER.pubkey)),)
            case "amethyst":
                content |= {"fen": chess.STARTING_FEN, "playerColor": self.color}
            case _:
                content |= {"player_color": self.color}
        event = self.event(content | fields, *addressed, *tags)
        self.start = self.head = event.id
        self.history = []
        return event

    def connect(self, *tags: tuple[str, ...]) -> list[VerifiedEvent]:
        return self.world.hear(self.start_event(*tags))

    def read(self) -> list[VerifiedEvent]:
        """The arbiter's events of kind 30 in this game, oldest first."""
        told = self.world.publisher.taken_events
        mine = [event for event in told if event.kind == 30 and ("e", self.start) in event.tags]
        return list({event.id: event for event in mine}.values())

    def notes(self) -> list[str]:
        """The arbiter's notes under this game, once each."""
        told = self.world.publisher.taken_events
        under = [event for event in told if event.kind == 1 and ("e", self.start) in event.tags]
        assert all(len(all_tags(event, "e")) == 1 for event in under)
        return list({event.id: event.content for event in under}.values())

    def board(self) -> chess.Board:
        """The position after the longest history."""
        for event in self.read():
            history = json.loads(event.content)["history"]
            is_move = len(all_tags(event, "e")) == 2
            if is_move and len(history) > len(self.history):
                assert history[:-1] == self.history
                self.history, self.head = history, event.id
        board = chess.Board()
        for san in self.history:
            board.push_san(san)
        return board

    def move_event(self, uci: str, **fields: Any) -> VerifiedEvent:
        """This move; what is not legal has no SAN."""
        board, move = self.board(), chess.Move.from_uci(uci)
        san = board.san_and_push(move) if board.is_legal(move) else "Zz9"
        fields = {"move": san, "history": [*self.history, san]} | fields
        return self.said(board, **fields)

    def advance(self, uci: str, event: VerifiedEvent) -> None:
        """Take this move, if it is one, for made."""
        board = self.board()
        if board.is_legal(chess.Move.from_uci(uci)):
            self.history.append(board.san(chess.Move.from_uci(uci)))
            self.head = event.id

    def move(self, uci: str) -> list[VerifiedEvent]:
        event = self.move_event(uci)
        self.advance(uci, event)
        return self.world.hear(event)

    def said(self, board: chess.Board, **fields: Any) -> VerifiedEvent:
        """An event of the game after this position."""
        content = {"version": "0", "kind": 1, "fen": board.fen(en_passant="fen"), **fields}
        named = () if self.client == "jesterui" else (US,)
        return self.event(content, ("e", self.start), ("e", self.head), *named)

    def offered(self) -> VerifiedEvent:
        board = self.board()
        doubled = [*self.history, *self.history[-1:]]
        last = self.history[-1] if self.history else None
        return self.said(board, move=last, history=doubled, draw_offered=True)

    def resignation(self) -> VerifiedEvent:
        result = "0-1" if self.color == "white" else "1-0"
        ended = {"history": self.history, "result": result, "termination": "resignation"}
        return self.said(self.board(), **ended)

    def offer(self) -> list[VerifiedEvent]:
        return self.world.hear(self.offered())

    def resign(self) -> list[VerifiedEvent]:
        return self.world.hear(self.resignation())

    def event(self, content: dict[str, Any], *tags: tuple[str, ...]) -> VerifiedEvent:
        self.world.clock.ms += 1000
        text = json.dumps(content, separators=(",", ":"))
        return an_event(self.key, 30, text, tags, self.world.clock.ms // 1000)

    @property
    def game(self) -> Game:
        """The game of the start, as stored."""
        (game,) = (
            game
            for game in self.world.games.by_id.values()
            if any(self.start in seat.address for seat in (game.white, game.black))
        )
        return game
