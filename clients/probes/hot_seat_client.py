"""A client of the chessgame-backend API, as a page in a browser was written for the original.

Invariant: it knows the original's shapes and nothing of the arbiter or of chess; an answer that
differs in a key, a type, a time or the order of the 64 squares fails. More fields are kept in
``extra``.
"""

import datetime as dt
import json
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clients.probes.http_client import Answer, HttpConnection, strict_json

Id = int | str

SQUARES = tuple(f"{file}{rank}" for rank in "87654321" for file in "abcdefgh")

_PIECES = frozenset("PNBRQK")
_COLORS = frozenset("WB")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_TIMES = frozenset({"createdAt", "updatedAt"})
_GAME_KEYS = _TIMES | {"id", "browser_id"}
_BOARD_KEYS = _TIMES | {"id", "game_id", "board", "score", "turn_player", "move_number"}
_MOVE_KEYS = _TIMES | {*("id", "game_id", "player", "flag", "move_number", "from", "to", "piece")}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRow:
    """``game`` of ``POST /new-game``."""

    id: Id
    browser_id: str
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardRow:
    """A ``board``: a FEN's first field, captures by colour and piece, and who made the move ("":
    none).
    """

    id: Id
    game_id: Id
    placement: str
    score: Mapping[str, Mapping[str, int]]
    turn_player: str
    move_number: int
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveRow:
    """A ``move``; ``flag`` is ``-``, or ``x`` for a capture."""

    id: Id
    game_id: Id
    player: str
    flag: str
    move_number: int
    from_square: str
    to_square: str
    piece: str
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moved:
    """``GET /make-move`` where it was accepted."""

    board: BoardRow
    move: MoveRow
    extra: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refused:
    """``{"error": …}`` and its status."""

    status: int
    error: str


class ChessgameClient:
    """One browser, which sends its id with every request from its first new game on."""

    def __init__(self, base_url: str, browser_id: str | None = None) -> None:
        """With a ``browser_id`` it is a browser that comes back."""
        self.browser_id = browser_id
        self.http = HttpConnection(base_url)

    def root(self) -> Any:
        """``GET /``."""
        return _ok(self.get("/"))

    def new_game(self, chosen_id: str | None = None) -> tuple[GameRow, BoardRow] | Refused:
        """Start a game, under an id of the server's or of our own choice."""
        if chosen_id is None:
            answer = self.request("POST", "/new-game")
        else:
            body = json.dumps({"browser_id": chosen_id}).encode()
            headers = {"Content-Type": "application/json"}
            answer = self.request("POST", "/new-game", headers, body)
        if answer.status != 200:
            return refused(answer)
        told = _object(_ok(answer), {"game", "board"})
        game = _game(told["game"])
        board = _board(told["board"])
        assert board.game_id == game.id
        assert chosen_id in (None, game.browser_id)
        self.browser_id = game.browser_id
        return game, board

    def load_game(self, query: str = "") -> tuple[BoardRow, tuple[MoveRow, ...]] | Refused:
        """``GET /load-game``: the last board, and the moves with the newest first."""
        answer = self.get(f"/load-game{query}")
        if answer.status != 200:
            return refused(answer)
        told = _object(_ok(answer), {"board", "moves"})
        board = _board(told["board"])
        assert isinstance(told["moves"], list)
        moves = tuple(_move(move) for move in told["moves"])
        assert all(move.game_id == board.game_id for move in moves)
        numbers = [move.move_number for move in moves]
        assert numbers == sorted(numbers, reverse=True), "the newest move comes first"
        assert len({move.id for move in moves}) == len(moves)
        return board, moves

    def legal_moves(self, square: str) -> tuple[str, ...] | Refused:
        """The squares to which the piece on this square may go."""
        answer = self.get(f"/legal-moves/{_quoted(square)}")
        if answer.status != 200:
            return refused(answer)
        squares = _ok(answer)
        assert isinstance(squares, list)
        assert set(squares) <= set(SQUARES), squares
        assert len(set(squares)) == len(squares), "a square to click on is listed once"
        return tuple(squares)

    def make_move(self, from_square: str, to_square: str, query: str = "") -> Moved | Refused:
        """Play; ``query`` may be ``?promotion=n``."""
        answer = self.get(f"/make-move/{_quoted(from_square)}/{_quoted(to_square)}{query}")
        if answer.status != 200:
            return refused(answer)
        told = _object(_ok(answer), {"board", "move"})
        board = _board(told["board"])
        move = _move(told["move"])
        assert move.game_id == board.game_id
        assert (move.player, move.move_number) == (board.turn_player, board.move_number)
        assert (move.from_square, move.to_square) == (from_square, to_square)
        extra = {key: value for key, value in told.items() if key not in {"board", "move"}}
        return Moved(board, move, extra)

    def get(self, path: str) -> Answer:
        """``GET`` with our ``browser_id``, if there is one yet."""
        return self.request("GET", path)

    def request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Any request, as a page of another origin makes it; its answer must be open to that."""
        sent = {"Origin": "https://chess-front.example"} | dict(headers or {})
        if self.browser_id is not None:
            sent["browser_id"] = self.browser_id
        answer = self.http.request(method, path, sent, body)
        assert answer.headers.get("access-control-allow-origin") == "*", answer
        return answer


def refused(answer: Answer) -> Refused:
    """A refusal of the original's shape: an object with ``error`` and nothing else."""
    told = answer.json()
    assert isinstance(told, dict), told
    assert list(told) == ["error"], told
    assert isinstance(told["error"], str)
    return Refused(answer.status, told["error"])


def _quoted(segment: str) -> str:
    return urllib.parse.quote(segment, safe="")


def _ok(answer: Answer) -> Any:
    assert answer.status == 200, answer
    assert answer.media_type == "application/json"
    return answer.json()


def _object(value: object, keys: frozenset[str] | set[str]) -> dict[str, Any]:
    assert isinstance(value, dict), value
    assert keys <= value.keys(), f"missing {sorted(keys - value.keys())} in {value}"
    return value


def _row(value: object, keys: frozenset[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    row = _object(value, keys)
    for name in ("id", "game_id"):
        if name in keys:
            assert isinstance(row[name], int | str), row
            assert not isinstance(row[name], bool), row
            assert row[name] != "", row
    for name in _TIMES:
        assert isinstance(row[name], str), row
        assert _TIME.fullmatch(row[name]), row[name]
        dt.datetime.fromisoformat(row[name])
    if "move_number" in keys:
        assert type(row["move_number"]) is int, row
    return row, {key: found for key, found in row.items() if key not in keys}


def _game(value: object) -> GameRow:
    row, extra = _row(value, _GAME_KEYS)
    assert isinstance(row["browser_id"], str)
    assert row["browser_id"]
    return GameRow(id=row["id"], browser_id=row["browser_id"], extra=extra)


def _board(value: object) -> BoardRow:
    row, extra = _row(value, _BOARD_KEYS)
    assert row["turn_player"] in _COLORS | {""}
    assert (row["turn_player"] == "") == (row["move_number"] == 0)
    return BoardRow(
        id=row["id"],
        game_id=row["game_id"],
        placement=_placement(row["board"]),
        score=_score(row["score"]),
        turn_player=row["turn_player"],
        move_number=row["move_number"],
        extra=extra,
    )


def _move(value: object) -> MoveRow:
    row, extra = _row(value, _MOVE_KEYS)
    assert row["player"] in _COLORS
    assert row["flag"] in {"-", "x"}
    assert row["move_number"] > 0
    assert row["from"] in SQUARES
    assert row["to"] in SQUARES
    assert row["piece"] in _PIECES
    return MoveRow(
        id=row["id"],
        game_id=row["game_id"],
        player=row["player"],
        flag=row["flag"],
        move_number=row["move_number"],
        from_square=row["from"],
        to_square=row["to"],
        piece=row["piece"],
        extra=extra,
    )


def _placement(text: object) -> str:
    """The board inside the board, as the first field of a FEN."""
    assert isinstance(text, str), "the board is JSON in a string"
    squares = strict_json(text)
    assert isinstance(squares, dict)
    assert tuple(squares) == SQUARES, "a8…h8, a7…h1"
    letters = [_letter(squares[square]) for square in SQUARES]
    ranks = ("".join(letters[start : start + 8]) for start in range(0, 64, 8))
    return "/".join(re.sub(r"\.+", lambda empty: str(len(empty.group())), rank) for rank in ranks)


def _letter(square: object) -> str:
    assert isinstance(square, dict), square
    assert set(square) == {"color", "piece"}, square
    color, piece = square["color"], square["piece"]
    if color == "":
        assert piece is None, square
        return "."
    assert color in _COLORS, square
    assert piece in _PIECES, square
    return str(piece) if color == "W" else str(piece).lower()


def _score(text: object) -> Mapping[str, Mapping[str, int]]:
    assert isinstance(text, str), "the score is JSON in a string"
    score = strict_json(text)
    assert isinstance(score, dict)
    assert set(score) == _COLORS
    for captures in score.values():
        assert isinstance(captures, dict)
        assert _PIECES - {"K"} <= captures.keys() <= _PIECES, score
        assert all(type(count) is int and count >= 0 for count in captures.values()), score
    return score
