"""Every dialect of the arbiter."""

from collections.abc import Iterable

from arbiter.core.game import BLACK, WHITE, Game
from arbiter.dialects import chat, hot_seat, native, nip100, tournaments
from arbiter.dialects.base import Dialect
from arbiter.dialects.jester import decode as jester
from arbiter.dialects.ssb import decode as ssb


def by_kind(dialects: Iterable[Dialect]) -> dict[int, Dialect]:
    """The dialect of each kind. Raises ValueError when two of them claim the same one."""
    owners: dict[int, Dialect] = {}
    for dialect in dialects:
        for kind in dialect.kinds:
            owner = owners.setdefault(kind, dialect)
            if owner is not dialect:
                raise ValueError(f"{owner.name} and {dialect.name} both claim kind {kind}")
    return owners


_ALL = (
    native.DIALECT,
    nip100.DIALECT,
    hot_seat.DIALECT,
    ssb.DIALECT,
    jester.DIALECT,
    chat.DIALECT,
    tournaments.DIALECT,
)

DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}

BY_KIND: dict[int, Dialect] = by_kind(_ALL)

SEEK_KINDS: frozenset[int] = frozenset(
    kind for dialect in DIALECTS.values() for kind in dialect.seeks
)
"""Kinds by which players ask for a game, in any dialect."""


def is_by_correspondence(game: Game) -> bool:
    """Whether a player of this game plays it by correspondence, and it has no clock."""
    seats = (game.seat(color) for color in (WHITE, BLACK))
    return game.clocks is None and any(DIALECTS[seat.dialect].chain for seat in seats)
