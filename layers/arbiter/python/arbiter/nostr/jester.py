"""Kind 30, "jester" chess, as it is on the wire: starts, and what is said in a game, moves unread.

Invariant: reading returns a value or None for any event; no move is parsed here. The clients that
write it are jesterui, Amethyst and nostr.blue, each with fields of its own.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, is_hex_32_bytes
from arbiter.nostr.limits import MAX_EVENT_BYTES
from arbiter.nostr.strict_json import read_json

KIND = 30

START_POSITION = "b1791d7fc9ae3d38966568c257ffb3a02cbf8394cdb4805bc70f64fc3c0b6879"
"""The sha256 of the FEN of the initial position: what open starts refer to."""

_INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
_POSITION_FIELDS = 4
_GAME_ID_HEX_DIGITS = 32

_STARTS, _SAYS = 0, 1
_COLORS = ("playerColor", "player_color")
"""Amethyst has the one field, nostr.blue the other, jesterui none."""

# "Nf3!" is an annotation (PGN standard, 8.2.3.8), which python-chess does not read.
_SAN = re.compile(r"([A-Za-z0-9=+#-]{1,10})[!?]*")
_RESULTS = frozenset({"1-0", "0-1", "1/2-1/2"})


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a game. ``named`` are the keys in its ``p`` tags, an opponent's and perhaps a
    referee's; ``reference`` is the hash that names the opponent in jesterui. Without both anyone
    may play.
    """

    id: str
    author: str
    created_at: int
    is_white: bool
    named: tuple[str, ...] = ()
    reference: str | None = None

    @property
    def opponent(self) -> str | None:
        """The opponent, if the start alone tells."""
        return self.named[0] if len(self.named) == 1 else None

    def may_be_played_by(self, pubkey: str) -> bool:
        """Whether the start lets this player be the opponent of its author."""
        if pubkey == self.author:
            return False
        if self.named:
            return pubkey in self.named
        return self.reference is None or private_reference(pubkey) == self.reference


@dataclass(frozen=True, slots=True)
class Said:
    """An event of a game: its author's SAN of every move so far. ``head`` is the event that it
    answers, ``named`` are the players in its ``p`` tags. ``fen``, ``result`` and ``termination``
    are claims.
    """

    id: str
    author: str
    created_at: int
    game: str
    history: tuple[str, ...]
    head: str = ""
    named: tuple[str, ...] = ()
    fen: str = ""
    result: str = ""
    termination: str = ""
    offers_draw: bool = False


def private_reference(pubkey: str) -> str:
    """What a start against this player alone refers to in jesterui."""
    key = sha256(pubkey.encode()).hexdigest()
    return sha256(f"{key}{START_POSITION}".encode()).hexdigest()


def game_id(start: str) -> str:
    """The arbiter's id of the game that two players play from this start event."""
    return sha256(f"jester{start}".encode()).hexdigest()[:_GAME_ID_HEX_DIGITS]


def read_start(event: NostrEvent | VerifiedEvent) -> Start | None:
    """The start in this event; None if it is none."""
    content = _content(event, _STARTS)
    if content is None or content.get("history", []) != [] or not _is_initial(content):
        return None
    colors = {content[name] for name in _COLORS if isinstance(content.get(name), str)}
    named = dict.fromkeys(key for key in _values(event, "p") if key != event.pubkey)
    references = _values(event, "e")
    return Start(
        id=event.id,
        author=event.pubkey,
        created_at=event.created_at,
        is_white="black" not in colors,
        named=tuple(named),
        reference=None if START_POSITION in references else next(iter(references), None),
    )


def read_said(event: NostrEvent | VerifiedEvent) -> Said | None:
    """What this event says in a game; None if it says nothing in any."""
    content = _content(event, _SAYS)
    games = _values(event, "e")
    if content is None or not games:
        return None
    history = content.get("history")
    if not isinstance(history, list):
        return None
    moves = [_SAN.fullmatch(san) if isinstance(san, str) else None for san in history]
    result = _text(content, "result")
    return Said(
        id=event.id,
        author=event.pubkey,
        created_at=event.created_at,
        game=games[0],
        history=_readable(moves),
        head=games[1] if len(games) > 1 else "",
        named=_values(event, "p"),
        fen=_text(content, "fen"),
        result=result if result in _RESULTS else "",
        termination=_text(content, "termination"),
        offers_draw=content.get("draw_offered") is True,
    )


def _readable(moves: list[re.Match[str] | None]) -> tuple[str, ...]:
    """The moves up to what cannot be one. nostr.blue repeats the last SAN in an end of a game, and
    before the first move that is an empty text.
    """
    until = moves.index(None) if None in moves else len(moves)
    return tuple(move[1] for move in moves[:until] if move)


def _content(event: NostrEvent | VerifiedEvent, kind: int) -> Mapping[str, object] | None:
    if event.kind != KIND:
        return None
    content = read_json(event.content, MAX_EVENT_BYTES)
    if not isinstance(content, Mapping):
        return None
    # ``type(...) is int``: to isinstance a bool is an int.
    is_it = type(content.get("kind")) is int and content["kind"] == kind
    return content if is_it else None


def _is_initial(content: Mapping[str, object]) -> bool:
    fen = content.get("fen")
    if fen is None:
        return True
    return isinstance(fen, str) and fen.split()[:_POSITION_FIELDS] == _INITIAL.split()


def _text(content: Mapping[str, object], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) else ""


def _values(event: NostrEvent | VerifiedEvent, name: str) -> tuple[str, ...]:
    """The ids or keys in the tags of this name, in order."""
    values = (tag[1] for tag in all_tags(event, name) if len(tag) > 1)
    return tuple(value for value in values if is_hex_32_bytes(value))
