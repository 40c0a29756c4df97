"""Items of the table, read by the checker's own eyes.

The layout is the one that the arbiter's docstrings tell; it was written anew here, so that a fault
of packing shows as well as a fault of judgement.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Item = Mapping[str, Any]

_FILES = "abcdefgh"
_PROMOTIONS = {0: "", 2: "n", 3: "b", 4: "r", 5: "q"}

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One colour's place in a stored game. ``answered`` holds the refused event keys."""

    player: str
    dialect: str
    clock_ms: int | None
    strikes: int
    answered: tuple[str, ...]
    left_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A game as its item has it: moves in UCI, event keys of 16 digits, colours ``w`` and ``b``."""

    id: str
    version: int
    state_version: int
    changed_ms: int
    white: Side
    black: Side
    start_fen: str
    is_960: bool
    is_rated: bool
    moves: tuple[str, ...]
    applied: tuple[str, ...]
    termination: str | None
    winner: str | None
    time: str | None
    since_ms: int | None
    offer: tuple[str, str] | None
    next_game: str | None

    @property
    def is_over(self) -> bool:
        return self.termination is not None

    @property
    def result(self) -> str:
        if self.termination is None or self.termination == "aborted":
            return "*"
        return {"w": "1-0", "b": "0-1", None: "1/2-1/2"}[self.winner]

    @property
    def turn(self) -> str:
        begins_white = self.start_fen.split()[1] == "w"
        return "w" if begins_white == (len(self.moves) % 2 == 0) else "b"

    def side(self, color: str) -> Side:
        return self.white if color == "w" else self.black

    def color_of(self, pubkey: str) -> str | None:
        for color in ("w", "b"):
            if self.side(color).player == pubkey:
                return color
        return None


def read_game(item: Item) -> Stored:
    """The game that an item holds. KeyError or ValueError if it holds none."""
    return Stored(
        id=_text(item["pk"]).removeprefix("g#"),
        version=_number(item, "v"),
        state_version=_number(item, "en", 1),
        changed_ms=_number(item, "u"),
        white=_side(item, "w"),
        black=_side(item, "b"),
        start_fen=_text(item["f"]) if "f" in item else START,
        is_960="va" in item and _text(item["va"]) == "chess960",
        is_rated="r" in item,
        moves=_moves(_octets(item, "m")),
        applied=event_keys(_octets(item, "e")),
        termination=_text(item["o"]) if "o" in item else None,
        winner=_text(item["x"]) if "x" in item else None,
        time=_text(item["tc"]) if "tc" in item else None,
        since_ms=_number(item, "tn") if "tn" in item else None,
        offer=_offer(_text(item["of"])) if "of" in item else None,
        next_game=_octets(item, "nx").hex() or None,
    )


def _side(item: Item, color: str) -> Side:
    return Side(
        player=_identity(item[color]),
        dialect=_text(item[color + "d"]) if color + "d" in item else "native",
        clock_ms=_number(item, color + "c") if color + "c" in item else None,
        strikes=_number(item, color + "s", 0),
        answered=event_keys(_octets(item, color + "r")),
        left_ms=_number(item, color + "l") if color + "l" in item else None,
    )


def _moves(octets: bytes) -> tuple[str, ...]:
    words = (octets[at] << 8 | octets[at + 1] for at in range(0, len(octets), 2))
    return tuple(map(_move, words))


@lru_cache(maxsize=10_000)
def _move(word: int) -> str:
    return _square(word >> 9 & 63) + _square(word >> 3 & 63) + _PROMOTIONS[word & 7]


def _square(number: int) -> str:
    return f"{_FILES[number % 8]}{number // 8 + 1}"


def event_keys(octets: bytes) -> tuple[str, ...]:
    return tuple(octets[at : at + 8].hex() for at in range(0, len(octets), 8))


def _offer(text: str) -> tuple[str, str] | None:
    # What follows is where the one who offers wants to sit next.
    kind, color = [*text.split(" ", 2), ""][:2]
    return (kind, color) if kind else None


def _number(item: Item, name: str, default: int | None = None) -> int:
    if name not in item and default is not None:
        return default
    return int(item[name]["N"])


def _text(value: Mapping[str, Any]) -> str:
    text: str = value["S"]
    return text


def _octets(item: Item, name: str) -> bytes:
    if name not in item:
        return b""
    octets: bytes = item[name]["B"]
    return bytes(octets)


def _identity(value: Mapping[str, Any]) -> str:
    return bytes(value["B"]).hex() if "B" in value else _text(value)
