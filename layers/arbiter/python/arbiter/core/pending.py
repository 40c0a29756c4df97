"""What came before the moves it answers: kept in the game until they are there.

The law: **what is held is not judged.** It is judged as if it came when its turn has come. Wires on
which each player keeps a log of his own deliver whole logs at once, so that a reply may come long
before the move it answers; a game holds a bounded number of them.
"""

from dataclasses import replace

from arbiter.core.commands import Command, MakeOffer, PendingCommand, PlayMove, Resign
from arbiter.core.game import Game

PENDING_PER_SEAT = 100
"""How many commands of one player a game holds. His part of nearly every game fits."""


def buffer(game: Game, command: Command, event_key: bytes) -> Game | None:
    """The game with this command held; None where it need not or cannot be.

    A move waits for those before it, and whatever else a player says waits for his own moves.
    """
    if not isinstance(command, PlayMove | Resign | MakeOffer) or game.outcome is not None:
        return None
    own = [held for held in game.pending if held.command.player == command.player]
    if isinstance(command, PlayMove):
        waits = command.ply is not None and command.ply > game.ply + 1
    else:
        waits = bool(own)
    if not waits or len(own) >= PENDING_PER_SEAT:
        return None
    return replace(game, pending=(*game.pending, PendingCommand(event_key, command)))


def pop_ready(game: Game) -> tuple[Game, PendingCommand] | None:
    """The game without the next command whose turn has come, and that command; None if none's has.

    A move's turn has come when those before it are played, or when the game is over.
    """
    waiting: set[str] = set()
    for at, held in enumerate(game.pending):
        command = held.command
        if isinstance(command, PlayMove):
            is_due = command.ply is None or command.ply <= game.ply + 1
        else:
            is_due = command.player not in waiting
        if is_due or game.outcome is not None:
            return replace(game, pending=(*game.pending[:at], *game.pending[at + 1 :])), held
        waiting.add(command.player)
    return None
