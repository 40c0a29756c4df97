"""Commands that came before the moves they answer, buffered in the game.

Wires on which each player keeps a log of their own deliver whole logs at once, so a reply may come
long before the move it answers. Invariant: a buffered command is decided as if it came when its
turn has come.
"""

from dataclasses import replace

from arbiter.core.commands import Command, MakeOffer, PendingCommand, PlayMove, Resign
from arbiter.core.game import Game

PENDING_PER_SEAT = 100
"""How many commands of one player a game buffers: one side's moves of nearly any game."""


def buffer(game: Game, command: Command, event_key: bytes) -> Game | None:
    """The game with this command buffered; None if it need not or cannot be.

    A move waits for the moves before it, any other command for its author's buffered moves.
    """
    if not isinstance(command, PlayMove | Resign | MakeOffer) or game.outcome is not None:
        return None
    own = [one for one in game.pending if one.command.player == command.player]
    if isinstance(command, PlayMove):
        waits = command.ply is not None and command.ply > game.ply + 1
    else:
        waits = bool(own)
    if not waits or len(own) >= PENDING_PER_SEAT:
        return None
    return replace(game, pending=(*game.pending, PendingCommand(event_key, command)))


def pop_ready(game: Game) -> tuple[Game, PendingCommand] | None:
    """The game without the next command whose turn has come, and that command; None if there is
    none. A move's turn has come when the moves before it are played, or the game is over.
    """
    waiting: set[str] = set()
    for at, one in enumerate(game.pending):
        command = one.command
        if isinstance(command, PlayMove):
            is_due = command.ply is None or command.ply <= game.ply + 1
        else:
            is_due = command.player not in waiting
        if is_due or game.outcome is not None:
            return replace(game, pending=(*game.pending[:at], *game.pending[at + 1 :])), one
        waiting.add(command.player)
    return None
