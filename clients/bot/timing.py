"""Time for an engine to think: clocks, the way's time as measured, and limits."""

from dataclasses import dataclass, replace

import chess

from clients.bot.config import Config
from clients.player.messages import State
from clients.player.timing import Timing

# "which includes that second", PROTOCOL.md says of the deadline.
GRACE_MS = 1_000
FIRST_MOVE_MS = 1_500
LEAST_MS = 20
FIRST_PLIES = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for an engine; times in milliseconds."""

    white_ms: int | None = None
    black_ms: int | None = None
    increment_ms: int = 0
    time_ms: int | None = None
    nodes: int | None = None
    depth: int | None = None
    hurry_ms: int = 10_000  # when a live engine is told to move
    give_up_ms: int = 11_000  # when it is taken for dead


def limits(
    state: State, color: chess.Color, seen_at: int, now: int, timing: Timing, config: Config
) -> Limits:
    """The limits of the side to move, which is ours."""
    go = config.engine.go_commands
    found = Limits(nodes=go.nodes or None, depth=go.depth or None, time_ms=go.movetime or None)
    remaining = left_ms(state, seen_at, now, timing)
    if state.clock is None or state.time is None or state.time.days:
        time_ms = go.movetime or config.correspondence.move_time * 1000
        if remaining is not None:
            time_ms = min(time_ms, max(LEAST_MS, remaining // 2))
        return replace(
            found, time_ms=time_ms, hurry_ms=time_ms + 5_000, give_up_ms=time_ms + 10_000
        )
    remaining = max(LEAST_MS, (remaining or 0) - timing.overhead_ms)
    if state.ply < FIRST_PLIES:
        base_ms = state.time.base * 1000 or GRACE_MS
        time_ms = min(FIRST_MOVE_MS, go.movetime or FIRST_MOVE_MS, base_ms // 20, remaining)
        return replace(found, time_ms=max(LEAST_MS, time_ms), hurry_ms=5_000, give_up_ms=8_000)
    clocks = list(state.clock)
    clocks[0 if color else 1] = remaining
    return replace(
        found,
        white_ms=clocks[0],
        black_ms=clocks[1],
        increment_ms=state.time.increment * 1000,
        hurry_ms=remaining // 2,
        give_up_ms=remaining // 2 + min(GRACE_MS, max(GRACE_MS // 4, remaining // 4)),
    )


def left_ms(state: State, seen_at: int, now: int, timing: Timing) -> int | None:
    """The time left to the side to move, to be careful; None without clocks. A late state shows by
    its deadline how late it is.
    """
    if state.clock is None:
        return None
    by_arrival = state.clock[0 if state.turn else 1] - (now - seen_at)
    if state.deadline is None:
        return by_arrival
    by_deadline = state.deadline + timing.lead_ms - now - GRACE_MS
    if state.ply < FIRST_PLIES:
        return by_deadline
    return min(by_arrival, by_deadline)
