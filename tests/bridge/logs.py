"""A log in memory that answers as the peer does, and messages to fill it with."""

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bridge.peer_log import ACCEPTS, CONTACT, GameFacts, Message


def feed(name: str) -> str:
    return f"@{base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()}.ed25519"


def key(name: str) -> str:
    return f"%{base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()}.sha256"


US, ANNA, BERT, CARL = feed("us"), feed("anna"), feed("bert"), feed("carl")


class Author:
    """A feed's author, who writes one message after the other."""

    def __init__(self, author: str) -> None:
        self.id = author
        self._written = 0

    def writes(self, content: Mapping[str, Any], *, private: bool = False) -> Message:
        self._written += 1
        return Message(
            key=key(f"{self.id} {self._written}"),
            author=self.id,
            sequence=self._written,
            timestamp=1_700_000_000_000.0 + self._written,
            private=private,
            content=content,
            at=-1,
        )

    def invites(self, whom: str, **more: object) -> Message:
        return self.writes({"type": "chess_invite", "inviting": whom, "myColor": "white", **more})

    def accepts(self, invite: Message) -> Message:
        return self.writes({"type": "chess_invite_accept", "root": invite.key})

    def moves(self, invite: Message, ply: int, uci: str) -> Message:
        move = {"orig": uci[:2], "dest": uci[2:4], "ply": ply}
        return self.writes({"type": "chess_move", "root": invite.key, **move})

    def resigns(self, invite: Message) -> Message:
        return self.writes({"type": "chess_game_end", "root": invite.key, "status": "resigned"})

    def follows(self, whom: str, *, following: bool = True) -> Message:
        return self.writes({"type": CONTACT, "contact": whom, "following": following})


class ArrivedLog:
    """The messages that have arrived at our peer, at the places 10, 20 and so on."""

    def __init__(self, us: str = US) -> None:
        self.us = us
        self.messages: list[Message] = []
        self.forked: dict[str, tuple[int, str]] = {}

    def arrive(self, message: Message) -> Message:
        placed = Message(
            key=message.key,
            author=message.author,
            sequence=message.sequence,
            timestamp=message.timestamp,
            private=message.private,
            content=message.content,
            at=10 * (len(self.messages) + 1),
            nth=1 + sum(it.author == message.author for it in self._of_game(message)),
        )
        self.messages.append(placed)
        return placed

    def messages_after(self, after: int) -> Sequence[Message]:
        return [it for it in self.messages if it.at > after][:3]

    def facts(self, root: str) -> GameFacts | None:
        invite = next((it for it in self.messages if it.key == root and it.is_invite), None)
        if invite is None:
            return None
        players = invite.author, str(invite.content["inviting"])
        game = [it for it in self._game(root) if it.author in (*players, self.us)]
        accepts = (
            it
            for it in game
            if it.content["type"] in ACCEPTS and it.author == invite.content["inviting"]
        )
        played = [it for it in game if it.content["type"] != "chess_chat"]
        return GameFacts(
            invite=invite,
            accept=next(accepts, None),
            follows={player: self._changes(player) for player in players},
            newest=played[-1].key,
        )

    def thread(self, root: str, until: int) -> Iterator[Message]:
        if self.facts(root) is not None:
            yield from (it for it in self._game(root) if it.at <= until)

    def games(self, of: str) -> Sequence[str]:
        invites = (it for it in self.messages if it.is_invite)
        return [it.key for it in invites if of in (it.author, it.content["inviting"])]

    def forks(self) -> Mapping[str, tuple[int, str]]:
        return self.forked

    def _game(self, root: str) -> list[Message]:
        return [it for it in self.messages if it.content["type"] != CONTACT and it.root == root]

    def _of_game(self, message: Message) -> list[Message]:
        return [] if message.content["type"] == CONTACT else self._game(message.root)

    def _changes(self, player: str) -> list[tuple[int, bool]]:
        changes: list[tuple[int, bool]] = []
        for it in self.messages:
            if it.author == player and it.content["type"] == CONTACT:
                following = bool(it.content["following"])
                if following != (changes[-1][1] if changes else False):
                    changes.append((it.at, following))
        return changes
