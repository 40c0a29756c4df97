"""One timer against one game: load, look at its clock, commit. As often as `play` does."""

from dataclasses import replace

from arbiter.application.deps import ArbiterDeps, Contended
from arbiter.application.play import ATTEMPTS
from arbiter.application.ports import Committed
from arbiter.application.queue_messages import Republish, TimerFired
from arbiter.application.ratings import rating_of_end
from arbiter.application.results import Result, current_replies, status_of
from arbiter.application.timers import hand_to_mover, paused_ms, schedule_timer
from arbiter.core.commands import Tick
from arbiter.core.decide import decide, is_time_up
from arbiter.core.game import Game, Termination
from arbiter.core.replies import Reply

_ENDS_BY_THE_CLOCK = (Termination.TIMEOUT, Termination.ABORTED)


def tick(deps: ArbiterDeps, nudged: TimerFired) -> Result:
    """Look at a game's clock, because a timer said so, and wind it again if the flag stands. If
    time is up and this nudge did not wait behind what the side to move said, another one will.

    A timer that was replaced by an earlier one comes too, and finds nothing to do.
    """
    game = deps.games.load(nudged.game_id)
    for _ in range(ATTEMPTS):
        at_ms = nudged.received_at_ms
        if game is not None and game.outcome is not None and at_ms >= (game.timer_at_ms or 0):
            return _end_again(deps, game)
        if game is None or at_ms < (game.timer_at_ms or 0):
            return Result(status="tick-late", game_id=nudged.game_id)
        # The queue's clock and ours may differ; a timer never comes before its time.
        now_ms = max(deps.clock.now_ms(), at_ms)
        still_ms = paused_ms(deps, game, at_ms)
        if not _is_in_line(nudged, game) and is_time_up(game, Tick(), at_ms, still_ms):
            hand_to_mover(deps, game, at_ms)
            return Result(status="tick-handed-on", game_id=game.id)
        decision = decide(game, Tick(), now_ms, deps.rules, at_ms, still_ms)
        after = replace(
            decision.game.with_timer(at_ms, still_ms), item_version=game.item_version + 1
        )
        # First the timer: this nudge, delivered again after the commit, would find itself late.
        schedule_timer(deps, after)
        match deps.games.commit(game, after):
            case Committed():
                status = status_of(decision.replies) if decision.replies else "tick-early"
                return _ticked(deps, after, status, decision.replies)
            case conflict:
                game = conflict.game
    raise Contended


def _is_in_line(nudged: TimerFired, game: Game) -> bool:
    """Whether this nudge waited behind what the side to move has said."""
    return nudged.player == game.seat(game.turn).player


def _end_again(deps: ArbiterDeps, game: Game) -> Result:
    """A nudge came to a game that is over. If the clock ended it, this nudge may have died before
    the end was told and rated.
    """
    if game.outcome is None or game.outcome.termination not in _ENDS_BY_THE_CLOCK:
        return Result(status="tick-late", game_id=game.id)
    return _ticked(deps, game, "tick-again", current_replies(game))


def _ticked(deps: ArbiterDeps, game: Game, status: str, replies: tuple[Reply, ...]) -> Result:
    return Result(
        status=status,
        replies=replies,
        game_id=game.id,
        republish=Republish(game_id=game.id, changed_at_ms=game.changed_at_ms),
        rated=rating_of_end(deps, game),
    )
