"""The lines of a player as they come: encrypted for the arbiter, by who plays natively."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.core.commands import Command, SetLines, Unrecognized
from arbiter.core.game import Game
from arbiter.dialects.base import Dialect
from arbiter.dialects.lines import MAX_SEALED_CHARS, read_lines


def opened(deps: ArbiterDeps, dialect: Dialect, game: Game, command: Command) -> Command:
    """The command with its lines read, if it has any. Raises for infrastructure."""
    color = game.color_of(command.player)
    if not isinstance(command, SetLines) or color is None or game.outcome is not None:
        return command
    if game.seat(color).dialect != dialect.name:
        return Unrecognized(command.player, "you play this game in another protocol")
    text = None
    if deps.encrypter is not None and len(command.sealed) <= MAX_SEALED_CHARS:
        text = deps.encrypter.decrypt(command.player, command.sealed)
    if text is None:
        return Unrecognized(command.player, "lines are encrypted for the arbiter (NIP-44)")
    lines = read_lines(text)
    if isinstance(lines, str):
        return Unrecognized(command.player, lines)
    return replace(command, lines=lines)
