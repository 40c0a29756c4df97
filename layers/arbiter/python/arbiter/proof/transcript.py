"""A game's transcript: what its players signed, in order, and what the arbiter showed after each.

It is gzip of JSON lines. The first says which game it is of; then comes a line for each request
that the game was made of, and for each version of its state with what that shows, and the event. A
line without an event says that it is missing; an ``id`` that begins with 48 zeros is a deadline.
The chain (``core/chain.py``) makes it safe to take a transcript from anybody.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from arbiter.core.game import Game, Variant
from arbiter.nostr.event import NostrEvent, ParseError, event_from_json, is_hex_32_bytes

MAX_BYTES = 8 * 1024 * 1024
"""Of a transcript's text: some 10,000 versions. A file that unpacks to more is refused."""

NO_EVENT = "0" * 48


@dataclass(frozen=True, slots=True)
class Line:
    """A version of the state, or a request, which shows nothing. ``event`` is None where it is
    missing, and for a deadline.
    """

    id: str
    shown: str
    event: NostrEvent | None = None

    @property
    def deadline_ms(self) -> int | None:
        """The deadline that ended the game; None where an event made this version."""
        return int(self.id, 16) if self.id.startswith(NO_EVENT) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A game's beginning, its last link, and its lines. Without requests the links go on from the
    ``first``, which a client knows by the first state.
    """

    game_id: str
    arbiter: str
    white: str
    black: str
    chain: str
    start_fen: str
    variant: Variant
    lines: tuple[Line, ...]
    first: str = ""

    @property
    def missing(self) -> tuple[Line, ...]:
        return tuple(it for it in self.lines if it.event is None and it.deadline_ms is None)


def packed(game: Game, arbiter: str, lines: Iterable[str]) -> bytes:
    """The transcript of a game; each of the ``lines`` is JSON already (see ``line_json``)."""
    first = {
        "game": game.id,
        "arbiter": arbiter,
        "white": game.white.player,
        "black": game.black.player,
        "start": game.start_fen,
        "variant": game.variant,
        "chain": game.chain.hex(),
    }
    text = b"\n".join((orjson.dumps(first), *(line.encode() for line in lines), b""))
    return gzip.compress(text, mtime=0)


def line_json(id_: str, shown: str, event: str | None) -> str:
    """One line; the ``event`` is JSON, or None where there is none."""
    head = orjson.dumps({"id": id_, "shown": shown} if shown else {"id": id_}).decode()
    return f'{head[:-1]},"event":{event}}}' if event else head


def unpack(octets: bytes) -> Transcript | str:
    """The transcript, or what is wrong with its form. No more than ``MAX_BYTES`` are read; neither
    ids nor signatures are checked.
    """
    reader = zlib.decompressobj(wbits=31)
    try:
        text = reader.decompress(octets, MAX_BYTES)
    except zlib.error:
        return "not gzip"
    if not reader.eof or reader.unused_data:
        return f"cut, longer than one file, or over {MAX_BYTES} bytes"
    try:
        first, *others = map(orjson.loads, text.splitlines())
        return Transcript(
            game_id=_text(first, "game"),
            arbiter=_hex(first, "arbiter"),
            white=_hex(first, "white"),
            black=_hex(first, "black"),
            chain=_hex(first, "chain"),
            start_fen=_text(first, "start"),
            variant=Variant(first["variant"]),
            lines=tuple(_lines(others)),
            first=_hex(first, "first") if "first" in first else "",
        )
    except (ValueError, KeyError, TypeError) as flaw:
        return f"not a transcript: {flaw}"


def _hex(values: Mapping[str, Any], name: str) -> str:
    if not is_hex_32_bytes(values[name]):
        raise ValueError(f"{name} is 64 lower-case hexadecimal digits")
    return str(values[name])


def _text(values: Mapping[str, Any], name: str, default: str | None = None) -> str:
    text = values[name] if default is None else values.get(name, default)
    if not isinstance(text, str):
        raise ValueError(f"{name} is a text")  # noqa: TRY004 - as for all that is wrong with the form
    return text


def _lines(values: Iterable[Any]) -> Iterator[Line]:
    for value in values:
        event = event_from_json(value["event"]) if "event" in value else None
        if isinstance(event, ParseError):
            raise ValueError(event.text)  # noqa: TRY004 - as for all that is wrong with the form
        yield Line(_hex(value, "id"), _text(value, "shown", ""), event)
