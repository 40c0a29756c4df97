"""A game's end, met as often as a record of it comes: its result in a tournament, and ratings."""

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.ratings import rating_of_end
from arbiter.application.ports import QueueRejected
from arbiter.application.tournaments.messages import game_over_entry
from arbiter.core.game import Game
from arbiter.core.ratings import RatedGame


def settle_end(deps: ArbiterDeps, game: Game) -> tuple[RatedGame, ...]:
    """Tell a finished game's tournament, and rate the game: its changes of the ratings. Raises
    ``Contended``, and for infrastructure: the record comes again.
    """
    over = game_over_entry(game)
    if over is not None and deps.queue.send((over,)):
        raise QueueRejected("the end of a game in a tournament")
    return rating_of_end(deps, game)
