"""Scuttlebutt, read by the checker's own eyes: players' logs, and the arbiter's.

A message counts as signed by the stand-in of its feed, which is computed here anew; its word is
what a native player would have said in its place.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from coincurve import PublicKeyXOnly

from tests.simulation.checker.wire import LETTER, Event
from tests.simulation.history import ARBITER, Authored, History, of_kind

DIALECT = "ssb"
KEY_CHARS = 45
LINE_CHARS = 140
NO_REFUSAL = frozenset({"disputed", "result"})
"""Reasons of verdicts by which nothing is refused."""


@dataclass(frozen=True, slots=True)
class Uttered:
    """What the arbiter wrote into its log: ``at`` is the place among happenings."""

    at: int
    key: str
    content: Mapping[str, Any]
    recps: tuple[str, ...]

    @property
    def id(self) -> str:
        """The utterance's own."""
        return str(self.content.get("utterance"))


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said beside a game, as it is carried to another wire: ``author`` is the
    stand-in of his feed.
    """

    at: int
    author: str
    text: str
    is_private: bool


class Logs:
    """All logs of a history."""

    def __init__(self, history: History) -> None:
        self._server = history.servers[-1]
        self._written = [
            (at, one) for at, one in enumerate(history.happenings) if isinstance(one, Authored)
        ]
        self.contents = {one.key: json.loads(one.content) for _, one in self._written}
        self.authors = {one.key: one.author for one in of_kind(history.happenings, Authored)}

    @cached_property
    def events(self) -> tuple[tuple[int, Event], ...]:
        """Players' messages as events, each under the id by which games remember it."""
        return tuple((at, self._event(one)) for at, one in self._written if one.who != ARBITER)

    @cached_property
    def uttered(self) -> tuple[Uttered, ...]:
        """The arbiter's own log."""
        return tuple(
            Uttered(at, one.key, self.contents[one.key], one.recps)
            for at, one in self._written
            if one.who == ARBITER
        )

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All chat of others than the arbiter."""
        return tuple(
            Line(
                at,
                stand_in(self._server, one.author),
                " ".join(str(self.contents[one.key].get("msg")).split())[:LINE_CHARS],
                is_private=bool(one.recps),
            )
            for at, one in self._written
            if one.who != ARBITER
            and str(self.contents[one.key].get("type")).removeprefix("ssb_") == "chess_chat"
        )

    @cached_property
    def verdicts(self) -> tuple[tuple[int, str, str], ...]:
        """Every refusal in the arbiter's log: when, of which message (its id), and why."""
        return tuple(self._verdicts())

    def _verdicts(self) -> Iterator[tuple[int, str, str]]:
        for one in self.uttered:
            verdict = one.content.get("verdict")
            if verdict is not None and verdict["reason"] not in NO_REFUSAL:
                yield one.at, id_of(verdict["about"]), verdict["reason"]

    def _event(self, one: Authored) -> Event:
        content = self.contents[one.key]
        word, root = self._word(one.key, content)
        tags = [("root", root)]
        if word == "invite":
            tags.append(("color", str(content.get("myColor"))))
        return Event(
            id=id_of(one.key),
            pubkey=stand_in(self._server, one.author),
            created_at=one.at_ms // 1000,
            kind=LETTER,
            tags=tuple(tags),
            content=word,
            is_genuine=True,
        )

    def _word(self, key: str, content: Mapping[str, Any]) -> tuple[str, str]:
        """What a message means, and the root of the game that it is about."""
        kind, root = str(content.get("type")).removeprefix("ssb_"), str(content.get("root"))
        match kind:
            case "chess_invite":
                return ("rematch", root) if "root" in content else ("invite", key)
            case "chess_invite_accept":
                # Of our own invitation: then it is about the game before.
                before = self.contents.get(root, {}).get("root")
                return ("rematch", str(before)) if before else ("accept", root)
            case "chess_move":
                return move_of(content), root
            case "chess_game_end" if content.get("status") == "resigned":
                return "resign", root
            case "chess_game_end" if content.get("orig") is not None:
                return move_of(content), root
            case "chess_game_end" if content.get("status") == "draw":
                return "draw", root
            case "chess_chat" if str(content.get("msg")).strip().lower() == "/draw":
                return "draw", root
            case _:
                return "", root


def move_of(content: Mapping[str, Any]) -> str:
    """The move that a message brings, as UCI if it is one."""
    said = [content.get("orig"), content.get("dest"), content.get("promotion", "")]
    return "".join(map(str, said))


def id_of(key: str) -> str:
    """The 64 hex digits of a message's key."""
    return base64.b64decode(key[1:KEY_CHARS]).hex()


def root_of(address: str) -> str:
    """The invitation that a seat's address names."""
    return [*address.split(" "), ""][1]


@lru_cache(maxsize=1000)
def stand_in(server: str, feed: str) -> str:
    """The public key in the seat of a feed: a hash, and hashed again until it is on the curve."""
    told = hashlib.sha256(b"arbiter/stand-in/1")
    for part in (bytes.fromhex(server), DIALECT.encode(), feed.encode()):
        told.update(len(part).to_bytes(4, "big") + part)
    point = told.digest()
    while True:
        try:
            PublicKeyXOnly(point)
        except ValueError:
            point = hashlib.sha256(point).digest()
        else:
            return point.hex()
