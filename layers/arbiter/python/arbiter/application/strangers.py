"""Which strangers are named who write into a refereed game where anybody can: in the clients of
kind 30 their moves are moves.

A few of them in a game, each once: the count is of all processes, and what strangers cannot make us
do is to write for each of them.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.core.game import Game
from arbiter.core.replies import Reason, Rejected, Reply
from arbiter.dialects.base import Dialect

NAMED_STRANGERS = 3
"""In a game, in so long."""

NAMED_SECONDS = 30 * 24 * 60 * 60


def named(
    deps: ArbiterDeps, dialect: Dialect, game: Game, replies: tuple[Reply, ...], now_ms: int
) -> tuple[Reply, ...]:
    """The replies, with the game in a refusal of a stranger who is to be named in it."""
    return tuple(
        replace(reply, game=game)
        if isinstance(reply, Rejected)
        and reply.reason is Reason.NOT_A_PLAYER
        and _is_refereed(dialect, game)
        and _is_one_of_few(deps, game, reply.author, now_ms)
        else reply
        for reply in replies
    )


def _is_refereed(dialect: Dialect, game: Game) -> bool:
    """Whether both players began the game by themselves in this dialect, and it goes on."""
    seats = (game.white, game.black)
    return game.outcome is None and all(
        seat.dialect == dialect.name and dialect.is_refereed(seat) for seat in seats
    )


def _is_one_of_few(deps: ArbiterDeps, game: Game, author: str, now_ms: int) -> bool:
    """Whether this stranger is to be named, and then counted."""
    if deps.rate_limits is None:
        return False
    of_game, of_author = f"strangers:{game.id}", f"stranger:{game.id}:{author}"
    try:
        # After the few, one count is all that any stranger costs.
        return (
            deps.rate_limits.take(of_game, NAMED_STRANGERS - 1, NAMED_SECONDS, now_ms, 0)
            and deps.rate_limits.take(of_author, 1, NAMED_SECONDS, now_ms)
            and deps.rate_limits.take(of_game, NAMED_STRANGERS, NAMED_SECONDS, now_ms)
        )
    except Exception:  # noqa: BLE001 - for a count that fails no event waits
        return False
