"""What a player asks for before a game, and whether two who ask suit each other."""

from dataclasses import dataclass, replace
from enum import StrEnum

import chess

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Variant

UNRATED = 1500
"""What somebody without a rating counts as, when an opponent asks for a range."""

MAX_FULLMOVES = 1000
"""The highest move number of a given position: nobody plays so long."""

OPEN = "open"
"""The opponent of a challenge that whoever answers first may play."""


class ColorPreference(StrEnum):
    """Which colour a player wants."""

    WHITE = "white"
    BLACK = "black"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What one player asks for; the defaults are what a plain request means.

    ``opponent`` is the one who is challenged, ``OPEN``, or None for whoever waits in the pool.
    ``rating_range`` holds both ends. ``link_key`` is a public key (64 hex): an open challenge that
    has one is for those who can sign with its secret half, which is in the link.
    """

    time: TimeControl | None = None
    rated: bool = False
    variant: Variant = Variant.STANDARD
    color: ColorPreference = ColorPreference.RANDOM
    rating_range: tuple[int, int] | None = None
    is_bot: bool = False
    welcomes_bots: bool = False
    start_fen: str | None = None
    opponent: str | None = None
    link_key: str | None = None

    @property
    def pool(self) -> str:
        """The name of the pool in which those wait who ask for the same kind of game."""
        mode = "rated" if self.rated else "casual"
        return f"{self.variant}:{self.time or 'unlimited'}:{mode}"


def flaw(terms: Terms) -> str | None:
    """Why these terms contradict themselves, or None."""
    if terms.rated and (terms.time is None or terms.variant is not Variant.STANDARD):
        return "mode: rated needs standard chess and a time"
    is_with_stranger = terms.opponent in (None, OPEN)
    if terms.rated and is_with_stranger and terms.color is not ColorPreference.RANDOM:
        return "color: in a rated game with a stranger it is drawn by lot; ask without it"
    if terms.rating_range and terms.rating_range[0] > terms.rating_range[1]:
        return "rating: the lower end comes first"
    if terms.start_fen is None:
        return None
    if terms.rated or terms.opponent is None:
        return "start: only for casual challenges"
    return flaw_of_position(terms.start_fen, terms.variant)


def flaw_of_position(fen: str, variant: Variant) -> str | None:
    """Why no game can start from this FEN, or None.

    python-chess reads a board with two kings or none, or the billionth move. After too many without
    a pawn's move or a capture the game is over.
    """
    try:
        board = chess.Board(fen, chess960=variant is Variant.CHESS960)
    except ValueError:
        return "start: not a FEN"
    if not board.is_valid() or board.fullmove_number > MAX_FULLMOVES:
        return "start: no game could reach this position"
    if board.outcome() is not None:
        return "start: the game is over in this position"
    return None


def spelled(terms: Terms) -> Terms:
    """Terms without a flaw, with a given position in its one spelling.

    python-chess reads a FEN with parts left out and with any white space; but whose turn it is, is
    read from the text, and the text goes into a tag of a PGN, which no line break may enter.
    """
    if terms.start_fen is None:
        return terms
    board = chess.Board(terms.start_fen, chess960=terms.variant is Variant.CHESS960)
    return replace(terms, start_fen=board.fen())


PLAIN = Terms()
"""What a request without a word of terms asks for."""


def suit(one: Terms, one_rating: int, other: Terms, other_rating: int) -> bool:
    """Whether two players of one pool may meet."""
    return (
        in_range(one.rating_range, other_rating)
        and in_range(other.rating_range, one_rating)
        and (one.color is ColorPreference.RANDOM or one.color is not other.color)
        and (other.welcomes_bots or not one.is_bot)
        and (one.welcomes_bots or not other.is_bot)
    )


def in_range(wanted: tuple[int, int] | None, rating: int) -> bool:
    """Whether a rating lies in a range, both ends included; no range holds them all."""
    return wanted is None or wanted[0] <= rating <= wanted[1]
