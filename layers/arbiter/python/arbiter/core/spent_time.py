"""The time of each move of a live game, for its PGN, in seconds, most of which take a byte."""

from dataclasses import replace

from arbiter.core.game import Game

_MAX_SPENT_S = 0xD7FF
"""The last character before the surrogates: see ``adapters/items/games.py``. Some 15 hours."""


def with_time_spent(played: Game) -> Game:
    """The game with its last move's seconds, as a PGN's reader reckons them."""
    clocks = played.clocks
    if clocks is None or not clocks.control.is_live or len(played.spent_s) != played.ply - 1:
        return played
    last = played.ply - 1
    believed = ([clocks.control.start_ms // 1000] * 2 + seconds_left(played))[-2]
    if last >= 2:  # noqa: PLR2004 - first moves earn no increment
        believed += clocks.control.increment_ms // 1000
    spent_s = believed - clocks.left_ms(white=played.mover(last)) // 1000
    return replace(played, spent_s=(*played.spent_s, min(max(0, spent_s), _MAX_SPENT_S)))


def seconds_left(game: Game) -> list[int]:
    """The seconds left to each mover after their move, of the moves whose time is known."""
    if game.clocks is None:
        return []
    control = game.clocks.control
    left: list[int] = []
    for ply, spent_s in enumerate(game.spent_s):
        is_first = ply < 2  # noqa: PLR2004 - one first move each, without an increment
        before = control.start_ms // 1000 if is_first else left[ply - 2]
        left.append(before - spent_s + (0 if is_first else control.increment_ms // 1000))
    return left
