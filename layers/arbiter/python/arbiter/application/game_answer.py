"""What is answered about one game: what there is to say, the word for the log, and the game to name
if it must be said again.
"""

from arbiter.application.answer import Result
from arbiter.application.republish import Republish
from arbiter.core.game import Game
from arbiter.core.replies import (
    GameEnded,
    GameStarted,
    MovePlayed,
    Rejected,
    RematchAgreed,
    Reply,
    StateShown,
)
from arbiter.dialects.base import Dialect


def current_replies(game: Game) -> tuple[Reply, ...]:
    """What there is to say of a game as it stands: replies are derived from the state, so they can
    be derived again.
    """
    if game.outcome is not None:
        return (GameEnded(game),)
    return (GameStarted(game),) if game.ply == 0 else (MovePlayed(game),)


def status_of(replies: tuple[Reply, ...]) -> str:
    """One machine word for the log, by the last of these replies; ``held`` if there are none."""
    match replies[-1] if replies else None:
        case None:
            return "held"
        case Rejected() as rejected:
            return rejected.reason
        case GameEnded(game) if game.outcome is not None:
            return game.outcome.termination
        case StateShown():
            return "shown"
        case GameStarted() | RematchAgreed():
            return "paired"
        case _:
            return "played"


def answer_about(
    status: str, game: Game | None, replies: tuple[Reply, ...], event_id: str, dialect: Dialect
) -> Result:
    """The answer to this event in its dialect; without a game nothing need be said again."""
    return Result(
        status=status,
        replies=replies,
        event_key=event_id,
        asked_in=dialect.name,
        game_id=game.id if game else None,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms) if game else None,
    )
