"""Whether the state that a move names is the one that stands, which was told under many ids."""

from collections.abc import Iterator
from dataclasses import replace

from arbiter.application.timestamps import STEPS_OF_FORMER_CHECKED, possible_dates
from arbiter.core.commands import Answers, Command, PlayMove
from arbiter.core.model import Game
from arbiter.dialects.dialect import Dialect, GameCommand


def resolve(asked: GameCommand, game: Game, dialect: Dialect, server: str, now_ms: int) -> Command:
    """The command that is asked for, knowing of a move that names a state (64 hex) whether that is
    the latest.
    """
    if asked.state_id is None or not isinstance(asked.command, PlayMove):
        return asked.command
    if game.outcome is not None or game.color_of(asked.command.player) is None:
        # Refused whatever it answers, and a bogus state id would cost two weeks of hashes.
        return asked.command
    latest = any(
        dialect.shows(view, asked.state_id, server, dates)
        for view, dates in _editions(game, now_ms)
    )
    return replace(asked.command, answers=Answers.LATEST if latest else Answers.OLDER)


def _editions(game: Game, now_ms: int) -> Iterator[tuple[Game, Iterator[int]]]:
    """The present position as players may have seen it, newest first, and how each may be dated.

    An offer makes another edition, and a move that answers the one before is no less in time.
    """
    yield game, possible_dates(game.changed_at_ms, now_ms)
    until_ms = game.changed_at_ms
    for edition in reversed(game.former):
        yield (
            replace(
                game,
                edition=edition.number,
                changed_at_ms=edition.since_ms,
                offer=edition.offer,
            ),
            possible_dates(edition.since_ms, until_ms, STEPS_OF_FORMER_CHECKED),
        )
        until_ms = edition.since_ms
