"""A player of the toy dialect, who knows the board by what is published."""

import chess

from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import SecretKey
from tests.application.talk import tag
from tests.application.world import World
from tests.builders import SERVER, an_event
from tests.dialects.toy import ASK, MOVE


class ToyPlayer:
    """As `SocketPlayer`, on relays and in SAN."""

    def __init__(self, world: World, key: SecretKey) -> None:
        self.world, self.key, self.pubkey = world, key, key.pubkey

    def connect(self) -> object:
        return self._send(ASK, "play")

    def move(self, uci: str) -> object:
        move = chess.Move.from_uci(uci)
        board = self._board()
        # What is not legal has no SAN.
        san = board.san(move) if board.is_legal(move) else "Ra8"
        return self._send(MOVE, f"{san} {uci}")

    def offer(self) -> object:
        return self._send(MOVE, "draw")

    def resign(self) -> object:
        return self._send(MOVE, "resign")

    def _board(self) -> chess.Board:
        """The board after each move that was published, in order."""
        board = chess.Board()
        for event in self._received(MOVE):
            if tag(event, "ply") == (str(board.ply() + 1),):
                board.push_san(event.content)
        return board

    def _received(self, kind: int) -> list[VerifiedEvent]:
        return [
            event
            for event in self.world.publisher.taken_events
            if event.kind == kind and ("p", self.pubkey) in event.tags
        ]

    def _send(self, kind: int, text: str) -> object:
        self.world.clock.ms += 1000
        colors = [one for one in self._received(ASK) if one.content in {"white", "black"}]
        tags = (("p", SERVER.pubkey), *(("d", *(tag(one, "d") or ())) for one in colors[-1:]))
        return self.world.hear(an_event(self.key, kind, text, tags, self.world.clock.ms // 1000))
