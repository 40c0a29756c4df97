"""The protocol as a player receives it: the arbiter's messages, and chat.

Invariant: an event that cannot be read gives None, never an exception, and texts are clean. Tags
beyond protocol version 2 are optional.
"""

import re
from dataclasses import dataclass

import chess

from arbiter.nostr.event import VerifiedEvent, all_tags, first_tag, is_hex_32_bytes
from clients.terminal.terms import Terms, terms_of_tags
from clients.terminal.text import clean, clean_lines

REQUEST_TO_PLAY = 20300
RESPONSE_TO_REQUEST = 20301
GAME_STATE = 20302
GAME_MOVE = 20303
GAME_ERROR = 20304
PLAYERS_CHAT = 20305
SPECTATORS_CHAT = 20306
PGN_NOTE = 64
ANNOUNCEMENT = 31990

QUIT = "quit"
"""Abort before both sides have moved, resign after; version 2 has no other word."""

MAX_CHAT_CHARS = 140
"""Characters of a line of chat that are sent and shown."""

GAME_ID = re.compile(r"[!-9;-~]{1,128}")
_PLY = re.compile(r"[0-9]{1,6}")
_UCI = re.compile(r"[a-h][1-8][a-h][1-8][qrbn]?")
_MILLISECONDS = re.compile(r"[0-9]{1,16}")
_RATING = re.compile(r"[0-9]{1,4}")
_RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*"})
_COLORS = (("w",), ("b",))
_OFFERS = frozenset({"draw", "takeback", "rematch", "abort"})


@dataclass(frozen=True, slots=True)
class Waiting:
    """20301 ``queued``: the request waits for an opponent; ``challenge`` is the id of the challenge
    that was made, and ``place`` its place in the line for the house.
    """

    challenge: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Challenged:
    """20301 ``challenged:``: another player challenges us; ``expires_at`` in unix seconds."""

    challenge: str
    challenger: str
    terms: Terms
    expires_at: int | None = None
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Cancelled:
    """20301 ``cancelled``: our request is withdrawn, or a challenge we declined is gone."""


@dataclass(frozen=True, slots=True)
class RequestRefused:
    """20301 ``error:``; ``text`` begins with a machine word and a colon, if the server has them."""

    text: str


@dataclass(frozen=True, slots=True)
class Paired:
    """20301 ``started:``. The colours are in the state; ``at`` is its date in unix seconds.
    ``about`` is the request that it answers; None where a game begins.
    """

    game_id: str
    at: int
    about: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateClaim:
    """20302. ``moves`` is None where the server lists none; ``at`` is its date in unix seconds.

    The fields with defaults are extensions. ``clock_ms`` is White's and Black's time, ``rematch``
    the id of the next game; ``stand_ins`` are the players without a Nostr key, ``away`` those who
    have left the arbiter's own relay, and ``names`` those who told one, by key.
    """

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
    version: int | None = None
    time: str | None = None
    clock_ms: tuple[int, int] | None = None
    deadline_ms: int | None = None
    rated: bool = False
    chess960: bool = False
    start: str | None = None
    offer: "Offer | None" = None
    rematch: str | None = None
    stand_ins: tuple[str, ...] = ()
    away: tuple[chess.Color, ...] = ()
    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer of a ``draw``, ``takeback``, ``rematch`` or ``abort``, and whose it is."""

    kind: str
    color: chess.Color


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """20304: ``about`` is the event that was refused, ours or the opponent's."""

    about: str
    game_id: str | None
    text: str


@dataclass(frozen=True, slots=True)
class GameRecord:
    """Kind 64: a finished game as PGN. ``ratings`` are White's and Black's before and after a rated
    game.
    """

    game_id: str
    pgn: str
    result: str | None
    termination: str | None
    ratings: tuple[tuple[int, int], tuple[int, int]] | None = None


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line of chat, cleaned and cut; ``public`` for the spectators'."""

    author: str
    game_id: str
    text: str
    public: bool


ArbiterMessage = (
    Waiting | Challenged | Cancelled | RequestRefused | Paired | StateClaim | ErrorAnswer
) | GameRecord


def read(event: VerifiedEvent, me: str, watched: str | None = None) -> ArbiterMessage | None:
    """The arbiter's message in ``event``; None if it is not for us or cannot be read."""
    to_me = any(len(tag) > 1 and tag[1] == me for tag in all_tags(event, "p"))
    if not to_me and (watched is None or _value(event, "d") != watched):
        return None
    match event.kind:
        case 20301:
            return _response(event)
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
            return GameRecord(game_id, record, _result(event), _termination(event), _ratings(event))
        case _:
            return None


def chat_line(event: VerifiedEvent, text: str, *, carried: bool = False) -> ChatLine | None:
    """The line of chat in this event with this decrypted text; None if it is empty or malformed. An
    event that the arbiter ``carried`` from another wire names the author in a tag.
    """
    game_id = _value(event, "d")
    line = clean(text, MAX_CHAT_CHARS).strip()
    author = _value(event, "said-by") if carried else event.pubkey
    if game_id is None or not is_hex_32_bytes(author) or not line:
        return None
    return ChatLine(author, game_id, line, event.kind == SPECTATORS_CHAT)


def _response(
    event: VerifiedEvent,
) -> Waiting | Challenged | Cancelled | RequestRefused | Paired | None:
    word, _, rest = event.content.partition(":")
    name, _, more = rest.partition(":")
    match word:
        case "queued":
            return Waiting(_value(event, "challenge"), _number(event, "place"))
        case "cancelled":
            return Cancelled()
        case "error":
            return RequestRefused(clean(rest))
        case "started" if GAME_ID.fullmatch(name):
            return Paired(name, event.created_at, _value(event, "e"))
        case "challenged" if GAME_ID.fullmatch(name) and is_hex_32_bytes(more[:64]):
            terms = terms_of_tags(event.tags)
            told = _value(event, "name")
            names = ((more[:64], told),) if told else ()
            return Challenged(name, more[:64], terms, _number(event, "expiration"), names)
        case _:
            return None


def _state(event: VerifiedEvent) -> StateClaim | None:
    game_id = _value(event, "d")
    # An answer to a spectator has no p tags, which would bring it to the players.
    named = first_tag(event, "players")
    players = named[1:] if named else [tag[1] for tag in all_tags(event, "p") if len(tag) > 1]
    if game_id is None or not all(map(is_hex_32_bytes, players[:2])) or not players[1:]:
        return None
    terms = terms_of_tags(event.tags)
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
        version=_number(event, "version"),
        clock_ms=_clock(event),
        deadline_ms=_number(event, "deadline"),
        offer=_offer(event),
        rematch=_value(event, "rematch"),
        stand_ins=tuple(tag[1] for tag in all_tags(event, "stand-in") if len(tag) > 1),
        away=tuple(tag[1] == "w" for tag in all_tags(event, "away") if tag[1:2] in _COLORS),
        names=tuple(zip(players[:2], (first_tag(event, "names") or ())[1:3], strict=False)),
        time=terms.time,
        rated=terms.rated,
        chess960=terms.chess960,
        start=terms.start,
    )


def _clock(event: VerifiedEvent) -> tuple[int, int] | None:
    match first_tag(event, "clock"):
        case (_, white, black, *_) if _MILLISECONDS.fullmatch(white) and _MILLISECONDS.fullmatch(
            black
        ):
            return int(white), int(black)
        case _:
            return None


def _ratings(event: VerifiedEvent) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Both ratings before and after a rated game; None unless both are there."""
    changes: dict[str, tuple[int, int]] = {}
    for tag in all_tags(event, "rating"):
        match tag:
            case (_, "w" | "b" as color, before, after) if _RATING.fullmatch(
                before
            ) and _RATING.fullmatch(after):
                changes[color] = int(before), int(after)
            case _:
                return None
    return (changes["w"], changes["b"]) if len(changes) == len("wb") else None


def _offer(event: VerifiedEvent) -> Offer | None:
    match first_tag(event, "offer"):
        case (_, kind, "w" | "b" as color, *_) if kind in _OFFERS:
            return Offer(kind, color == "w")
        case _:
            return None


def _number(event: VerifiedEvent, name: str) -> int | None:
    value = _value(event, name) or ""
    return int(value) if _MILLISECONDS.fullmatch(value) else None


def _value(event: VerifiedEvent, name: str) -> str | None:
    tag = first_tag(event, name)
    match tag:
        case (_, str(value), *_) if GAME_ID.fullmatch(value):
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
