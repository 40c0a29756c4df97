"""Kind 30, "jester" chess, as it is on the wire, moves unread, of jesterui, Amethyst and
nostr.blue.

Invariant: reading returns a value or a text for any event; no move is parsed here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from arbiter.nostr.event import NostrEvent, VerifiedEvent, all_tags, is_hex_32_bytes
from arbiter.nostr.limits import MAX_EVENT_BYTES
from arbiter.nostr.strict_json import read_json

KIND = 30
STARTING, SAID = 0, 1
"""The kinds in the content."""

START = "b1791d7fc9ae3d38966568c257ffb3a02cbf8394cdb4805bc70f64fc3c0b6879"
"""The sha256 of the FEN of the initial position: what open starts refer to."""

MAX_PLIES = 600
"""Half-moves of a history that are replayed: 20 ms. The longest game of a tournament had 538."""

MAX_FEN_CHARS = 128

_INITIAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"
_POSITION_FIELDS = 4
_GAME_ID_HEX_DIGITS = 32

_COLORS = ("playerColor", "player_color")
"""Amethyst has the one field, nostr.blue the other, jesterui none."""

# "Nf3!" is an annotation (PGN standard, 8.2.3.8), which python-chess does not read.
_SAN = re.compile(r"([A-Za-z0-9=+#-]{1,10})[!?]*")
_RESULTS = frozenset({"1-0", "0-1", "1/2-1/2"})


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a game; ``named`` keys of ``p`` tags, a ``flaw`` that cannot be read."""

    is_white: bool
    named: tuple[str, ...] = ()
    flaw: str | None = None


@dataclass(frozen=True, slots=True)
class JesterEvent:
    """An event of a game: its author's SAN of every move so far. ``head`` is what it answers;
    ``fen``, ``result`` and ``termination`` are claims; ``flaw`` what cannot be read.
    """

    game: str
    history: tuple[str, ...]
    head: str = ""
    fen: str = ""
    result: str = ""
    termination: str = ""
    offers_draw: bool = False
    has_move: bool = False
    flaw: str | None = None


def private_reference(pubkey: str) -> str:
    """The reference of a start against this player alone in jesterui, which knows no ``p`` tag."""
    key = sha256(pubkey.encode()).hexdigest()
    return sha256(f"{key}{START}".encode()).hexdigest()


def game_id(start: str) -> str:
    """The arbiter's id of the game that two players play from this start event."""
    return sha256(f"jester{start}".encode()).hexdigest()[:_GAME_ID_HEX_DIGITS]


def slot_of_start(start: str) -> str:
    """The id (64 hex digits) of the slot that tells which game goes on from this start."""
    return sha256(f"jester start {start}".encode()).hexdigest()


def references(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    return _values(event, "e")


def named_players(event: NostrEvent | VerifiedEvent) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_values(event, "p")))


def names(event: NostrEvent | VerifiedEvent, server: str) -> bool:
    """Whether the event names the arbiter of this pubkey, in either spelling."""
    return server in named_players(event) or private_reference(server) in references(event)


def is_start(event: NostrEvent | VerifiedEvent) -> bool:
    content = read_json(event.content, MAX_EVENT_BYTES)
    return isinstance(content, Mapping) and _kind(content) == STARTING


def start_named_by(event: NostrEvent | VerifiedEvent) -> str | None:
    """The id of the start event of the game that this event begins or is of."""
    return event.id if is_start(event) else next(iter(references(event)), None)


def read_event(event: NostrEvent | VerifiedEvent) -> JesterEvent | None:
    """Read an event of a game, flawed or not; None if it belongs to none."""
    found = read(event)
    return found if isinstance(found, JesterEvent) and found.game else None


def read(event: NostrEvent | VerifiedEvent) -> Start | JesterEvent | str:
    """Read an event, or return its fault. ``game`` is empty where no tag names it."""
    content = read_json(event.content, MAX_EVENT_BYTES)
    if event.kind != KIND or not isinstance(content, Mapping):
        return "the content is a JSON object"
    match _kind(content):
        case 0:
            return _start(event, content)
        case 1:
            return _event(event, content)
        case _:
            return "kind is 0 or 1"


def _kind(content: Mapping[str, object]) -> int | None:
    kind = content.get("kind")
    # ``type(...) is int``: to isinstance a bool is an int.
    return kind if isinstance(kind, int) and type(kind) is int else None


def _start(event: NostrEvent | VerifiedEvent, content: Mapping[str, object]) -> Start:
    return Start(
        is_white=all(content.get(name) != "black" for name in _COLORS),
        named=tuple(key for key in named_players(event) if key != event.pubkey),
        flaw=_flaw_of_start(content),
    )


def _flaw_of_start(content: Mapping[str, object]) -> str | None:
    # jesterui takes only a history that is there and empty for a start.
    if content.get("history") != []:
        return "a start has an empty history"
    fen = content.get("fen", _INITIAL)
    if not isinstance(fen, str) or fen.split()[:_POSITION_FIELDS] != _INITIAL.split():
        return "games begin in the usual position"
    colors = [content[name] for name in _COLORS if content.get(name) is not None]
    if any(color not in ("white", "black") or color != colors[0] for color in colors):
        return "playerColor is white or black"
    return None


def _event(event: NostrEvent | VerifiedEvent, content: Mapping[str, object]) -> JesterEvent | str:
    too_long = f"history lists all moves, {MAX_PLIES} at most"
    history, found = content.get("history"), references(event)
    if not isinstance(history, list):
        return too_long
    # In an end of a game nostr.blue repeats the last SAN, and before the first there is none.
    length = len(history)
    while length and history[length - 1] == "":
        length -= 1
    moves = [_SAN.fullmatch(san) if isinstance(san, str) else None for san in history[:length]]
    fen, result = content.get("fen"), _text(content, "result")
    flaw = "history lists moves in SAN" if None in moves else None
    if not isinstance(fen, str | None) or len(fen or "") > MAX_FEN_CHARS:
        flaw = "fen is a text"
    if len(moves) > MAX_PLIES:
        flaw = too_long
    until = moves.index(None) if None in moves else len(moves)
    return JesterEvent(
        game=found[0] if found else "",
        history=tuple(move[1] for move in moves[:until] if move),
        head=found[1] if len(found) > 1 else "",
        fen=_text(content, "fen"),
        result=result if result in _RESULTS else "",
        termination=_text(content, "termination"),
        offers_draw=content.get("draw_offered") is True,
        has_move=isinstance(content.get("move"), str),
        flaw=flaw,
    )


def _text(content: Mapping[str, object], name: str) -> str:
    value = content.get(name)
    return value if isinstance(value, str) else ""


def _values(event: NostrEvent | VerifiedEvent, name: str) -> tuple[str, ...]:
    values = (tag[1] for tag in all_tags(event, name) if len(tag) > 1)
    return tuple(value for value in values if is_hex_32_bytes(value))
