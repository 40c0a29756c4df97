"""The parts that the three living clients of kind 30 share: an event's parts, a game as a client
shows it, and the words that each of them spells in its own way.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import chess

JESTER = 30
# sha256 of the start position's FEN
START = "b1791d7fc9ae3d38966568c257ffb3a02cbf8394cdb4805bc70f64fc3c0b6879"
WHITE, BLACK = "white", "black"
RESIGNATION, DRAW_AGREEMENT = "resignation", "draw_agreement"

Event = dict[str, Any]
Filter = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """Tags and content of a kind 30 that is not signed yet."""

    tags: list[list[str]]
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """A game as one client shows it to one person.

    ``sans`` are the moves that the client would write again, ``complaint`` is empty or says why its
    board does not go on.
    """

    game: str
    head: str
    white: str | None
    black: str | None
    sans: tuple[str, ...] = ()
    fen: str = chess.STARTING_FEN
    result: str | None = None
    termination: str | None = None
    draw_offered: bool = False
    complaint: str = ""

    @property
    def ply(self) -> int:
        """The number of half-moves by the position's counters."""
        board = chess.Board(self.fen)
        return 2 * (board.fullmove_number - 1) + (board.turn is chess.BLACK)

    def opponent_of(self, pubkey: str) -> str | None:
        return self.black if pubkey == self.white else self.white

    def after(self, uci: str) -> tuple[str, "View"]:
        """The SAN of this move and the game after it, on this client's own board."""
        board = chess.Board(self.fen)
        move = chess.Move.from_uci(uci)
        san = board.san(move)
        board.push(move)
        return san, replace(self, sans=(*self.sans, san), fen=fen_of(board))


class Spelling(Protocol):
    """One client's way of writing, and of reading other clients."""

    def start(self, nonce: str, color: str, opponent: str | None) -> Draft:
        """A start by the player of this colour, against one opponent or anybody."""

    def view(self, start: Event, events: Sequence[Event], viewer: str) -> View:
        """The game, from all kind 30 that came, in the order of their arrival."""

    def move(self, view: View, uci: str, me: str) -> Draft:
        """The next move."""

    def resign(self, view: View, me: str) -> Draft:
        """The player gives up. AssertionError where the client has no word for it."""

    def start_filters(self, me: str) -> list[Filter]:
        """The filters of its lobby."""


def content_of(event: Event) -> dict[str, Any]:
    """The content's object; empty if it is none."""
    try:
        content = json.loads(event["content"])
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def values(event: Event, name: str) -> list[str]:
    """The second elements of all tags of this name, in order."""
    return [tag[1] for tag in event["tags"] if len(tag) > 1 and tag[0] == name]


def private_reference(pubkey: str) -> str:
    """The reference to one opponent in a start: two hashes of texts, not of bytes."""
    once = hashlib.sha256(pubkey.encode()).hexdigest()
    return hashlib.sha256(f"{once}{START}".encode()).hexdigest()


def fen_of(board: chess.Board) -> str:
    """The FEN with the en-passant square after every double step, as all three write it."""
    return board.fen(en_passant="fen")


def history_of(content: dict[str, Any]) -> list[str]:
    """The history; empty if it is absent or no list of texts."""
    history = content.get("history")
    if not isinstance(history, list) or not all(isinstance(san, str) for san in history):
        return []
    return history


def played(board: chess.Board, san: str) -> bool:
    """Push the move, if it is one here."""
    try:
        board.push_san(san)
    except ValueError:
        return False
    return True


def result_on(board: chess.Board) -> str | None:
    """The result by mate or stalemate; the clients look for no other end."""
    if board.is_checkmate() or board.is_stalemate():
        return board.result()
    return None


def seats(starter: str, color: object, opponent: str | None) -> tuple[str | None, str | None]:
    """White, then Black."""
    return (opponent, starter) if color == BLACK else (starter, opponent)
