"""A timer that fired, applied to its game: load, look at its clock, commit."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, retry_on_conflict
from arbiter.application.play.closing import (
    close,
    closes_at_ms,
    closing_notices,
    with_closing_timer,
)
from arbiter.application.play.ends import settle_end
from arbiter.application.play.event_memory import play_lines
from arbiter.application.play.judge import paused_ms
from arbiter.application.play.presence import looked_at
from arbiter.application.play.timers import hand_to_mover, schedule_timer
from arbiter.application.ports import Conflict
from arbiter.application.records import LINES, TimerFired
from arbiter.application.results import Result, current_replies, republish_of, status_of
from arbiter.core.chain import by_deadline, linked
from arbiter.core.commands import Tick
from arbiter.core.decide import decide, is_flag_fallen
from arbiter.core.game import Game, Termination
from arbiter.core.replies import Reply, StateShown
from arbiter.core.timers import with_timer
from arbiter.dialects import native

_ENDS_BY_THE_CLOCK = (Termination.TIMEOUT, Termination.ABORTED, Termination.NO_SHOW)


def tick(deps: ArbiterDeps, fired: TimerFired) -> Result:
    """Look at the game's clock, and set the timer again, or, if time is up, one behind the mover's
    events. A replaced timer finds nothing to do. Raises ``Contended``, and for infrastructure.
    """

    def attempt(conflict: Conflict | None) -> Result | Conflict:
        return _tick_once(
            deps, fired, conflict.game if conflict else deps.games.load(fired.game_id)
        )

    return retry_on_conflict(attempt)


def _tick_once(deps: ArbiterDeps, fired: TimerFired, game: Game | None) -> Result | Conflict:
    at_ms = fired.received_at_ms
    if fired.player == LINES:
        return _go_on(deps, fired, game)
    if game is not None and game.outcome is not None and at_ms >= (game.timer_at_ms or 0):
        return _end_again(deps, game)
    seen = game
    if game is not None and fired.player is not None:
        seen = looked_at(deps.connections, game, fired.player, at_ms)
    if game is None or seen is None:
        return Result(status="tick-late", game_id=fired.game_id)
    notices = closing_notices(game, deps.rules, at_ms)
    if seen is game and at_ms < (game.timer_at_ms or 0):
        # Asked for again: the process that committed the next timer may have died before.
        return Result(status="tick-late", game_id=game.id, notices=notices)
    # The queue's clock and ours may differ; a timer never comes before its time.
    now_ms = max(deps.clock.now_ms(), at_ms)
    pause_ms = paused_ms(deps, game, at_ms)
    if not _is_in_line(fired, game) and is_flag_fallen(game, Tick(), at_ms, pause_ms):
        hand_to_mover(deps, game, at_ms)
        return Result(status="tick-handed-on", game_id=game.id)
    closed = close(game, deps.rules, at_ms - pause_ms, now_ms)
    decision = closed or decide(seen, Tick(), now_ms, deps.rules, at_ms, pause_ms)
    deadline_ms = game.deadline_ms() or closes_at_ms(game, deps.rules) or at_ms
    decision = linked(game, decision, by_deadline(deadline_ms))
    timed = with_timer(decision.game, at_ms, pause_ms)
    timed = with_closing_timer(timed, deps.rules, at_ms, pause_ms)
    after = replace(timed, item_version=game.item_version + 1)
    # First the timer: this one, delivered again after the commit, would find itself late.
    schedule_timer(deps, after)
    written = deps.games.commit(game, after)
    if isinstance(written, Conflict):
        return written
    if decision.game is seen and seen is not game:
        # Of no use later, when they may be back.
        shown = (StateShown(after, None),)
        return Result(status="looked", replies=shown, game_id=game.id, dialect=native.NAME)
    if decision.replies:
        return _ticked(deps, after, status_of(decision.replies), decision.replies)
    return replace(_ticked(deps, after, "tick-early", ()), notices=notices)


def _go_on(deps: ArbiterDeps, fired: TimerFired, game: Game | None) -> Result | Conflict:
    """Have lines go on where the record before left them; a state that came of it is told again."""
    if game is None or game.ply < fired.ply:
        return Result(status="tick-late", game_id=fired.game_id)
    now_ms = max(deps.clock.now_ms(), game.changed_at_ms)
    after, replies = play_lines(game, deps.rules, now_ms, game.item_version + 1)
    if after is game:
        schedule_timer(deps, game)
        return _ticked(deps, game, "tick-again", current_replies(game))
    after = with_closing_timer(after, deps.rules)
    written = deps.games.commit(game, after)
    if isinstance(written, Conflict):
        return written
    schedule_timer(deps, after)
    return _ticked(deps, after, status_of(replies), replies)


def _is_in_line(fired: TimerFired, game: Game) -> bool:
    return fired.player == game.seat(game.turn).player


def _end_again(deps: ArbiterDeps, game: Game) -> Result:
    """The result for a game that is over: its clock's process may have died before publishing."""
    if game.outcome is None or game.outcome.termination not in _ENDS_BY_THE_CLOCK:
        return Result(status="tick-late", game_id=game.id)
    return _ticked(deps, game, "tick-again", current_replies(game))


def _ticked(deps: ArbiterDeps, game: Game, status: str, replies: tuple[Reply, ...]) -> Result:
    return Result(
        status=status,
        replies=replies,
        game_id=game.id,
        republish=(republish_of(game),),
        rated=settle_end(deps, game),
    )
