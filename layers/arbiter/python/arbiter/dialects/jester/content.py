"""The JSON in a kind 30 event: a start, or what is said in a game, with its history replayed.

Invariant: reading returns a value or a text for any input, and replays a bounded number of moves.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import chess

from arbiter.core.game import BLACK, WHITE
from arbiter.nostr.limits import MAX_EVENT_BYTES
from arbiter.nostr.strict_json import read_json

STARTING, SAID = 0, 1

MAX_PLIES = 600
"""How long a history is replayed: 20 ms. The longest game of a tournament had 538 half-moves."""

MAX_FEN_CHARS = 128

_SAN = re.compile(r"[A-Za-z0-9=+#-]{1,10}")
_COLORS = {"white": WHITE, "black": BLACK}
_POSITION_FIELDS = 3


@dataclass(frozen=True, slots=True)
class Start:
    """A game begins, and its author has this colour. ``flaw`` says what in it cannot be read."""

    color: chess.Color = WHITE
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """An event of a game. ``line`` are its half-moves (UCI) in order; the last one is the author's
    SAN where no legal move is written so, and the history is right up to there. Where it is wrong
    before, there is no line, and ``flaw`` says so. ``result`` and ``termination`` are unchecked
    text.
    """

    line: tuple[str, ...]
    san: str | None
    fen: str | None
    has_move: bool = True
    result: str | None = None
    termination: str | None = None
    offers_draw: bool = False
    flaw: str | None = None


def is_start(text: str) -> bool:
    """Whether the content is a start's, flawed or not. No history is replayed."""
    value = read_json(text, MAX_EVENT_BYTES)
    return isinstance(value, Mapping) and type(value.get("kind")) is int and value["kind"] == 0


def read_content(text: str) -> Start | Said | str:
    """The content of an event, or what is wrong with it."""
    value = read_json(text, MAX_EVENT_BYTES)
    if not isinstance(value, Mapping):
        return "the content is a JSON object"
    # ``type(...) is int``: to isinstance a bool is an int.
    kind = value.get("kind") if type(value.get("kind")) is int else None
    if kind == STARTING:
        return _start(value)
    if kind == SAID:
        return _said(value)
    return "kind is 0 or 1"


def _start(value: Mapping[str, object]) -> Start:
    # jesterui takes only a history that is there and empty for a start.
    if value.get("history") != []:
        return Start(flaw="a start has an empty history")
    fen = value.get("fen", chess.STARTING_FEN)
    if not isinstance(fen, str) or fen.split()[:4] != chess.STARTING_FEN.split()[:4]:
        return Start(flaw="games begin in the usual position")
    # Amethyst has the one field, nostr.blue the other.
    named = [value[name] for name in ("playerColor", "player_color") if value.get(name) is not None]
    colors = {_COLORS.get(name) if isinstance(name, str) else None for name in named}
    if len(colors) > 1 or None in colors:
        return Start(flaw="playerColor is white or black")
    return Start(next((color for color in colors if color is not None), WHITE))


def _said(value: Mapping[str, object]) -> Said | str:
    history, fen, move = value.get("history"), value.get("fen"), value.get("move")
    if not isinstance(history, list) or len(history) > MAX_PLIES:
        return f"history lists all moves, {MAX_PLIES} at most"
    if not isinstance(fen, str | None) or len(fen or "") > MAX_FEN_CHARS:
        return "fen is a text"
    # "Nf3!" is an annotation (PGN standard, 8.2.3.8).
    moves = [one.rstrip("!?") if isinstance(one, str) else "?" for one in history]
    # Before the first move nostr.blue repeats a last move that is not there.
    while moves and not moves[-1]:
        moves.pop()
    if not all(map(_SAN.fullmatch, moves)):
        return "history lists moves in SAN"
    line = _replayed(moves, fen)
    return Said(
        line=line or (),
        san=moves[len(line) - 1] if line else None,
        fen=fen,
        has_move=isinstance(move, str),
        result=_text(value, "result"),
        termination=_text(value, "termination"),
        offers_draw=value.get("draw_offered") is True,
        flaw="the moves of history do not follow from each other" if line is None else None,
    )


def _text(value: Mapping[str, object], name: str) -> str | None:
    found = value.get(name)
    return found if isinstance(found, str) else None


def _replayed(moves: Sequence[str], fen: str | None) -> tuple[str, ...] | None:
    """The moves as UCI; None if one before the last is not legal.

    nostr.blue writes the last move twice where it ends a game or offers a draw. Both sides can
    castle or take with one spelling: then the claimed position decides.
    """
    board, line = chess.Board(), list[str]()
    for at, san in enumerate(moves):
        is_last = at == len(moves) - 1
        is_repeated = is_last and at > 0 and san == moves[at - 1]
        if is_repeated and _is_position(board, fen):
            break
        try:
            move = board.parse_san(san)
        except ValueError:
            if is_repeated:
                break
            return (*line, san) if is_last else None
        line.append(move.uci())
        board.push(move)
    return tuple(line)


def _is_position(board: chess.Board, fen: str | None) -> bool:
    """Whether pieces, turn and castling rights are those of the FEN."""
    return fen is not None and fen.split()[:_POSITION_FIELDS] == board.fen().split()[:3]
