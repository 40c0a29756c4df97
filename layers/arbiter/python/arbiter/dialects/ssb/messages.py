"""SSB messages as the bridge brings them (envelopes), what they contain, and messages of ours.

Invariant: only the author is verified. Any content becomes a value or a flaw, never an exception.
The id of a message of ours follows from what it says, so it is published once. The bridge adds
``branch``, since it knows all keys.
"""

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Any

import chess

from arbiter.core.game import BLACK, WHITE, Seat
from arbiter.dialects.base import ReplyContext
from arbiter.dialects.outgoing import SsbMessage
from arbiter.dialects.ssb.address import feed_of, root_of
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.strict_json import read_json

ENVELOPE = 20310
"""The kind of an envelope. It passes from the bridge to the arbiter and is on no relay."""

MAX_ENVELOPE_BYTES = 64 * 1024
"""Two contents of 8 KB could be more as ASCII JSON, but are not chess then."""

MAX_PLY = 20_000
"""The seventy-five-move rule ends every game before half-move 17,698."""

MAX_SAN_CHARS, MAX_FEN_CHARS = 16, 128

# 43 digits hold two bits more than 32 bytes: the last one is restricted, so that a key has one
# spelling.
_KEY = r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
_FEED = re.compile(rf"@{_KEY}\.ed25519")
_MESSAGE = re.compile(rf"%{_KEY}\.sha256")
_PROMOTED = re.compile(r"=([QRBN])")
_COLORS = {"white": WHITE, "black": BLACK}
_SQUARES = frozenset(chess.SQUARE_NAMES)
_PIECES = frozenset("qrbn")


class End(Enum):
    """The result in a ``chess_game_end``."""

    MATE = "mate"
    DRAW = "draw"
    RESIGNED = "resigned"


# The README has three; ssb-chess 4.0.2 writes a fourth, a word of its rules library.
_ENDS = {end.value: end for end in End} | {"stalemate": End.DRAW}


@dataclass(frozen=True, slots=True)
class Invite:
    """``chess_invite``: its key names the game. ``color`` is its author's, ``root`` the game of
    which this is the rematch. With a ``flaw``, for its author, no game follows.
    """

    inviting: str
    color: chess.Color
    root: str | None = None
    text: str = ""
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class Accept:
    """``chess_invite_accept``."""


@dataclass(frozen=True, slots=True)
class Move:
    """``chess_move``, or that of a ``chess_game_end``; ``san``, ``fen`` and ``ply`` are claims."""

    uci: str
    ply: int
    san: str | None = None
    fen: str | None = None


@dataclass(frozen=True, slots=True)
class GameEnd:
    """``chess_game_end``: a claim, with the move that makes it true, if any."""

    end: End
    move: Move | None = None
    winner: str | None = None


@dataclass(frozen=True, slots=True)
class ChatLine:
    """``chess_chat``."""

    text: str


Content = Invite | Accept | Move | GameEnd | ChatLine


@dataclass(frozen=True, slots=True)
class SsbEnvelope:
    """One message: ``key``, ``author``, ``us`` (our feed); ``root`` is its game's invitation,
    ``inviter`` its author, ``invite`` its content. ``forked``: the log has another of this number.
    """

    key: str
    author: str
    us: str
    is_private: bool
    content: Mapping[str, Any]
    root: str
    inviter: str
    invite: Invite
    forked: bool

    @property
    def event_key(self) -> str:
        return digits_of(self.key)


def read_envelope(event: VerifiedEvent) -> SsbEnvelope | None:
    read = read_json(event.content, MAX_ENVELOPE_BYTES)
    if event.kind != ENVELOPE or not isinstance(read, dict):
        return None
    match read:
        case {
            "key": str(key),
            "author": str(author),
            "us": str(us),
            "private": bool(is_private),
            "content": dict(content),
            "invite": {"key": str(root), "author": str(inviter), "content": dict(invited)},
        }:
            invite = _invite_of(invited)
            feeds, keys = (author, us, inviter), (key, root)
            if not (all(map(is_feed, feeds)) and all(map(is_message, keys))):
                return None
            if invite is None:
                return None
            return SsbEnvelope(
                key=key,
                author=author,
                us=us,
                is_private=is_private,
                content=content,
                root=root,
                inviter=inviter,
                invite=invite,
                forked=read.get("fork") is not None,
            )
        case _:
            return None


def read_content(content: Mapping[str, Any]) -> Content | str:
    match _kind(content):
        case "chess_invite":
            return _invite(content)
        case "chess_invite_accept":
            return Accept()
        case "chess_move":
            return _move(content)
        case "chess_game_end":
            return _game_end(content)
        case "chess_chat":
            text = content.get("msg")
            return ChatLine(text) if isinstance(text, str) else "msg is a text"
        case _:
            return "not a message of ssb-chess"


def is_feed(text: object) -> bool:
    """Whether this is a feed's id: an ed25519 key in canonical base64."""
    return isinstance(text, str) and _FEED.fullmatch(text) is not None


def is_message(text: object) -> bool:
    return isinstance(text, str) and _MESSAGE.fullmatch(text) is not None


def digits_of(key: str) -> str:
    return base64.b64decode(key[1:45]).hex()


def key_of(digits: str) -> str:
    return f"%{base64.b64encode(bytes.fromhex(digits)).decode()}.sha256"


def envelope_text(envelope: Mapping[str, Any]) -> str:
    """An envelope as it is signed: compact ASCII JSON. Raises ValueError and RecursionError."""
    return json.dumps(envelope, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _kind(content: Mapping[str, Any]) -> str | None:
    kind = content.get("type")
    # "ssb_chess_game_end" and "ssb_chess_chat" in the README are slips of an older text.
    return kind.removeprefix("ssb_") if isinstance(kind, str) else None


def _invite_of(content: Mapping[str, Any]) -> Invite | None:
    """The invitation of a game; flawed if only the invited feed can be read; or None."""
    read, inviting = read_content(content), content.get("inviting")
    if isinstance(read, Invite):
        return read
    if _kind(content) != "chess_invite" or not is_feed(inviting):
        return None
    return Invite(str(inviting), WHITE, flaw=str(read))


def _invite(content: Mapping[str, Any]) -> Invite | str:
    inviting, color, root = (content.get(name) for name in ("inviting", "myColor", "root"))
    if not isinstance(inviting, str) or not is_feed(inviting):
        return "inviting is the id of a feed"
    if not isinstance(color, str) or color not in _COLORS:
        return "myColor is white or black"
    if root is not None and not (isinstance(root, str) and is_message(root)):
        return "root is the key of the game before"
    words = [content.get(name) for name in ("text", "msg")]
    text = " ".join(word for word in words if isinstance(word, str))
    return Invite(inviting, _COLORS[color], root, text)


def _move(content: Mapping[str, Any]) -> Move | str:
    origin, target, ply = (content.get(name) for name in ("orig", "dest", "ply"))
    promotion, san, fen = (content.get(name) for name in ("promotion", "pgnMove", "fen"))
    if not (_is_square(origin) and _is_square(target)):
        return "orig and dest are squares, a1 to h8"
    # ``type(...) is int`` excludes true and 1.0.
    if type(ply) is not int or not 1 <= ply <= MAX_PLY:
        return "ply is the number of half-moves with this one"
    if promotion is not None and not (isinstance(promotion, str) and promotion in _PIECES):
        return "promotion is q, r, b or n"
    if not _is_text(san, MAX_SAN_CHARS):
        return "pgnMove is a move as PGN writes it"
    if not _is_text(fen, MAX_FEN_CHARS):
        return "fen is a position"
    if promotion is None and san is not None and (named := _PROMOTED.search(san)):
        # ssb-chess 4.0.2 leaves the field out where the promotion ends the game.
        promotion = named[1].lower()
    return Move(f"{origin}{target}{promotion or ''}", ply, san, fen)


def _game_end(content: Mapping[str, Any]) -> GameEnd | str:
    status, winner = content.get("status"), content.get("winner")
    if not isinstance(status, str) or status not in _ENDS:
        return "status is mate, draw or resigned"
    if winner is not None and not (isinstance(winner, str) and is_feed(winner)):
        return "winner is the id of a feed"
    end = _ENDS[status]
    names_move = content.get("orig") is not None or content.get("dest") is not None
    if end is End.RESIGNED or not names_move:
        # A resignation may repeat the last move; nothing is played with it.
        return GameEnd(end, None, winner) if end is not End.MATE else "a mate is a move"
    move = _move(content)
    return move if isinstance(move, str) else GameEnd(end, move, winner)


def _is_square(text: object) -> bool:
    return isinstance(text, str) and text in _SQUARES


def _is_text(text: object, at_most: int) -> bool:
    """Whether this is absent, or short printable ASCII: a position or a move to store."""
    if text is None:
        return True
    return isinstance(text, str) and len(text) <= at_most and text.isascii() and text.isprintable()


def publicly(root: str, content: Mapping[str, object], *what: object) -> SsbMessage:
    """A public message in the game of this root; ``what`` tells it from our others there."""
    return SsbMessage(id_of(root, *what), root, {**content, "root": root})


def privately(seat: Seat, text: str, *what: object) -> SsbMessage:
    root = root_of(seat)
    content = {"type": "chess_chat", "root": root, "msg": f"Arbiter: {text}"}
    return SsbMessage(id_of(root, *what), root, content, (feed_of(seat),))


def id_of(root: str, *what: object) -> str:
    """64 hex digits, the same for the same ``what`` in the same game."""
    return sha256(json.dumps([root, *what]).encode()).hexdigest()


def answered_envelope(context: ReplyContext) -> SsbEnvelope | None:
    return read_envelope(context.event) if context.event else None
