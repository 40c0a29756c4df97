"""The terms of a request to play, and whether two requests suit each other."""

from dataclasses import dataclass, replace
from enum import StrEnum

import chess

from arbiter.core.clocks import TimeControl
from arbiter.core.game import Variant

UNRATED = 1500
"""Rating of an unrated player when an opponent asks for a rating range."""

MAX_FULLMOVES = 1000
"""The highest move number of a given start position."""

OPEN = "open"
"""The opponent of an open challenge: the first player who accepts."""


class ColorPreference(StrEnum):
    """The colour that a player wants."""

    WHITE = "white"
    BLACK = "black"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms that one player asks for, by default without any. ``opponent`` is a player,
    ``OPEN``, or None: the pool. ``rating_range`` includes both ends; ``link_key`` is the public key
    of a link; in ``dialect`` the opponent is to ask for a game, which accepts.
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
    dialect: str | None = None

    @property
    def pool(self) -> str:
        mode = "rated" if self.rated else "casual"
        return f"{self.variant}:{self.time or 'unlimited'}:{mode}"


def flaw(terms: Terms) -> str | None:
    if terms.rated and (terms.time is None or terms.variant is not Variant.STANDARD):
        return "mode: rated needs standard chess and a time"
    is_unnamed = terms.opponent in (None, OPEN)
    if terms.rated and is_unnamed and terms.color is not ColorPreference.RANDOM:
        return "color: in a rated game name the opponent, or ask without it"
    if terms.rating_range and terms.rating_range[0] > terms.rating_range[1]:
        return "rating: the lower end comes first"
    if terms.dialect and (is_unnamed or _besides_the_invited(terms) != PLAIN):
        return "dialect: only in a casual challenge by name, without a clock"
    if terms.start_fen is None:
        return None
    if terms.rated or terms.opponent is None:
        return "start: only for casual challenges"
    return flaw_of_position(terms.start_fen, terms.variant)


def flaw_of_position(fen: str, variant: Variant) -> str | None:
    """The reason why no game can start from this FEN, or None; stricter than python-chess."""
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
    """Flawless terms with the position as python-chess writes it, without line breaks."""
    if terms.start_fen is None:
        return terms
    board = chess.Board(terms.start_fen, chess960=terms.variant is Variant.CHESS960)
    return replace(terms, start_fen=board.fen())


PLAIN = Terms()


def _besides_the_invited(terms: Terms) -> Terms:
    return replace(terms, opponent=None, color=PLAIN.color, dialect=None)


def suit(one: Terms, one_rating: int, other: Terms, other_rating: int) -> bool:
    return (
        in_range(one.rating_range, other_rating)
        and in_range(other.rating_range, one_rating)
        and (one.color is ColorPreference.RANDOM or one.color is not other.color)
        and (other.welcomes_bots or not one.is_bot)
        and (one.welcomes_bots or not other.is_bot)
    )


def in_range(wanted: tuple[int, int] | None, rating: int) -> bool:
    return wanted is None or wanted[0] <= rating <= wanted[1]
