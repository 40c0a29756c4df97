"""A player of ssb-chess: their log, and what they read in ours."""

import json

import chess

from arbiter.core.game import Game
from arbiter.dialects.outgoing import SsbMessage
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.keys import placeholder_key
from tests.application.world import World
from tests.builders import SERVER
from tests.envelopes import US, Content, a_feed, a_message, an_envelope


class SsbPlayer:
    """One feed with its games, each by the key of its invitation. The last one is played."""

    def __init__(self, world: World, name: str, color: str = "white") -> None:
        self.world, self.name, self.color = world, name, color
        self.feed = a_feed(name)
        self.pubkey = placeholder_key(SERVER.pubkey, "ssb", self.feed)
        self.number = 0
        self.invites: dict[str, tuple[str, str, Content]] = {}
        self.root = ""

    def envelope(
        self,
        content: Content,
        *,
        root: str | None = None,
        is_private: bool = False,
        fork: Content | None = None,
    ) -> VerifiedEvent:
        """The next message on their log."""
        self.number += 1
        self.world.clock.ms += 1000
        key = a_message(f"{self.name} {self.number}")
        invite = self.invites.get(root or self.root)
        if content.get("type") == "chess_invite":
            invite = None
            self.invites[key] = (key, self.feed, content)
        at = self.world.clock.ms // 1000
        return an_envelope(self.feed, key, content, invite, is_private=is_private, fork=fork, at=at)

    def say(
        self, content: Content, *, root: str | None = None, is_private: bool = False
    ) -> list[VerifiedEvent]:
        """Say it, and have it heard; what was published on Nostr because of it."""
        return self.world.hear(self.envelope(content, root=root, is_private=is_private))

    def invitation(self, color: str = "white", **more: object) -> VerifiedEvent:
        """The envelope that invites our feed."""
        envelope = self.envelope({"type": "chess_invite", "inviting": US, "myColor": color, **more})
        self.root = json.loads(envelope.content)["key"]
        return envelope

    def invite(self, color: str = "white", **more: object) -> list[VerifiedEvent]:
        return self.world.hear(self.invitation(color, **more))

    def accept(self, invitation: SsbMessage, key: str) -> None:
        """Take up our invitation, which the bridge has published under this key."""
        self.invites[key] = (key, US, dict(invitation.content))
        self.root = key

    @property
    def game(self) -> Game:
        """The game that their invitation led to, as stored."""
        (game,) = self.games()
        return game

    def games(self) -> list[Game]:
        return [
            game
            for game in self.world.games.by_id.values()
            if any(f" {self.root} " in seat.address for seat in (game.white, game.black))
        ]

    def read(self, *types: str, root: str | None = None) -> list[Content]:
        """Messages on our log under a root, of these types (or any), oldest first."""
        return [
            dict(said.content)
            for said in self.world.outbox.said
            if said.root == (root or self.root)
            and (not types or said.content["type"] in types)
            and (not said.recps or said.recps == (self.feed,))
        ]

    def move_content(self, uci: str, **more: object) -> Content:
        """A move as their client writes it: inside the end, if it ends the game."""
        board = next((game.board().copy() for game in self.games()), chess.Board())
        move = chess.Move.from_uci(uci)
        ply, is_legal = board.ply() + 1, board.is_legal(move)
        san = board.san(move) if is_legal else uci
        if is_legal:
            board.push(move)
        fields: Content = {
            "ply": ply,
            "root": self.root,
            "orig": chess.square_name(move.from_square),
            "dest": chess.square_name(move.to_square),
            "pgnMove": san,
            "fen": board.fen(),
        }
        if not (is_legal and board.is_game_over()):
            promotion = {"promotion": chess.piece_symbol(move.promotion)} if move.promotion else {}
            return {"type": "chess_move", **fields, **promotion, **more}
        # ssb-chess 4.0.2 leaves `promotion` out here.
        status = "mate" if board.is_checkmate() else "draw"
        return {"type": "chess_game_end", "status": status, **fields, **more}

    def move(self, uci: str, **more: object) -> list[VerifiedEvent]:
        return self.say(self.move_content(uci, **more))

    def end(self, status: str, **more: object) -> list[VerifiedEvent]:
        return self.say({"type": "chess_game_end", "root": self.root, "status": status, **more})

    def chat(self, text: str, *, is_private: bool = True) -> list[VerifiedEvent]:
        """Write into the game's chat."""
        content = {"type": "chess_chat", "root": self.root, "msg": text}
        return self.say(content, is_private=is_private)

    # The same words as on the other wires.

    def connect(self) -> object:
        return self.invite(self.color)

    def offer(self) -> object:
        return self.chat("/draw")

    def resign(self) -> object:
        return self.end("resigned")
