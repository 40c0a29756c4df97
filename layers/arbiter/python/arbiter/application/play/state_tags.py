"""The state that a command is about: that of its ``e`` tag, which may have several dates, or, where
it names no game, one that its author can have seen.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from arbiter.application.answers import was_answer
from arbiter.application.deps import ArbiterDeps
from arbiter.core.commands import (
    AnsweredState,
    Command,
    DeclineOffer,
    MakeOffer,
    OfferKind,
    ShowState,
    Tick,
    Unrecognized,
)
from arbiter.core.game import Game
from arbiter.core.rules import STATE_KNOWN_MS
from arbiter.core.vacations import as_of_version
from arbiter.dialects.base import Dialect, GameCommand

CHECKED_SECONDS = STATE_KNOWN_MS // 1000
"""Age of the dates that are tried against an ``e`` tag: some 60 ms of hashes."""

SKEW_SECONDS = 60
"""By how much the clock of the process that dated a state may be ahead of this one."""


def possible_dates(since_ms: int, until_ms: int, now_ms: int) -> Iterator[int]:
    """Every ``created_at`` that this state may have in the last hour, the likeliest first."""
    first, last = since_ms // 1000, until_ms // 1000 + SKEW_SECONDS
    before = max(first, now_ms // 1000 - CHECKED_SECONDS - 1)
    return chain((first,), range(last, before, -1))


def are_all_checked(since_ms: int, now_ms: int) -> bool:
    """Whether `possible_dates` has every date of a state that was made at that time."""
    return since_ms // 1000 >= now_ms // 1000 - CHECKED_SECONDS


def _answered(deps: ArbiterDeps, game: Game, event_id: str, now_ms: int) -> Game | None:
    """The version of the position that this answer (64 hex) showed in the last hour, if any."""
    if not was_answer(deps, game.id, event_id, now_ms):
        return None
    versions = (version for version, _ in _versions(game, now_ms))
    return next(
        (it for it in versions if was_answer(deps, game.id, event_id, now_ms, it.state_version)),
        None,
    )


def resolve_state_tag(
    deps: ArbiterDeps, asked: GameCommand, game: Game, dialect: Dialect, now_ms: int
) -> Command:
    """The command, with the relation of the state it names (64 hex) to the present one."""
    command = asked.command
    if asked.state_id is None or isinstance(command, ShowState | Tick | Unrecognized):
        return command
    is_rematch = isinstance(command, MakeOffer | DeclineOffer) and command.kind is OfferKind.REMATCH
    if game.color_of(command.player) is None or (game.outcome is not None and not is_rematch):
        # Refused whatever it answers, and a bogus state id would cost an hour of hashes.
        return command
    last = asked.state_id, str(game.state_version), game.changed_at_ms // 1000
    if deps.last_shown.get(game.id) == last:  # what hashing finds too, at the first of its dates
        return replace(command, answers=AnsweredState.LATEST)
    shown = next(
        (
            version
            for version, dates in _versions(game, now_ms)
            if dialect.shows(version, asked.state_id, deps.server, dates)
        ),
        None,
    ) or _answered(deps, game, asked.state_id, now_ms)
    if shown is not None:
        answers = AnsweredState.LATEST if shown is game else AnsweredState.EARLIER_VERSION
    elif are_all_checked(game.position_since_ms, now_ms):
        answers = AnsweredState.OLDER
    else:
        answers = AnsweredState.UNPLACED
    return replace(command, answers=answers)


def _versions(game: Game, now_ms: int) -> Iterator[tuple[Game, Iterator[int]]]:
    """The present position as players may have seen it, newest first, with possible dates: an offer
    makes another version, and a command that answers the one before is in time.
    """
    yield game, possible_dates(game.changed_at_ms, now_ms, now_ms)
    until_ms = game.changed_at_ms
    for version in reversed(game.earlier_versions):
        shown = replace(
            as_of_version(game, version.number),
            state_version=version.number,
            changed_at_ms=version.since_ms,
            offer=version.offer,
            chain=version.chain or game.chain,
            next_game_id=None,
        )
        yield shown, possible_dates(version.since_ms, until_ms, now_ms)
        until_ms = version.since_ms


DATED_AHEAD_SECONDS = 1
"""A client that asks twice in a second must date the second request ahead."""


def meant_for_another(
    asked: GameCommand, game: Game, dialect: Dialect, received_at_ms: int | None
) -> str | None:
    """Why a command that names no game cannot be about this one: it came before it, was signed
    before its author asked, or is of another dialect. Clients send again what was not answered, and
    yesterday's resignation must not lose today's game.
    """
    color = game.color_of(asked.command.player)
    if not asked.found_by_author or color is None:
        return None
    seat = game.seat(color)
    if seat.dialect != dialect.name:
        return "your game was begun in another protocol: end it there"
    # Both dates are of the author's own clock, so it need not be right.
    asked_at = dialect.socket.asked_at(seat) if dialect.socket else 0
    is_older = asked.signed_at + DATED_AHEAD_SECONDS < asked_at
    if is_older or came_before(game, received_at_ms):
        return "sent before this game began"
    return None


def came_before(game: Game, received_at_ms: int | None) -> bool:
    """Whether this time of receipt (unix ms) is known and before the game's beginning."""
    return bool(received_at_ms and received_at_ms < game.created_at_ms)
