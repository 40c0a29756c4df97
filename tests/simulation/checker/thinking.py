"""No thinking time is free: by the true times at which listeners had the moves, and by what was
taken off the clocks. Neither the arbiter's stamps nor what it says a clock runs from is looked at.

The opponent's move can be read on a relay as soon as a listener has it. Of the time from then until
the answer is received, a second goes uncharged for the way of each; and, where the move waited to
be decided, what is more than ten seconds or half of what was left.
"""

from collections.abc import Iterator
from typing import NamedTuple

from tests.simulation.checker.clock_sums import (
    LAG_MS,
    MOST_LATE_MS,
    NATIVE,
    ids_of,
    said_much,
    violation,
)
from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.outages import still_ms
from tests.simulation.checker.telling import HARMLESS
from tests.simulation.checker.verdict import Violation

FIRST_PLIES = 2
ROUNDED_MS = 5

LONGEST_FAULT_MS = 300_000
"""What a fault of ours holds up is under way again after that."""


class _Thought(NamedTuple):
    """From when to when somebody could think (true unix ms), and when the move was decided."""

    from_ms: int
    decided_ms: int
    until_ms: int


def no_thinking_time_is_free(evidence: Evidence) -> Iterator[Violation]:
    """Each move of a game with a live clock that was played on relays, after the first of each."""
    slack_ms = ROUNDED_MS
    if any(one.kind.startswith("F40") for one in evidence.faults):
        # Two listeners' clocks and two workers' may be wrong.
        slack_ms += 4 * evidence.history.skew_ms
    failed_ms = [one.at_ms for one in evidence.faults if not one.kind.startswith(HARMLESS)]
    for versions in evidence.games.values():
        before: Version | None = None
        for one in versions:
            if one.before is None or len(one.after.moves) != len(one.before.moves) + 1:
                continue
            if before is not None and before.after.moves == one.before.moves:
                yield from _judged(evidence, before, one, slack_ms, failed_ms)
            before = one


def _judged(
    evidence: Evidence, before: Version, one: Version, slack_ms: int, failed_ms: list[int]
) -> Iterator[Violation]:
    thought = _thought(evidence, before, one)
    stood, mover = one.before, before.after.turn
    if thought is None or stood is None:
        return
    left_ms, kept_ms = stood.side(mover).clock_ms or 0, one.after.side(mover).clock_ms or 0
    increment_ms = int((stood.time or "").partition("+")[2]) * 1000
    most_ms = min(MOST_LATE_MS, left_ms // 2)
    late_ms = max(0, thought.decided_ms - thought.from_ms - LAG_MS)
    charged_ms = left_ms + increment_ms - kept_ms
    free_ms = thought.until_ms - thought.from_ms - charged_ms
    due_ms = 2 * LAG_MS + max(0, late_ms - most_ms)
    if late_ms > 0 and said_much(evidence, before):
        return  # their own words stood in front of it
    if free_ms > due_ms + slack_ms and kept_ms > increment_ms:
        sentence = f"{mover} thought {free_ms} ms for nothing, and {due_ms} is the most"
        yield violation(one.after, f"version {one.after.version}: {sentence}")
    # What waited so long waited for something of ours that failed, and for nothing that was sent.
    failed = any(thought.from_ms - LONGEST_FAULT_MS < at <= thought.decided_ms for at in failed_ms)
    if late_ms > MOST_LATE_MS + slack_ms and not failed:
        sentence = f"a move waited {late_ms + LAG_MS} ms, and nothing failed"
        yield violation(one.after, f"version {before.after.version}: {sentence}")


def _thought(evidence: Evidence, before: Version, one: Version) -> _Thought | None:
    """None where the rule says nothing: of first moves, after an outage, and of other wires."""
    game = before.before
    if game is None or game.since_ms is None or "+" not in (game.time or ""):
        return None
    if len(game.moves) < FIRST_PLIES or {game.white.dialect, game.black.dialect} != {NATIVE}:
        return None
    read, answered = _received(evidence, before), _received(evidence, one)
    since_ms = before.after.since_ms or 0
    if not (read and answered) or any(
        max(still_ms(evidence, it, from_ms, max(at)))
        for it, from_ms, at in ((before, game.since_ms, read), (one, since_ms, answered))
    ):
        return None
    return _Thought(max(*read, game.since_ms), before.after.changed_ms, min(answered))


def _received(evidence: Evidence, one: Version) -> set[int]:
    """When the event behind this move was received, in truth, as each of its records has it."""
    return {
        at_ms
        for id_ in ids_of(evidence, one)
        for stamp in evidence.stamps[id_]
        for at_ms in evidence.received.get((id_, stamp), ())
        if at_ms <= one.at_ms
    }
