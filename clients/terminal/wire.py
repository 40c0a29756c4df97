"""The native protocol from the player's chair: what the arbiter says, and what a player sends.

The law: reading takes a verified event of the arbiter's and answers with a value or None; whatever
it cannot read is None, never an exception. Texts are clean once they are past this file. The tags
beyond protocol version 2 (ply, moves, result, termination) are read when they are there and missed
by nobody when they are not.
"""

import re
from dataclasses import dataclass

import chess

from arbiter.nostr.event import EventTemplate, VerifiedEvent, all_tags, first_tag
from arbiter.nostr.filters import Filter
from arbiter.nostr.hexadecimal import is_hex_32_bytes
from clients.terminal.text import clean, clean_lines

REQUEST_TO_PLAY = 20300
RESPONSE_TO_REQUEST = 20301
GAME_STATE = 20302
GAME_MOVE = 20303
GAME_ERROR = 20304
PGN_NOTE = 64

QUIT = "quit"
"""The one signal that version 2 names: abort before both sides have moved, resign after."""

RECORDS_WANTED = 3
"""Finished games asked for on every subscription: enough to learn that ours ended meanwhile."""

_GAME_ID = re.compile(r"[!-9;-~]{1,128}")
_PLY = re.compile(r"[0-9]{1,6}")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*"})


@dataclass(frozen=True, slots=True)
class Waiting:
    """20301 ``queued``: the request stands, an opponent is awaited."""


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """20301 ``error:``; ``text`` begins with a machine word and a colon, if the server has them."""

    text: str


@dataclass(frozen=True, slots=True)
class Paired:
    """20301 ``started:``. Who sits where is what the state says, by the order of its p tags.
    ``at`` is its date in unix seconds.
    """

    game_id: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateClaim:
    """20302. ``moves`` is None where the server lists none; ``at`` is its date in unix seconds."""

    event_id: str
    at: int
    game_id: str
    white: str
    black: str
    fen: str
    ply: int | None
    moves: tuple[str, ...] | None
    result: str | None
    termination: str | None


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """20304: ``about`` is the event that was refused, ours or the opponent's."""

    about: str
    game_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """Kind 64: a finished game as PGN."""

    game_id: str
    pgn: str
    result: str | None
    termination: str | None


Heard = Waiting | RequestRefused | Paired | StateClaim | ErrorAnswer | GameRecord


def wanted(server: str, me: str) -> tuple[Filter, ...]:
    """What a player subscribes to: the arbiter's words to him, and his last finished games."""
    spoken = (RESPONSE_TO_REQUEST, GAME_STATE, GAME_ERROR)
    to_me = {"p": (me,)}
    return (
        Filter(authors=(server,), kinds=spoken, tags=to_me),
        Filter(authors=(server,), kinds=(PGN_NOTE,), tags=to_me, limit=RECORDS_WANTED),
    )


def read(event: VerifiedEvent, me: str) -> Heard | None:
    """What the arbiter said in ``event``; None if it is not for us or not to be understood."""
    if not any(len(tag) > 1 and tag[1] == me for tag in all_tags(event, "p")):
        return None
    match event.kind:
        case 20301:
            return _response(event.content, event.created_at)
        case 20302:
            return _state(event)
        case 20304:
            about = _value(event, "e") or ""
            return ErrorAnswer(about, _value(event, "d"), clean(event.content))
        case 64:
            game_id = _value(event, "d")
            if game_id is None:
                return None
            record = clean_lines(event.content)
            return GameRecord(game_id, record, _result(event), _termination(event))
        case _:
            return None


def request_to_play(server: str, at: int) -> EventTemplate:
    """20300: a seat in a new game, or a look at the one that goes on."""
    return EventTemplate(kind=REQUEST_TO_PLAY, tags=(("p", server),), content="", created_at=at)


def game_move(
    content: str, *, game_id: str, answers: str, server: str, white: str, black: str, at: int
) -> EventTemplate:
    """20303. ``answers`` is the id of the state it answers, so that a late copy is stale and no
    illegal move; version 2 leaves that tag out and reads over it.
    """
    tags = (("d", game_id), ("e", answers), ("p", server), ("p", white), ("p", black))
    return EventTemplate(kind=GAME_MOVE, tags=tags, content=content, created_at=at)


def _response(content: str, at: int) -> Waiting | RequestRefused | Paired | None:
    word, _, rest = content.partition(":")
    if word == "queued":
        return Waiting()
    if word == "error":
        return RequestRefused(clean(rest))
    game_id = rest.partition(":")[0]
    if word == "started" and _GAME_ID.fullmatch(game_id):
        return Paired(game_id, at)
    return None


def _state(event: VerifiedEvent) -> StateClaim | None:
    game_id = _value(event, "d")
    players = [tag[1] for tag in all_tags(event, "p") if len(tag) > 1]
    if game_id is None or not all(map(is_hex_32_bytes, players[:2])) or not players[1:]:
        return None
    ply = _value(event, "ply") or ""
    moves = first_tag(event, "moves")
    listed = None
    if moves is not None and all(_UCI.fullmatch(move) for move in moves[1:]):
        listed = moves[1:]
    elif ply == "0":
        listed = ()
    return StateClaim(
        event_id=event.id,
        at=event.created_at,
        game_id=game_id,
        white=players[0],
        black=players[1],
        fen=event.content,
        ply=int(ply) if _PLY.fullmatch(ply) else None,
        moves=listed,
        result=_result(event),
        termination=_termination(event),
    )


def _value(event: VerifiedEvent, name: str) -> str | None:
    tag = first_tag(event, name)
    match tag:
        case (_, str(value), *_) if _GAME_ID.fullmatch(value):
            return value
        case _:
            return None


def _result(event: VerifiedEvent) -> str | None:
    result = _value(event, "result")
    return result if result in _RESULTS else None


def _termination(event: VerifiedEvent) -> str | None:
    termination = _value(event, "termination")
    return clean(termination, 40) if termination else None


def color_name(color: chess.Color) -> str:
    """``white`` or ``black``."""
    return "white" if color == chess.WHITE else "black"
