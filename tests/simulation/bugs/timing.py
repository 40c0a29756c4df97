"""Bugs of time: who is charged for what, and when a flag falls."""

from dataclasses import replace
from typing import Any

from arbiter.application import duplicates, lobby, play, rematch, tick, timers
from arbiter.core import clocks, decide
from arbiter.core.clocks import Clocks
from arbiter.core.commands import PlayMove
from arbiter.core.game import Game, Outcome, Termination
from functions.clock import app as clock_app
from tests.simulation.bugs import scenes
from tests.simulation.bugs.bug import Bug, always, then, value


def _until_decided(real: Any) -> Any:
    def after_move(one: Clocks, ply: int, received_at_ms: int, now_ms: int, **color: Any) -> Any:
        del received_at_ms
        return real(one, ply, now_ms, now_ms, **color)

    return after_move


def _both(real: Any) -> Any:
    def after_move(one: Clocks, ply: int, received_at_ms: int, now_ms: int, **color: Any) -> Any:
        made = real(one, ply, received_at_ms, now_ms, **color)
        return replace(made, white_ms=made.white_ms - 1, black_ms=made.black_ms - 1)

    return after_move


def _no_increment(real: Any) -> Any:
    def after_move(one: Clocks, *args: Any, **color: Any) -> Any:
        poor = replace(one, control=replace(one.control, increment_ms=0))
        return replace(real(poor, *args, **color), control=one.control)

    return after_move


def _by_the_present_hour(real: Any) -> Any:
    """A command is looked at as if it had been received when it is decided."""

    def decided(game: Game, command: Any, now_ms: int, *rest: Any, **named: Any) -> Any:
        if isinstance(command, PlayMove):
            command = replace(command, received_at_ms=now_ms)
        return real(game, command, now_ms, *rest, **named)

    return decided


def _at_once(_: Any) -> Any:
    def fallen(game: Game, command: Any, received_at_ms: int, *rest: Any) -> Any:
        del command, rest
        deadline_ms = game.deadline_ms()
        is_late = deadline_ms is not None and received_at_ms > deadline_ms - 20_000
        return decide.timeout(game) if is_late and game.ply > 1 else None

    return fallen


def _opponent_always_wins(_: Any) -> Any:
    def timeout(game: Game) -> Any:
        return Outcome(Termination.TIMEOUT, game.turn)

    return timeout


def _twice(real: Any) -> Any:
    return lambda *args: 2 * real(*args)


def _in_a_line_of_its_own(entry: Any) -> Any:
    return replace(entry, group_id=f"nudges-{entry.group_id}"[:128])


def _since_the_move_was_received(real: Any) -> Any:
    """The opponent pays for the time that a move waited in the queue."""

    def after_move(one: Clocks, ply: int, received_at_ms: int, now_ms: int, **color: Any) -> Any:
        made = real(one, ply, received_at_ms, now_ms, **color)
        return replace(made, since_ms=max(one.since_ms, received_at_ms))

    return after_move


def _whoever_moves(real: Any) -> Any:
    """A move by the player who is not on turn flags the opponent as one of his own would."""

    def fallen(game: Game, command: Any, received_at_ms: int, *rest: int) -> Any:
        if isinstance(command, PlayMove):
            turn = game.white if game.turn else game.black
            command = replace(command, player=turn.player)
        return real(game, command, received_at_ms, *rest)

    return fallen


def _without_timer(module: Any) -> Any:
    """While the real function runs, nothing in its module sets a timer."""

    def make(real: Any) -> Any:
        def quiet(*args: Any, **named: Any) -> Any:
            kept, module.schedule_timer = module.schedule_timer, lambda *_: None
            try:
                return real(*args, **named)
            finally:
                module.schedule_timer = kept

        return quiet

    return make


def _no_lag_for_black(real: Any) -> Any:
    def deadline_ms(one: Clocks, ply: int, *, white: bool) -> Any:
        made = real(one, ply, white=white)
        return made if white or ply < 2 else made - clocks.LAG_MS

    return deadline_ms


def _never_failed(statuses: Any) -> Any:
    return tuple(
        timers.TimerStatus.PASSED_ON if one is timers.TimerStatus.FAILED else one
        for one in statuses
    )


NO_TIMER = always(None)

BUGS = (
    Bug(
        "timer-not-wound",
        "No timer is ever set.",
        (
            (timers, "schedule_timer", NO_TIMER),
            (lobby, "schedule_timer", NO_TIMER),
            (duplicates, "schedule_timer", NO_TIMER),
            (rematch, "schedule_timer", NO_TIMER),
            (tick, "schedule_timer", NO_TIMER),
        ),
        scene=scenes.SILENCE,
    ),
    Bug(
        "redelivery-without-timer",
        "An event that its game knows already sets no timer, though the first time died before.",
        ((duplicates, "schedule_timer", NO_TIMER),),
        scene=scenes.DYING_WORKERS,
    ),
    Bug(
        "pairing-again-without-timer",
        "A pairing that is told again sets no timer, though the first time died before.",
        ((lobby, "_again", _without_timer(lobby)),),
        scene=scenes.DYING_WORKERS,
    ),
    Bug(
        "rematch-without-timer",
        "A rematch begins without a timer.",
        ((rematch, "schedule_timer", NO_TIMER),),
        needs=frozenset({"live", "two games"}),
    ),
    Bug(
        "nudge-lost-on-its-way",
        "A nudge that the moves' queue did not take is taken from the clock queue all the same.",
        ((clock_app, "forward_due_timers", then(_never_failed)),),
        scene=scenes.SILENCE_WITHOUT_QUEUE,
    ),
    Bug(
        "no-lag-for-black",
        "Black's flag falls a second too soon, and White's in time.",
        ((Clocks, "deadline_ms", _no_lag_for_black),),
        scene=scenes.IMPATIENCE,
    ),
    Bug(
        "flag-by-a-move-out-of-turn",
        "Who moves out of turn flags the opponent a millisecond after the deadline.",
        ((decide, "fallen", _whoever_moves),),
        scene=scenes.IMPATIENCE,
    ),
    Bug(
        "charged-until-decided",
        "A move is charged until it is decided, and not until it was received.",
        ((Clocks, "after_move", _until_decided),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "one-millisecond-off",
        "Each move takes a millisecond from both clocks.",
        ((Clocks, "after_move", _both),),
        needs=frozenset({"clock"}),
    ),
    Bug(
        "no-lag-forgiven",
        "The second for the way is charged.",
        ((clocks, "LAG_MS", value(0)),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "no-increment",
        "No increment is added.",
        ((Clocks, "after_move", _no_increment),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "flag-by-the-present-hour",
        "A move in time that waited in the queue loses on time.",
        ((play, "decide", _by_the_present_hour),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "flag-too-soon",
        "A flag falls twenty seconds before its time.",
        ((decide, "fallen", _at_once),),
        needs=frozenset({"careless", "live", "silence"}),
    ),
    Bug(
        "flag-for-the-slow",
        "Whoever lets his time run out wins.",
        ((decide, "timeout", _opponent_always_wins),),
        needs=frozenset({"careless", "live", "silence"}),
    ),
    Bug(
        "first-move-without-limit",
        "Who never makes his first move is waited for.",
        ((clocks, "FIRST_MOVE_MS", value(10**9)),),
        needs=frozenset({"careless", "live", "silence"}),
    ),
    Bug(
        "outage-not-given-back",
        "While no relay is heard, the clocks run.",
        ((play, "paused_ms", always(0)), (tick, "paused_ms", always(0))),
        scene=scenes.OUTAGES,
    ),
    Bug(
        "outage-given-back-twice",
        "An outage is given back twice.",
        ((play, "paused_ms", _twice), (tick, "paused_ms", _twice)),
        scene=scenes.MANY_OUTAGES,
    ),
    Bug(
        "no-time-to-return",
        "The ten seconds after an outage are charged.",
        ((clocks, "RETURN_MS", value(0)),),
        scene=scenes.OUTAGES,
    ),
    Bug(
        "opponent-pays-for-the-queue",
        "A clock runs since the move before was received, without lag or bound.",
        ((Clocks, "after_move", _since_the_move_was_received),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "nudges-wait-elsewhere",
        "Nudges that are to wait behind a player's words wait in another line.",
        ((timers, "timer_entry", then(_in_a_line_of_its_own)),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "free-thinking-time",
        "While a public move waits to be decided no clock runs.",
        ((Clocks, "late_ms", always(0)),),
        needs=frozenset({"live"}),
    ),
    Bug(
        "flag-in-any-line",
        "A flag falls though a move in time may wait in another line.",
        (
            (play, "_is_behind_another", always(value=False)),
            (tick, "_is_in_line", always(value=True)),
        ),
        needs=frozenset({"careless", "live", "silence"}),
    ),
)
