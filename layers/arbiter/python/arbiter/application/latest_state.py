"""Whether the state that a command names is the present one, which was told under many ids."""

from collections.abc import Iterator
from dataclasses import replace

from arbiter.application.timestamps import are_all_checked, possible_dates
from arbiter.core.commands import (
    AnsweredState,
    Command,
    DeclineOffer,
    MakeOffer,
    ShowState,
    Tick,
    Unrecognized,
)
from arbiter.core.game import Game, OfferKind
from arbiter.dialects.base import Dialect, GameCommand


def resolve_state_tag(
    asked: GameCommand, game: Game, dialect: Dialect, server: str, now_ms: int
) -> Command:
    """The command that is asked for; of one that names a state (64 hex), which one that is."""
    command = asked.command
    if asked.state_id is None or isinstance(command, ShowState | Tick | Unrecognized):
        return command
    is_rematch = isinstance(command, MakeOffer | DeclineOffer) and command.kind is OfferKind.REMATCH
    if game.color_of(command.player) is None or (game.outcome is not None and not is_rematch):
        # Refused whatever it answers, and a bogus state id would cost an hour of hashes.
        return command
    shown = next(
        (
            edition
            for edition, dates in _editions(game, now_ms)
            if dialect.shows(edition, asked.state_id, server, dates)
        ),
        None,
    )
    if shown is not None:
        answers = AnsweredState.LATEST if shown is game else AnsweredState.EARLIER_EDITION
    elif are_all_checked(game.position_since_ms, now_ms):
        answers = AnsweredState.OLDER
    else:
        answers = AnsweredState.UNPLACED
    return replace(command, answers=answers)


def _editions(game: Game, now_ms: int) -> Iterator[tuple[Game, Iterator[int]]]:
    """The present position as players may have seen it, newest first, and how each may be dated.

    An offer makes another edition, and a command that answers the one before is no less in time.
    """
    yield game, possible_dates(game.changed_at_ms, now_ms, now_ms)
    until_ms = game.changed_at_ms
    for edition in reversed(game.earlier_versions):
        shown = replace(
            game,
            state_version=edition.number,
            changed_at_ms=edition.since_ms,
            offer=edition.offer,
            next_game_id=None,
        )
        yield shown, possible_dates(edition.since_ms, until_ms, now_ms)
        until_ms = edition.since_ms
