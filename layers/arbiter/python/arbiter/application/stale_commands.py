"""Commands that name no game, and are not about the one that their author plays now."""

from arbiter.application.answer import ArbiterDeps, Result
from arbiter.application.game_answer import answer_about
from arbiter.application.redelivery import handle_duplicate
from arbiter.core.game import Game
from arbiter.core.replies import Reason, Rejected
from arbiter.dialects.base import Dialect, GameCommand

DATED_AHEAD_SECONDS = 1
"""A client that asks twice in a second must date the second request ahead, or both are one event;
what follows may be dated as it is.
"""


def meant_for_another(
    asked: GameCommand, game: Game, dialect: Dialect, received_at_ms: int | None
) -> str | None:
    """Why a command that names no game cannot be about this one: it came before the game began, or
    its author signed it before he asked for the game, or he plays this game on another wire.

    Clients send again what was not answered when they connect again, and a resignation of yesterday
    must not lose today's game.
    """
    color = game.color_of(asked.command.player)
    if not asked.found_by_author or color is None:
        return None
    seat = game.seat(color)
    if seat.dialect != dialect.name:
        return "your game was begun in another protocol: end it there"
    # Both dates are of his own clock, so it need not be right.
    is_older = asked.signed_at + DATED_AHEAD_SECONDS < dialect.asked_at(seat)
    if is_older or came_before(game, received_at_ms):
        return "sent before this game began"
    return None


def came_before(game: Game, received_at_ms: int | None) -> bool:
    """Whether this time of receipt (unix ms) is known and lies before the game's beginning."""
    return bool(received_at_ms and received_at_ms < game.created_at_ms)


def answer_too_late(
    bench: ArbiterDeps, game: Game, asked: GameCommand, event_id: str, dialect: Dialect, text: str
) -> Result:
    """The answer to a command that is not about the author's present game. If the one before it
    remembers the event, this is a later delivery, and nobody may have been told what came of it.
    """
    author = asked.command.player
    former_id = bench.lobby.player(author).former_game_id
    former = bench.games.load(former_id) if former_id else None
    if former is not None and former.remembers(bytes.fromhex(event_id)):
        return handle_duplicate(bench, former, asked, event_id, dialect)
    refusal = Rejected(author, Reason.STALE, text)
    return answer_about(Reason.STALE, game, (refusal,), event_id, dialect)
