"""Letters: messages of Scuttlebutt as our bridge brings them, and what stands in them. Pure.

The law: **a stranger wrote it.** The bridge has checked who, and nothing else: a letter's content
is any JSON at all. What is read here is a value of one of five types, or the words for what is
wrong with it; never an exception, and never nearly a move.

An utterance, by what it says. Pure.

The law: **what is said stays.** A log is for ever and everybody's, so an utterance's id follows
from what it says, and it is published once however often it is derived. ``branch`` is left to the
bridge, which knows all keys.
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
from arbiter.dialects.base import ReplyContext, SsbMessage
from arbiter.dialects.ssb.address import feed_of, root_of
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.strict_json import read_json

ENVELOPE = 20310
"""The kind of a letter's event. It passes from the bridge to the arbiter and is on no relay."""

MAX_ENVELOPE_BYTES = 64 * 1024
"""Two contents of Scuttlebutt's 8 KB each, which grow sixfold at most as ASCII-only JSON, would
be more; but then they are no chess.
"""

MAX_PLY = 20_000
"""The seventy-five-move rule ends every game before half-move 17,698."""

MAX_SAN_CHARS, MAX_FEN_CHARS = 16, 128

# 43 digits hold two bits more than 32 bytes do: were those let pass, a key had four spellings.
_KEY = r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
_FEED = re.compile(rf"@{_KEY}\.ed25519")
_MESSAGE = re.compile(rf"%{_KEY}\.sha256")
_PROMOTED = re.compile(r"=([QRBN])")
_COLORS = {"white": WHITE, "black": BLACK}
_SQUARES = frozenset(chess.SQUARE_NAMES)
_PIECES = frozenset("qrbn")


class End(Enum):
    """What a ``chess_game_end`` says of the game."""

    MATE = "mate"
    DRAW = "draw"
    RESIGNED = "resigned"


# The README knows three; ssb-chess 4.0.2 writes a fourth, the word of its rules library.
_ENDS = {end.value: end for end in End} | {"stalemate": End.DRAW}


@dataclass(frozen=True, slots=True)
class Invite:
    """``chess_invite``: its key is the game that follows. ``color`` is that of its author, ``root``
    the game (a message's key) of which this is to be the rematch; ``text`` is ours, for people.
    ``flaw`` is what is wrong with it, for its author to read: then no game follows, and it says
    nothing but whom it invites.
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
    """``chess_move``, or the move that a ``chess_game_end`` brings. ``san`` and ``fen`` are claims,
    and so is ``ply``, the number of half-moves once it is made.
    """

    uci: str
    ply: int
    san: str | None = None
    fen: str | None = None


@dataclass(frozen=True, slots=True)
class GameEnd:
    """``chess_game_end``: a claim, with the move that makes it true if it was a move."""

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
    """One message. ``key`` is the message's, ``author`` the feed that signed it and ``us`` our own;
    ``root`` is the invitation of the game it is about, with that one's author and content, which
    may have a flaw.
    ``forked`` says that its author's log has another message of the same number.
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
        """The message's key as 64 hex digits: what a game remembers it by."""
        return digits_of(self.key)


def read_envelope(event: VerifiedEvent) -> SsbEnvelope | None:
    """The letter that an event of ours is, or None: then the bridge is not the one we know."""
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
    """What a message's content says, or what is wrong with it, for its author to read."""
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
            return "no message of ssb-chess"


def is_feed(text: object) -> bool:
    """Whether this is a feed's id: an ed25519 key in the one spelling that base64 has for it."""
    return isinstance(text, str) and _FEED.fullmatch(text) is not None


def is_message(text: object) -> bool:
    """Whether this is a message's key, in its one spelling."""
    return isinstance(text, str) and _MESSAGE.fullmatch(text) is not None


def digits_of(key: str) -> str:
    """The 64 hex digits of a message's key."""
    return base64.b64decode(key[1:45]).hex()


def key_of(digits: str) -> str:
    """The message's key of these 64 hex digits."""
    return f"%{base64.b64encode(bytes.fromhex(digits)).decode()}.sha256"


def envelope_text(letter: Mapping[str, Any]) -> str:
    """A letter's content as it is signed: ASCII-only JSON, compact."""
    return json.dumps(letter, ensure_ascii=True, separators=(",", ":"))


def _kind(content: Mapping[str, Any]) -> str | None:
    kind = content.get("type")
    # "ssb_chess_game_end" and "ssb_chess_chat" are in the README, slips of an older text.
    return kind.removeprefix("ssb_") if isinstance(kind, str) else None


def _invite_of(content: Mapping[str, Any]) -> Invite | None:
    """The invitation that a game's letters bring with them, or None. Whoever says whom he invites
    is owed an answer, though the rest be no use.
    """
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
    # JSON's true is Python's 1, and 1.0 is no count.
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
    """Whether this is absent, or could be a position or a move: both are written in ASCII, and a
    game that holds it until its turn has come has room for no more.
    """
    if text is None:
        return True
    return isinstance(text, str) and len(text) <= at_most and text.isascii() and text.isprintable()


def publicly(root: str, content: Mapping[str, object], *what: object) -> SsbMessage:
    """This content for everybody, in the game of this root; ``what`` tells it from all else that is
    said there.
    """
    return SsbMessage(id_of(root, *what), root, {**content, "root": root})


def privately(seat: Seat, text: str, *what: object) -> SsbMessage:
    """A line of ours for this seat alone."""
    root = root_of(seat)
    content = {"type": "chess_chat", "root": root, "msg": f"Arbiter: {text}"}
    return SsbMessage(id_of(root, *what), root, content, (feed_of(seat),))


def id_of(root: str, *what: object) -> str:
    """The same for the same words in the same game, and for no others."""
    return sha256(json.dumps([root, *what]).encode()).hexdigest()


def heard_envelope(telling: ReplyContext) -> SsbEnvelope | None:
    """The letter that is answered, if it is one."""
    return read_envelope(telling.heard) if telling.heard else None
