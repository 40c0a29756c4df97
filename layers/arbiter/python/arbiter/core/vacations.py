"""Vacations: days for which a player's clock rests in a game by days, of one game, as ICCF's leave
is.

Whole days from the moment it is asked for, or from the end of the one under way; the operator says
how many a year. It is not for the last hour of a move. The same word signed again takes its days
once.
"""

from dataclasses import replace

import chess

from arbiter.core.clocks import DAY_MS, Clocks
from arbiter.core.commands import AnsweredState, TakeVacation
from arbiter.core.game import Game, Vacation
from arbiter.core.replies import Decision, GameChanged, Reason, refuse
from arbiter.core.rules import Rules

YEAR_MS = 365 * DAY_MS

LAST_MS = 60 * 60_000
"""The part of a move's time in which none begins."""


def take_vacation(
    game: Game, command: TakeVacation, color: chess.Color, now_ms: int, rules: Rules
) -> Decision:
    clocks = game.clocks
    if clocks is None or clocks.control.is_live or game.tournament:
        text = "a vacation is for games by days, outside events"
        return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
    if command.answers is AnsweredState.EARLIER_VERSION and _has_begun(game, color):
        text = "you took days off since that state: name the latest to take more"
        return refuse(game, command, Reason.STALE, text)
    left = days_left(game, color, now_ms, rules)
    if not 1 <= command.days <= left:
        text = f"you have {left} days left of {rules.vacation_days} a year in this game"
        return refuse(game, command, Reason.NOT_OFFERED_HERE, text)
    since_ms = max(now_ms, ends_ms(game, color))
    taken = Vacation(color, since_ms, command.days, game.state_version + 1)
    away = replace(game.with_offer(game.offer, now_ms), vacations=(*game.vacations, taken))
    if game.turn == color:
        away = replace(away, clocks=clocks.charged(-command.days * DAY_MS, white=color))
    return Decision(away, (GameChanged(away),))


def _has_begun(game: Game, color: chess.Color) -> bool:
    since_ms = game.position_since_ms
    return any(it.color == color and it.since_ms >= since_ms for it in game.vacations)


def days_left(game: Game, color: chess.Color, now_ms: int, rules: Rules) -> int:
    recent = (it for it in game.vacations if it.color == color and now_ms - it.since_ms < YEAR_MS)
    return max(0, rules.vacation_days - sum(it.days for it in recent))


def ends_ms(game: Game, color: chess.Color) -> int:
    """The end of this player's last vacation (unix ms); 0 if they took none."""
    return max((it.until_ms for it in game.vacations if it.color == color), default=0)


def rested(game: Game, clocks: Clocks, now_ms: int, *, white: bool) -> Clocks:
    """The clocks as this side's turn begins: what is left of their vacation comes first."""
    if not game.vacations or clocks.control.is_live:
        return clocks
    rest_ms = max(0, ends_ms(game, white) - now_ms)
    spent_ms = clocks.left_ms(white=white) - clocks.control.move_ms - rest_ms
    return clocks.charged(spent_ms, white=white)


def as_of_version(game: Game, number: int) -> Game:
    """The game without the vacations that were taken later in its present position."""
    later = [it for it in game.vacations if it.version > number]
    if not later or game.clocks is None:
        return game
    rest_ms = sum(it.days for it in later if it.color == game.turn) * DAY_MS
    clocks = game.clocks.charged(rest_ms, white=game.turn)
    return replace(game, clocks=clocks, vacations=game.vacations[: -len(later)])
