"""Flag fall, by arithmetic.

The law: a move that was received before the deadline is in time, however late it is decided; and
nobody else's word ends a game on time before moves in time had a chance to arrive.
"""

from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import Command, PlayMove
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.helpmate import can_mate


def fallen(
    game: Game, command: Command, received_at_ms: int, stood_still_ms: int
) -> Outcome | None:
    """The outcome, if ``is_time_up``."""
    return timeout(game) if is_time_up(game, command, received_at_ms, stood_still_ms) else None


def is_time_up(game: Game, command: Command, received_at_ms: int, stood_still_ms: int) -> bool:
    """Whether the side to move had run out of time when this command was received, its clock having
    stood still for so long.
    """
    deadline_ms = game.deadline_ms()
    if deadline_ms is None:
        return False
    deadline_ms += stood_still_ms
    if isinstance(command, PlayMove) and game.color_of(command.player) == game.turn:
        return command.received_at_ms > deadline_ms
    return received_at_ms >= deadline_ms + SETTLE_MS


def is_out_of_time(game: Game, command: Command, received_at_ms: int, stood_still_ms: int) -> bool:
    """Whether the side to move says this when their time was up, though the flag stands because a
    move in time may still be on its way.
    """
    deadline_ms = game.deadline_ms()
    is_own = game.color_of(command.player) == game.turn
    return deadline_ms is not None and is_own and received_at_ms > deadline_ms + stood_still_ms


def timeout(game: Game) -> Outcome:
    """What it means that the side to move has run out of time."""
    if game.ply < OPENING_PLIES:
        return Outcome(Termination.ABORTED, None, aborted_by=game.turn)
    # FIDE 6.9: "the game is drawn if the position is such that the opponent cannot checkmate the
    # player's king by any possible series of legal moves."
    winner = not game.turn
    return Outcome(Termination.TIMEOUT, winner if can_mate(game.board(), winner) else None)
