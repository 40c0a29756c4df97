"""Timers, flags and thinking time, by the true times at which listeners had the moves.

A move that is too late flags its author at once. Anything else, and a timer, does so two seconds
after the deadline. While a clock runs, a timer is on its way that comes no later than that: it may
be missing until every record that changed the game is answered.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tests.simulation.checker.accounts import FAILED, NOT_FOR_US
from tests.simulation.checker.clock_sums import (
    LAG_MS,
    MOST_LATE_MS,
    NATIVE,
    SETTLE_MS,
    flagged,
    ids_of,
    left_at,
    said_much,
    up_ms,
    violation,
)
from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Stored, causes_in
from tests.simulation.checker.judging import MOVE_SHAPED
from tests.simulation.checker.outages import still_ms
from tests.simulation.checker.telling import HARMLESS
from tests.simulation.checker.verdict import Law, Violation
from tests.simulation.checker.wire import Event, read_record
from tests.simulation.history import (
    Answered,
    DeadLettered,
    Delivered,
    Happening,
    Queued,
    Removed,
    Scheduled,
)


def no_flag_falls_too_soon(evidence: Evidence) -> Iterator[Violation]:
    """Each end by the clock: by what it fell, and when that had come."""
    for one in evidence.changes:
        if one.after.time is not None and flagged(one) and one.before is not None:
            yield from _fell(evidence, one, one.before)


def _fell(evidence: Evidence, one: Version, before: Stored) -> Iterator[Violation]:
    event = next((evidence.signed[id_][1] for id_ in ids_of(evidence, one)), None)
    if event is None:
        stamps, is_late_move = _stamps_of_nudges(evidence, one), False
    else:
        stamps, is_late_move = evidence.stamps[event.id], _moves_for(before, event)
    for stamp_ms in [max(stamps)] if stamps else []:
        early_ms = up_ms(evidence, one, stamp_ms) + (0 if is_late_move else SETTLE_MS) - stamp_ms
        if early_ms > 0:
            by = f"{event.content!r} of {before.color_of(event.pubkey)}" if event else "a timer"
            sentence = f"{before.turn} was flagged by {by}, {early_ms} ms before that may be"
            yield violation(one.after, f"version {one.after.version}: {sentence}")


def _stamps_of_nudges(evidence: Evidence, one: Version) -> set[int]:
    came = [it for at, it in evidence.delivered if at < one.at and it.worker == one.who]
    records = [read_record(it.body) for it in came if it.batch == came[-1].batch]
    return {it.stamped_ms for it in records if it.nudges == one.after.id and it.stamped_ms}


def _moves_for(game: Stored, event: Event) -> bool:
    is_move = MOVE_SHAPED.fullmatch(event.content.lower()) is not None
    return is_move and game.color_of(event.pubkey) == game.turn


FIRST_PLIES = 2
ROUNDED_MS = 5

LONGEST_FAULT_MS = 300_000
"""What a fault of ours holds up is under way again after that."""


class _Thought(NamedTuple):
    """From when to when the player could think (true unix ms), and when the move was decided."""

    from_ms: int
    decided_ms: int
    until_ms: int


def no_thinking_time_is_free(evidence: Evidence) -> Iterator[Violation]:
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
        return  # their own words waited in front of it
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
    # Whether a thought was long enough for an outage is judged by the stamp of its move, which a
    # wrong clock puts after the fifteenth second: all of it may be given back then. `clocks_add_up`
    # holds what is given back to that stamp.
    if not (read and answered) or any(
        max(still_ms(evidence, it, from_ms, max(*at, *_stamped(evidence, it))))
        for it, from_ms, at in ((before, game.since_ms, read), (one, since_ms, answered))
    ):
        return None
    return _Thought(max(*read, game.since_ms), before.after.changed_ms, min(answered))


def _stamped(evidence: Evidence, one: Version) -> set[int]:
    return {stamp for id_ in ids_of(evidence, one) for stamp in evidence.stamps[id_]}


def _received(evidence: Evidence, one: Version) -> set[int]:
    return {
        at_ms
        for id_ in ids_of(evidence, one)
        for stamp in evidence.stamps[id_]
        for at_ms in evidence.received.get((id_, stamp), ())
        if at_ms <= one.at_ms
    }


CLOCK_QUEUE = "clock"

LOOKS_AGAIN_MS = 5000
"""How long a timer waits at least that found a clock standing still."""


def running_clocks_have_timers(evidence: Evidence) -> Iterator[Violation]:
    watch = _Watch(evidence)
    written: dict[int, list[Version]] = defaultdict(list)
    for version in evidence.changes:
        written[version.at].append(version)
    for at, happening in enumerate(evidence.history.happenings):
        for version in written.get(at, ()):
            yield from watch.wrote(version)
        yield from watch.saw(happening)


class _Timer(NamedTuple):
    """When it comes (unix ms), and in which line it then waits."""

    at_ms: int
    line: str


class _Watch:
    """Which timers are on their way, and which clocks run, at one moment of a history."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._bodies: dict[str, str] = {}
        self._pending: dict[str, set[_Timer]] = defaultdict(set)
        self._waiting: Counter[str] = Counter()
        self._moved: set[str] = set()
        self._removed: set[str] = set()
        self._present: dict[str, Version] = {}
        self._unanswered: dict[str, set[str]] = defaultdict(set)
        self._exempt: set[str] = set()

    def wrote(self, one: Version) -> Iterator[Violation]:
        game_id = one.after.id
        self._present[game_id] = one
        self._unanswered[game_id] |= _causes(one)
        # A timer's own write has no cause: the next timer is set before it.
        yield from self._judge(game_id)

    def saw(self, happening: Happening) -> Iterator[Violation]:
        match happening:
            case Queued(queue=queue, body=body, status=status) if queue == CLOCK_QUEUE:
                if status != "refused":
                    self._set(body)
            case Queued(dedup_id=name, status=status) if status != "refused":
                self._moved.add(name)
            case Scheduled(body=body):
                self._set(body)
            case Removed(record=record, body=body) if record not in self._removed:
                self._removed.add(record)
                yield from self._removed_from_the_clock(body)
            case Delivered(record=record, body=body):
                self._bodies[record] = body
            case DeadLettered(body=body):
                # It waits for a person.
                self._exempt |= {game_id for game_id, _ in [_timer(body)] if game_id}
                self._exempt |= {read_record(body).nudges or ""}
            case Answered(status=status, event=event) if status == NOT_FOR_US:
                # The key was exchanged before this record could be processed again.
                self._exempt |= {
                    id_ for id_, owed in self._unanswered.items() if event[:16] in owed
                }
            case Answered(record=record, status=status, event=event) if status != FAILED:
                yield from self._answered(self._bodies.get(record, ""), event)
            case _:
                pass

    def _set(self, body: str) -> None:
        game_id, timer = _timer(body)
        self._pending[game_id].add(timer)
        self._waiting[body] += 1

    def _removed_from_the_clock(self, body: str) -> Iterator[Violation]:
        """A timer left the clock queue: it is among the moves by now, or waits there once more."""
        game_id, timer = _timer(body)
        self._waiting[body] -= 1
        if self._waiting[body] <= 0 and _name(body) not in self._moved:
            self._pending[game_id].discard(timer)
            yield from self._judge(game_id)

    def _answered(self, body: str, event: str) -> Iterator[Violation]:
        record = read_record(body)
        if record.nudges and record.stamped_ms is not None:
            pending = self._pending[record.nudges]
            line = _line(body)
            pending -= {it for it in pending if it.line == line and it.at_ms <= record.stamped_ms}
            yield from self._judge(record.nudges)
        for game_id, causes in self._unanswered.items():
            if event[:16] in causes:
                causes.discard(event[:16])
                yield from self._judge(game_id)

    def _judge(self, game_id: str) -> Iterator[Violation]:
        one = self._present.get(game_id)
        if one is None or game_id in self._exempt or self._unanswered[game_id]:
            return
        due_ms = _due_ms(self._evidence, one)
        pending = self._pending[game_id]
        if due_ms is not None and not any(timer.at_ms <= due_ms for timer in pending):
            self._exempt.add(game_id)
            first = min((timer.at_ms for timer in pending), default=None)
            late = "none is on its way" if first is None else f"the first is {first - due_ms} late"
            sentence = f"version {one.after.version}: the clock of {one.after.turn} runs, a timer "
            yield Violation(Law.CLOCKS, (game_id,), f"{sentence}is due at {due_ms}, and {late}")


def _causes(one: Version) -> set[str]:
    found: set[str] = set()
    for key, (before, after) in one.items.items():
        if key[:2] in {"g#", "p#"} and after is not None:
            found |= {*causes_in(after)} - {*(causes_in(before) if before is not None else ())}
    return found


def _due_ms(evidence: Evidence, one: Version) -> int | None:
    """When a timer must come at the latest; None if no clock runs. The time for which the
    clock stopped may be added.
    """
    game = one.after
    if game.is_over or game.time is None or game.since_ms is None:
        return None
    due_ms = game.since_ms + left_at(game) + SETTLE_MS
    until_ms = one.at_ms + evidence.history.skew_ms
    still = max(still_ms(evidence, one, game.since_ms, until_ms))
    return max(due_ms + still, until_ms + LOOKS_AGAIN_MS) if still else due_ms


@lru_cache(maxsize=10_000)
def _timer(body: str) -> tuple[str, _Timer]:
    try:
        nudge = json.loads(body)["nudge"]
        return str(nudge["game_id"]), _Timer(int(nudge["at_ms"]), _line(body))
    except (ValueError, KeyError, TypeError):
        return "", _Timer(0, "")


@lru_cache(maxsize=10_000)
def _line(body: str) -> str:
    """The player behind whose words a timer waits; empty for the game's own line."""
    return str(json.loads(body)["nudge"].get("player", ""))


@lru_cache(maxsize=10_000)
def _name(body: str) -> str:
    nudge = json.loads(body)["nudge"]
    name = f"{nudge['game_id']}-{nudge['ply']}-{nudge['at_ms']}"
    return f"{name}-{nudge['player'][:16]}" if "player" in nudge else name
