"""Flag fall, computed.

Invariant: a move received before the deadline is in time, however late it is decided; other
commands call a flag only after moves in time had ``SETTLE_MS`` to arrive.
"""

from arbiter.core.clocks import SETTLE_MS
from arbiter.core.commands import Command, PlayMove
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game, Outcome, Termination
from arbiter.core.helpmate import can_mate


def fallen(
    game: Game, command: Command, received_at_ms: int, stood_still_ms: int
) -> Outcome | None:
    """The outcome on time, if ``is_time_up``; else None."""
    return timeout(game) if is_time_up(game, command, received_at_ms, stood_still_ms) else None


def is_time_up(game: Game, command: Command, received_at_ms: int, stood_still_ms: int) -> bool:
    """Whether the side to move ran out of time before this command was received, ``stood_still_ms``
    of pause deducted.
    """
    deadline_ms = game.deadline_ms()
    if deadline_ms is None:
        return False
    deadline_ms += stood_still_ms
    if isinstance(command, PlayMove) and game.color_of(command.player) == game.turn:
        return command.received_at_ms > deadline_ms
    return received_at_ms >= deadline_ms + SETTLE_MS


def is_out_of_time(game: Game, command: Command, received_at_ms: int, stood_still_ms: int) -> bool:
    """Whether the side to move sends this after their deadline, even if their flag cannot be called
    yet.
    """
    deadline_ms = game.deadline_ms()
    is_own = game.color_of(command.player) == game.turn
    return deadline_ms is not None and is_own and received_at_ms > deadline_ms + stood_still_ms


def timeout(game: Game) -> Outcome:
    """The outcome when the side to move runs out of time."""
    if game.ply < OPENING_PLIES:
        return Outcome(Termination.ABORTED, None, aborted_by=game.turn)
    # FIDE 6.9: "the game is drawn if the position is such that the opponent cannot checkmate the
    # player's king by any possible series of legal moves."
    winner = not game.turn
    return Outcome(Termination.TIMEOUT, winner if can_mate(game.board(), winner) else None)
