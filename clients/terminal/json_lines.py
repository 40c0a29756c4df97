"""What happened, as one JSON object a line, for programs.

The law: every object has a ``type``; a type's fields do not change their meaning. Text is ASCII
JSON, so that no line ever holds a control character.
"""

import json
from typing import assert_never

import chess

from clients.terminal.clocks import Clock
from clients.terminal.effects import (
    Asked,
    BoardWanted,
    ChallengeCame,
    ChallengesWanted,
    Ended,
    GameView,
    HelpWanted,
    Introduced,
    Kept,
    Moved,
    MoveSent,
    MovesWanted,
    NoAnswer,
    Notice,
    OfferGone,
    OfferMade,
    OpenChallenge,
    PgnWanted,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Said,
    Started,
    StoppedWaiting,
    TakenBack,
)
from clients.terminal.help import help_page
from clients.terminal.record import move_rows
from clients.terminal.terms import Terms
from clients.terminal.wire import Offer, color_name


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
        case NoAnswer(seconds):
            return {"type": "no-answer", "seconds": seconds}
        case Started(game, resumed):
            return {
                "type": "started",
                "game": game.id,
                "color": color_name(game.color),
                "opponent": game.opponent,
                "resumed": resumed,
                "watched": game.watched,
                "time": game.clock.control if game.clock else None,
                "rated": game.rated,
                "chess960": bool(game.line and game.line.chess960),
                "start": game.line.start_fen if game.line else None,
            }
        case Introduced(game, pubkey):
            return _player(game, pubkey)
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
            return _pgn(game, game.pgn, "arbiter") | {"ratings": game.ratings}
        case PgnWanted(game, pgn):
            return _pgn(game, pgn, "client")
        case Queued() | ChallengeCame() | ChallengesWanted() | StoppedWaiting():
            return _asking(notice)
        case OfferMade() | OfferGone() | TakenBack() | Said():
            return _talk(notice)
        case Asked(question):
            return {"type": "question", "question": question.value}
        case BoardWanted(game):
            return _state(game)
        case MovesWanted(game):
            played = [word for _, white, black in move_rows(game) for word in (white, black)]
            sans = [word for word in played if word not in ("", "…")]
            return {"type": "moves", "game": game.id, "uci": _uci(game), "san": sans}
        case HelpWanted(topic, watched):
            return {"type": "help", "text": help_page(topic, watched=watched)}
        case Remark(code, text):
            return {"type": "remark", "code": code, "text": text}
        case _:
            assert_never(notice)


def _asking(
    notice: Queued | ChallengeCame | ChallengesWanted | StoppedWaiting,
) -> dict[str, object]:
    match notice:
        case Queued(terms, challenge, link):
            return {"type": "queued", "challenge": challenge, "link": link} | _terms(terms)
        case ChallengeCame(came):
            return {"type": "challenged"} | _open_challenge(came)
        case ChallengesWanted(challenges, own):
            listed = [_open_challenge(each) for each in challenges]
            return {"type": "challenges", "challenges": listed, "own": own}
        case StoppedWaiting():
            return {"type": "cancelled"}
        case _:
            assert_never(notice)


def _open_challenge(came: OpenChallenge) -> dict[str, object]:
    challenge = came.challenge
    named = {"number": came.number, "challenge": challenge.challenge}
    return named | {"challenger": challenge.challenger} | _terms(challenge.terms)


def _player(game: GameView, pubkey: str) -> dict[str, object]:
    return {
        "type": "player",
        "game": game.id,
        "color": color_name(pubkey == game.white),
        "pubkey": pubkey,
        "name": game.name(pubkey) or None,
        "rating": game.rating(pubkey) or None,
    }


def _talk(notice: OfferMade | OfferGone | TakenBack | Said) -> dict[str, object]:
    match notice:
        case OfferMade(game):
            return {"type": "offer", "game": game.id} | _offer(game.offer, game)
        case OfferGone(game, offer):
            return {"type": "offer-gone", "game": game.id} | _offer(offer, game)
        case TakenBack(game):
            return _state(game) | {"san": None, "taken_back": True}
        case Said(line, mine, _):
            return {
                "type": "chat",
                "game": line.game_id,
                "author": line.author,
                "text": line.text,
                "public": line.public,
                "mine": mine,
            }
        case _:
            assert_never(notice)


def _pgn(game: GameView, pgn: str | None, source: str) -> dict[str, object]:
    return {"type": "pgn", "game": game.id, "pgn": pgn, "from": source}


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
        "version": game.line.version,
        "clock": _clock(game.clock),
        "offer": _offer(game.offer, game) if game.offer else None,
    }


def _clock(clock: Clock | None) -> dict[str, object] | None:
    if clock is None:
        return None
    return {
        "white_ms": clock.white_ms,
        "black_ms": clock.black_ms,
        "deadline_ms": clock.deadline_ms,
    }


def _offer(offer: Offer | None, game: GameView) -> dict[str, object]:
    if offer is None:
        return {"offer": None, "mine": False}
    return {"offer": offer.kind, "mine": not game.watched and offer.color == game.color}


def _terms(terms: Terms) -> dict[str, object]:
    return {
        "time": terms.time,
        "rated": terms.rated,
        "color": terms.color,
        "rating": terms.rating,
        "chess960": terms.chess960,
        "start": terms.start,
    }


def _ended(game: GameView) -> dict[str, object]:
    outcome = {"1/2-1/2": "drawn", "1-0": "lost", "0-1": "lost"}.get(game.result or "*", "none")
    if game.result == ("1-0" if game.color == chess.WHITE else "0-1"):
        outcome = "won"
    if game.watched:
        outcome = "none"
    return {
        "type": "ended",
        "game": game.id,
        "result": game.result,
        "termination": game.termination,
        "outcome": outcome,
    }


def _uci(game: GameView) -> list[str]:
    return list(game.line.moves) if game.line else []
