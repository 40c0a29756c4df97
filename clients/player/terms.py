"""The terms of a game, and their tags: time control, mode, variant, start and who may play."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import chess

from arbiter.nostr.event import Tag
from clients.player.text import clean

OPEN = "open"
"""A challenge to the first player who accepts."""

MAX_FEN_CHARS = 100

_LIVE = re.compile(r"([0-9]{1,5})\+([0-9]{1,3})")
_DAYS = re.compile(r"([0-9]{1,2})d")
_RATING = re.compile(r"[0-9]{1,4}")


class Speed(StrEnum):
    """The speeds that have a rating."""

    BULLET = "bullet"
    BLITZ = "blitz"
    RAPID = "rapid"
    CLASSICAL = "classical"
    CORRESPONDENCE = "correspondence"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Seconds and increment, or days a move."""

    base: int = 0
    increment: int = 0
    days: int = 0

    def __str__(self) -> str:
        return f"{self.days}d" if self.days else f"{self.base}+{self.increment}"

    @property
    def speed(self) -> Speed:
        """PROTOCOL.md, Ratings: by base + 40 increments."""
        if self.days:
            return Speed.CORRESPONDENCE
        estimate = self.base + 40 * self.increment
        limits = ((180, Speed.BULLET), (480, Speed.BLITZ), (1500, Speed.RAPID))
        return next((speed for limit, speed in limits if estimate < limit), Speed.CLASSICAL)


def read_time(text: str) -> TimeControl | None:
    """`180+2` or `3d`, as on the wire."""
    if live := _LIVE.fullmatch(text):
        base, increment = int(live[1]), int(live[2])
        return TimeControl(base, increment) if base or increment else None
    if days := _DAYS.fullmatch(text):
        return TimeControl(days=int(days[1])) if int(days[1]) else None
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The defaults are those of a request without tags; spelled as on the wire. ``by_bot``: the
    author is a program; ``bots``: they play programs.
    """

    time: TimeControl | None = None
    rated: bool = False
    color: str | None = None
    rating: tuple[int, int] | None = None
    variant: str = "standard"
    start: str | None = None
    by_bot: bool = False
    bots: bool = False
    challenge: str | None = None
    link_key: str | None = None
    """The public key of the challenge's link; empty until there is one."""

    @property
    def chess960(self) -> bool:
        return self.variant == "chess960"

    @property
    def is_live(self) -> bool:
        """Whether a clock runs: a player has one such game at a time."""
        return self.time is not None and not self.time.days


def terms_tags(terms: Terms) -> tuple[Tag, ...]:
    """The tags of a request; none for the plain game."""
    key = (terms.link_key,) if terms.link_key else ()
    tags: tuple[tuple[object, Tag], ...] = (
        (terms.time, ("time", str(terms.time))),
        (terms.rated, ("mode", "rated")),
        (terms.color, ("color", terms.color or "")),
        (terms.rating, ("rating", *map(str, terms.rating or ()))),
        (terms.variant != "standard", ("variant", terms.variant)),
        (terms.start, ("start", terms.start or "")),
        (terms.by_bot, ("bot", "true")),
        (terms.bots, ("bots", "welcome")),
        (terms.challenge, ("challenge", terms.challenge or "", *key)),
    )
    return tuple(tag for is_given, tag in tags if is_given)


def terms_of(tags: Sequence[Tag]) -> Terms | None:
    """The terms of a challenge; None if a tag cannot be read that decides what is played."""
    found = {tag[0]: tag[1:] for tag in reversed(tags) if len(tag) > 1}
    first = {name: values[0] for name, values in found.items()}
    time = read_time(first["time"]) if "time" in first else None
    start, rating = first.get("start"), found.get("rating", ())
    variant = clean(first.get("variant", "standard"), 20)
    if "time" in first and time is None:
        return None
    if start is not None and read_fen(start, chess960=variant == "chess960") is None:
        return None
    bounded = len(rating) == 2 and all(map(_RATING.fullmatch, rating))  # noqa: PLR2004 - both ends
    return Terms(
        time=time,
        rated=first.get("mode") == "rated",
        color=first["color"] if first.get("color") in ("white", "black") else None,
        rating=(int(rating[0]), int(rating[1])) if bounded else None,
        variant=variant,
        start=start,
        by_bot=first.get("bot") == "true",
    )


def read_fen(fen: str, *, chess960: bool = False) -> chess.Board | None:
    """The position in a FEN; None if it is malformed or lacks a king."""
    if len(fen) > MAX_FEN_CHARS or not (fen.isascii() and fen.isprintable()):
        return None
    try:
        board = chess.Board(fen, chess960=chess960)
    except ValueError:
        return None
    one_king_each = all(len(board.pieces(chess.KING, color)) == 1 for color in chess.COLORS)
    return board if one_king_each else None
