"""The decision on one command, and what it depends on beside game and command: the rules of the
dialects, the pauses of the clock, and what its author did before.
"""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps
from arbiter.application.play.presence import away_ms
from arbiter.application.play.timers import hand_to_mover
from arbiter.application.ports import Outages
from arbiter.core.commands import Abort, CallFlag, ClaimLeft, Command, Quit, TakeVacation
from arbiter.core.decide import decide, is_flag_fallen
from arbiter.core.early_ends import OPENING_PLIES
from arbiter.core.game import Game, Seat
from arbiter.core.outages import OUTAGE_AFTER_MS, RelayUptime, covered_ms
from arbiter.core.replies import Decision, Rejected
from arbiter.core.rules import ABORT_NOTICE_AFTER_MS, Rules
from arbiter.core.seeks import LONG_WAIT_MS
from arbiter.dialects.base import Dialect, Log
from arbiter.dialects.registry import DIALECTS

ERRORS_ANSWERED, ERRORS_SECONDS = 20, 60 * 60
"""Errors without a penalty that are answered to one player in one position, in this time."""


def decide_in_context(
    deps: ArbiterDeps, game: Game, command: Command, now_ms: int, received_at_ms: int | None
) -> Decision:
    """The decision on the command: none yet for a flag that falls behind the opponent's events."""
    at_ms = now_ms if received_at_ms is None else received_at_ms
    pause_ms = paused_ms(deps, game, at_ms)
    rules = rules_for(deps.rules, game, command)
    if isinstance(command, ClaimLeft):
        command = replace(command, away_ms=away_ms(deps, game, command.player, at_ms))
    if isinstance(command, TakeVacation):
        rules = replace(rules, vacation_days=deps.policy.now().vacation_days)
    is_behind = _is_behind_another(game, command)
    if is_behind and is_flag_fallen(game, command, at_ms, pause_ms):
        hand_to_mover(deps, game, at_ms)
        # Without moves, leaving on a fallen flag is not an abort by the leaver.
        is_begun = game.ply >= OPENING_PLIES
        if isinstance(command, CallFlag) or (isinstance(command, Abort | Quit) and not is_begun):
            return Decision(game, ())
        # What else they say is judged as if the flag stood, until it falls there.
        at_ms = game.created_at_ms
    return decide(game, command, now_ms, rules, at_ms, pause_ms)


def is_refusal_flood(
    deps: ArbiterDeps,
    dialect: Dialect,
    game: Game,
    decision: Decision,
    command: Command,
    now_ms: int,
) -> bool:
    """Whether this is one refusal too many here, to be ignored; never over sockets."""
    is_refused = decision.game is game and any(
        isinstance(reply, Rejected) for reply in decision.replies
    )
    if not is_refused or game.color_of(command.player) is None:
        return False
    if not dialect.wire.is_on_relays:
        return False
    if deps.rate_limits is None:
        return False
    key = f"errors:{game.id}:{game.ply}:{command.player}"
    try:
        return not deps.rate_limits.take(key, ERRORS_ANSWERED, ERRORS_SECONDS, now_ms)
    except Exception:  # noqa: BLE001 - for a count that fails no game waits
        return False


def rules_for(rules: Rules, game: Game, command: Command) -> Rules:
    """The operator's rules, unless this player's dialect has its own."""
    color = game.color_of(command.player)
    if color is None:
        return rules
    dialects = [DIALECTS[seat.dialect] for seat in (game.white, game.black)]
    is_slow = any(isinstance(dialect.wire, Log) for dialect in dialects)
    if is_slow or not all(dialect.wire.is_on_relays for dialect in dialects):
        # A log keeps every move; and an offer that a player is not shown and cannot answer would
        # only keep them from offering a draw.
        rules = replace(rules, takebacks=False)
    if is_slow:
        rules = replace(rules, silent_ms=LONG_WAIT_MS)
    own = DIALECTS[game.seat(color).dialect].illegal_moves_to_lose
    return rules if own is None else replace(rules, illegal_moves_to_lose=own)


def paused_ms(deps: ArbiterDeps, game: Game, until_ms: int) -> int:
    """The pause of the mover's clock until then: the arbiter was late, or no relay was heard."""
    if game.outcome is not None:
        return 0
    since_ms = game.position_since_ms if game.clocks is None else game.clocks.since_ms
    own = deps.delays.during(since_ms, until_ms) if deps.delays else ()
    uptime = _uptime(deps, game, since_ms, until_ms)
    silent = uptime.pauses(until_ms, deps.clock.now_ms()) if uptime else ()
    return covered_ms((*own, *silent), since_ms, until_ms)


def _uptime(deps: ArbiterDeps, game: Game, since_ms: int, until_ms: int) -> RelayUptime | None:
    """Relay outages, read where they can have paused this clock: after the shortest, or silence."""
    if game.clocks is not None:
        return uptime_during(deps.outages, game, until_ms)
    least_ms = ABORT_NOTICE_AFTER_MS if game.deadline_ms() is None else OUTAGE_AFTER_MS
    is_long = until_ms - since_ms > least_ms and _is_over_relays(game.seat(game.turn))
    return deps.outages.uptime() if deps.outages and is_long else None


def uptime_during(outages: Outages | None, game: Game, until_ms: int) -> RelayUptime | None:
    """Read the known outages; None, without a read, where none can have paused this clock."""
    if outages is None or game.clocks is None or until_ms - game.clocks.since_ms <= OUTAGE_AFTER_MS:
        return None
    return outages.uptime() if _is_over_relays(game.seat(game.turn)) else None


def _is_over_relays(seat: Seat) -> bool:
    return DIALECTS[seat.dialect].wire.is_on_relays and not seat.at_gateway


def _is_behind_another(game: Game, command: Command) -> bool:
    """Whether the side to move has another group in the queue than this command's."""
    color = game.color_of(command.player)
    return game.outcome is None and color is not None and color != game.turn
