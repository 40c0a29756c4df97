"""Notices as JSON objects, one a line, for programs.

Invariant: every object has a ``type``, and a type's fields keep their meaning. The text is ASCII,
so that no line holds a control character.
"""

import json
from typing import assert_never

import chess

from clients.player.messages import Offer
from clients.player.terms import Terms
from clients.terminal import notices
from clients.terminal.clocks import Clock
from clients.terminal.game_view import GameView
from clients.terminal.help import help_page
from clients.terminal.notices import (
    LobbyNotice,
    MoveNotice,
    Notice,
    OpenChallenge,
    ReplyNotice,
    TalkNotice,
)
from clients.terminal.record import move_rows
from clients.terminal.text import color_name

Object = dict[str, object]


def json_line(value: Object) -> str:
    """One object on one line, without the newline."""
    return json.dumps(value, separators=(",", ":"))


def as_json(notice: Notice) -> Object:
    if isinstance(notice, LobbyNotice):
        return _lobby(notice)
    if isinstance(notice, MoveNotice):
        return _move(notice)
    return _talk(notice) if isinstance(notice, TalkNotice) else _reply(notice)


def _lobby(notice: LobbyNotice) -> Object:
    match notice:
        case notices.RelayFound(url, connected, _):
            return {"type": "connected", "relay": url, "connected": connected}
        case notices.RelayLost(url, why, connected):
            return {"type": "disconnected", "relay": url, "connected": connected, "why": why}
        case notices.NoAnswer(seconds):
            return {"type": "no-answer", "seconds": seconds}
        case notices.Queued(terms, challenge, link):
            return {"type": "queued", "challenge": challenge, "link": link} | _terms(terms)
        case notices.ChallengeCame(came):
            return {"type": "challenged"} | _challenge(came)
        case notices.ChallengesWanted(challenges, own):
            listed = [_challenge(each) for each in challenges]
            return {"type": "challenges", "challenges": listed, "own": own}
        case notices.StoppedWaiting():
            return {"type": "cancelled"}
        case _:
            assert_never(notice)


def _move(notice: MoveNotice) -> Object:
    match notice:
        case notices.Started(game, resumed):
            return _started(game, resumed=resumed)
        case notices.Introduced(game, pubkey):
            return _player(game, pubkey)
        case notices.Moved(game, san):
            return _state(game) | {"san": san}
        case notices.TakenBack(game):
            return _state(game) | {"san": None, "taken_back": True}
        case notices.MoveSent(content, san, event, again):
            sent = {"content": content, "san": san, "event": event, "again": again}
            return {"type": "sent"} | sent
        case notices.Kept(san):
            return {"type": "kept", "san": san}
        case _:
            assert_never(notice)


def _talk(notice: TalkNotice) -> Object:
    match notice:
        case notices.OfferMade(game):
            return {"type": "offer", "game": game.id} | _offer(game.offer, game)
        case notices.OfferGone(game, offer):
            return {"type": "offer-gone", "game": game.id} | _offer(offer, game)
        case notices.OtherGame(number, game):
            return {"type": "other-game", "number": number, "state": _state(game)} | _over(game)
        case notices.CameOrLeft(game, color):
            seen = {
                "color": color_name(color),
                "away": bool(game.state and color in game.state.away),
            }
            return {"type": "presence", "game": game.id} | seen
        case notices.Said(line, mine, _):
            said = {"author": line.author, "text": line.text, "public": line.public, "mine": mine}
            return {"type": "chat", "game": line.game} | said
        case notices.Ended(game):
            return _ended(game)
        case notices.RecordCame(game):
            return _pgn(game, game.pgn, "arbiter") | {"ratings": game.ratings}
        case _:
            assert_never(notice)


def _reply(notice: ReplyNotice) -> Object:
    match notice:
        case notices.Asked(question):
            return {"type": "question", "question": question.value}
        case notices.BoardWanted(game):
            return _state(game)
        case notices.GamesWanted(games, current):
            listed = [
                {"number": number, "opponent": game.opponent} | _state(game)
                for number, game in games
            ]
            return {"type": "games", "games": listed, "current": current}
        case notices.MovesWanted(game):
            played = [word for _, white, black in move_rows(game) for word in (white, black)]
            sans = [word for word in played if word not in ("", "…")]
            return {"type": "moves", "game": game.id, "uci": _uci(game), "san": sans}
        case notices.PgnWanted(game, pgn):
            return _pgn(game, pgn, "client")
        case notices.HelpWanted(topic, watched):
            return {"type": "help", "text": help_page(topic, watched=watched)}
        case notices.Refused(source, code, text, mine):
            return {"type": "error", "source": source, "code": code, "text": text, "mine": mine}
        case notices.Remark(code, text):
            return {"type": "remark", "code": code, "text": text}
        case _:
            assert_never(notice)


def _challenge(came: OpenChallenge) -> Object:
    challenge = came.challenge
    named: Object = {"number": came.number, "challenge": challenge.id}
    return named | {"challenger": challenge.challenger} | _terms(challenge.terms)


def _terms(terms: Terms) -> Object:
    return {
        "time": terms.time and str(terms.time),
        "rated": terms.rated,
        "color": terms.color,
        "rating": terms.rating,
        "chess960": terms.chess960,
        "start": terms.start,
    }


def _started(game: GameView, *, resumed: bool) -> Object:
    return {
        "type": "started",
        "game": game.id,
        "color": color_name(game.color),
        "opponent": game.opponent,
        "resumed": resumed,
        "watched": game.watched,
        "time": str(game.clock.control) if game.clock else None,
        "rated": bool(game.state and game.state.rated),
        "chess960": bool(game.state and game.state.chess960),
        "start": game.state and (game.state.start or chess.STARTING_FEN),
    }


def _player(game: GameView, pubkey: str) -> Object:
    return {
        "type": "player",
        "game": game.id,
        "color": color_name(pubkey == game.white),
        "pubkey": pubkey,
        "name": game.name(pubkey) or None,
        "rating": game.rating(pubkey) or None,
    }


def _pgn(game: GameView, pgn: str | None, source: str) -> Object:
    return {"type": "pgn", "game": game.id, "pgn": pgn, "from": source}


def _state(game: GameView) -> Object:
    state = game.state
    if state is None:
        return {"type": "state", "game": game.id}
    board = state.board()
    return {
        "type": "state",
        "game": game.id,
        "event": state.event,
        "ply": state.ply,
        "fen": board.fen(),
        "turn": color_name(board.turn),
        "my_turn": game.my_turn,
        "check": board.is_check(),
        "last": state.moves[-1] if state.moves else None,
        "moves": _uci(game) if state.complete else None,
        "version": state.version,
        "clock": _clock(game.clock),
        "offer": _offer(game.offer, game) if game.offer else None,
    }


def _clock(clock: Clock | None) -> Object | None:
    if clock is None:
        return None
    sides: Object = {"white_ms": clock.white_ms, "black_ms": clock.black_ms}
    return sides | {"deadline_ms": clock.deadline_ms}


def _offer(offer: Offer | None, game: GameView) -> Object:
    if offer is None:
        return {"offer": None, "mine": False}
    return {"offer": offer.kind, "mine": not game.watched and offer.color == game.color}


def _ended(game: GameView) -> Object:
    outcome = {"1/2-1/2": "drawn", "1-0": "lost", "0-1": "lost"}.get(game.result or "*", "none")
    if game.result == ("1-0" if game.color == chess.WHITE else "0-1"):
        outcome = "won"
    return {
        "type": "ended",
        "game": game.id,
        "result": game.result,
        "termination": game.termination,
        "outcome": "none" if game.watched else outcome,
    }


def _over(game: GameView) -> Object:
    return {"result": game.result, "termination": game.termination}


def _uci(game: GameView) -> list[str]:
    return list(game.state.moves) if game.state else []
