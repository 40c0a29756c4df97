"""What happened, as one JSON object a line, for programs.

The law: every object has a ``type``; a type's fields do not change their meaning. Text is ASCII
JSON, so that no line ever holds a control character.
"""

import json
from typing import assert_never

import chess

from clients.terminal.commands import HELP
from clients.terminal.happenings import (
    Asked,
    BoardWanted,
    Ended,
    GameView,
    HelpWanted,
    Kept,
    Moved,
    MoveSent,
    MovesWanted,
    NoAnswer,
    Notice,
    PgnWanted,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Started,
)
from clients.terminal.record import move_rows
from clients.terminal.wire import color_name


def json_line(value: dict[str, object]) -> str:
    """One object on one line, without the newline."""
    return json.dumps(value, separators=(",", ":"))


def as_json(notice: Notice) -> dict[str, object]:  # noqa: PLR0912, C901 - as wording.py
    """The notice as an object."""
    match notice:
        case RelayFound(url, connected, _):
            return {"type": "connected", "relay": url, "connected": connected}
        case RelayLost(url, why, connected):
            return {"type": "disconnected", "relay": url, "connected": connected, "why": why}
        case Queued():
            return {"type": "queued"}
        case NoAnswer(seconds):
            return {"type": "no-answer", "seconds": seconds}
        case Started(game, resumed):
            return {
                "type": "started",
                "game": game.id,
                "color": color_name(game.color),
                "opponent": game.opponent,
                "resumed": resumed,
            }
        case Moved(game, san):
            return _state(game) | {"san": san}
        case MoveSent(content, san, event_id, again):
            return {
                "type": "sent",
                "content": content,
                "san": san,
                "event": event_id,
                "again": again,
            }
        case Kept(san):
            return {"type": "kept", "san": san}
        case Refused(source, code, text, mine):
            return {"type": "error", "source": source, "code": code, "text": text, "mine": mine}
        case Ended(game):
            return _ended(game)
        case RecordCame(game):
            return {"type": "pgn", "game": game.id, "pgn": game.pgn, "from": "arbiter"}
        case PgnWanted(game, pgn):
            return {"type": "pgn", "game": game.id, "pgn": pgn, "from": "client"}
        case Asked(question):
            return {"type": "question", "question": question.value}
        case BoardWanted(game):
            return _state(game)
        case MovesWanted(game):
            played = [word for _, white, black in move_rows(game) for word in (white, black)]
            sans = [word for word in played if word not in ("", "…")]
            return {"type": "moves", "game": game.id, "uci": _uci(game), "san": sans}
        case HelpWanted():
            return {"type": "help", "text": HELP}
        case Remark(code, text):
            return {"type": "remark", "code": code, "text": text}
        case _:
            assert_never(notice)


def _state(game: GameView) -> dict[str, object]:
    if game.line is None:
        return {"type": "state", "game": game.id}
    board = game.line.board()
    return {
        "type": "state",
        "game": game.id,
        "event": game.state_id,
        "ply": game.line.ply,
        "fen": board.fen(),
        "turn": color_name(board.turn),
        "my_turn": game.my_turn,
        "check": board.is_check(),
        "last": game.line.moves[-1] if game.line.moves else None,
        "moves": _uci(game) if game.line.complete else None,
    }


def _ended(game: GameView) -> dict[str, object]:
    outcome = {"1/2-1/2": "drawn", "1-0": "lost", "0-1": "lost"}.get(game.result or "*", "none")
    if game.result == ("1-0" if game.color == chess.WHITE else "0-1"):
        outcome = "won"
    return {
        "type": "ended",
        "game": game.id,
        "result": game.result,
        "termination": game.termination,
        "outcome": outcome,
    }


def _uci(game: GameView) -> list[str]:
    return list(game.line.moves) if game.line else []
