"""A game's transcript: what its players signed, in order, and what the arbiter showed after each.

It is gzip of JSON lines. The first says which game it is of; then comes a line for each request
that the game was made of, and for each version of its state with what that shows, and the event. A
line without an event says that it is missing; an ``id`` that begins with 48 zeros is a deadline.
The chain (``core/chain.py``) makes it safe to take a transcript from anybody.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from arbiter.core.game import Game, Variant
from arbiter.nostr.event import NostrEvent, ParseError, event_from_json, is_hex_32_bytes

MAX_BYTES = 8 * 1024 * 1024
"""Of a transcript's text: some 10,000 versions. A file that unpacks to more is refused."""

MAX_LINE_BYTES = 131_072
"""Of a line: the largest event there can be, with its escapes."""

_AT_ONCE = 256 * 1024

_LEVEL = 2
"""Ids and signatures do not pack. Of 80 half-moves 17 kB in 0.2 ms, and 16 in 1.4 at level 9."""

NO_EVENT = "0" * 48


@dataclass(frozen=True, slots=True)
class Line:
    """A version of the state, or a request, which shows nothing; ``event`` None: missing, or a
    deadline.
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
    ``first``, which a client knows by the first state. Without a ``chain`` lines are missing of
    which nothing tells: a release that keeps none played a part of the game.
    """

    game_id: str
    arbiter: str
    white: str
    black: str
    chain: str
    start_fen: str
    variant: Variant
    first: str = ""
    lines: tuple[Line, ...] = ()

    @property
    def missing(self) -> tuple[Line, ...]:
        return tuple(it for it in self.lines if it.event is None and it.deadline_ms is None)


def header(game: Game, arbiter: str) -> dict[str, str]:
    """The first line of a game's transcript: which game, and where its chain leads."""
    return {
        "game": game.id,
        "arbiter": arbiter,
        "white": game.white.player,
        "black": game.black.player,
        "start": game.start_fen,
        "variant": game.variant,
        "chain": game.chain.hex(),
    }


def packed(game: Game, arbiter: str, lines: Iterable[str], first: str = "") -> bytes:
    """The transcript of a game; each of the ``lines`` is JSON already (see ``line_json``). Without
    lines for the requests, ``first`` is the chain's first link.
    """
    head = header(game, arbiter) | ({"first": first} if first else {})
    text = b"\n".join((orjson.dumps(head), *(line.encode() for line in lines), b""))
    return gzip.compress(text, _LEVEL, mtime=0)


def line_json(id_: str, shown: str, event: str | None) -> str:
    """One line; the ``event`` is JSON, or None where there is none."""
    head = orjson.dumps({"id": id_, "shown": shown} if shown else {"id": id_}).decode()
    return f'{head[:-1]},"event":{event}}}' if event else head


def texts(octets: bytes) -> Iterator[bytes]:
    """The lines of a transcript's file, unpacked while they are taken. Raises ValueError for what
    is wrong, at the first place; no more than ``MAX_BYTES`` are read.
    """
    reader = zlib.decompressobj(wbits=31)
    rest, left = b"", MAX_BYTES
    while not reader.eof:
        try:
            part = reader.decompress(octets, min(_AT_ONCE, left) or 1)
        except zlib.error:
            raise ValueError("not gzip") from None
        octets, left = reader.unconsumed_tail, left - len(part)
        if left < 0 or (not part and not reader.eof):
            raise ValueError("cut" if left >= 0 else f"over {MAX_BYTES} bytes")
        *whole, rest = (rest + part).split(b"\n")
        for text in (*whole, rest):
            if len(text) > MAX_LINE_BYTES:
                raise ValueError(f"a line is over {MAX_LINE_BYTES} bytes")
        yield from whole
    if reader.unused_data:
        raise ValueError("longer than one file")
    if rest:
        yield rest


def unpack(octets: bytes) -> Transcript | str:
    """The transcript, or what is wrong with its form, and in which line. Neither ids nor signatures
    are checked.
    """
    number, first, lines = 0, None, list[Line]()
    try:
        for number, text in enumerate(texts(octets), 1):
            value = orjson.loads(text)
            if number == 1:
                first = _first(value)
            else:
                lines.append(_line(value))
    except KeyError as name:
        return f"not a transcript: line {number} has no {name}"
    except (ValueError, TypeError) as flaw:
        return f"not a transcript: line {number}: {flaw}"
    return replace(first, lines=tuple(lines)) if first else "not a transcript: no line"


def _first(value: Any) -> Transcript:  # noqa: ANN401 - JSON
    return Transcript(
        game_id=_text(value, "game"),
        arbiter=_hex(value, "arbiter"),
        white=_hex(value, "white"),
        black=_hex(value, "black"),
        chain=_hex(value, "chain") if value["chain"] else "",
        start_fen=_text(value, "start"),
        variant=Variant(value["variant"]),
        first=_hex(value, "first") if "first" in value else "",
    )


def _line(value: Any) -> Line:  # noqa: ANN401 - JSON
    event = event_from_json(value["event"]) if "event" in value else None
    if isinstance(event, ParseError):
        raise ValueError(event.text)  # noqa: TRY004 - as for all that is wrong with the form
    return Line(_hex(value, "id"), _text(value, "shown") if "shown" in value else "", event)


def _hex(values: Mapping[str, Any], name: str) -> str:
    if not is_hex_32_bytes(values[name]):
        raise ValueError(f"{name} is 64 lower-case hexadecimal digits")
    return str(values[name])


def _text(values: Mapping[str, Any], name: str) -> str:
    if not isinstance(values[name], str):
        raise ValueError(f"{name} is a text")  # noqa: TRY004 - as for all that is wrong with the form
    return str(values[name])
