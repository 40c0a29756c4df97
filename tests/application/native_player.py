"""Players on relays: one of the native dialect, and one of the toy dialect, who knows the board by
what is published.
"""

import chess

from arbiter.nostr.event import VerifiedEvent, first_tag
from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import SERVER, an_event
from tests.dialects.toy import ASK, MOVE


class NativePlayer:
    """As `SocketPlayer`, on relays."""

    def __init__(self, world: World, key: SecretKey) -> None:
        self.world, self.key, self.pubkey = world, key, key.pubkey

    def connect(self) -> object:
        self.world.clock.ms += 1000
        return self.world.ask(self.key)

    def move(self, uci: str) -> object:
        self.world.clock.ms += 1000
        game_id = self.world.lobby.player(self.key.pubkey).game_id or ""
        tags = (("d", game_id), ("p", SERVER.pubkey))
        return self.world.hear(an_event(self.key, 20303, uci, tags, self.world.clock.ms // 1000))

    def offer(self) -> object:
        return self.move("draw")

    def resign(self) -> object:
        return self.move("resign")


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
            if first_tag(event, "ply") == ("ply", str(board.ply() + 1)):
                board.push_san(event.content)
        return board

    def _received(self, kind: int) -> list[VerifiedEvent]:
        told = self.world.publisher.taken_events
        return [it for it in told if it.kind == kind and ("p", self.pubkey) in it.tags]

    def _send(self, kind: int, text: str) -> object:
        self.world.clock.ms += 1000
        named = [it for it in self._received(ASK) if it.content in {"white", "black"}]
        games = [tag for it in named[-1:] if (tag := first_tag(it, "d"))]
        tags = (("p", SERVER.pubkey), *games)
        return self.world.hear(an_event(self.key, kind, text, tags, self.world.clock.ms // 1000))
