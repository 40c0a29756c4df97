"""While a clock runs, a timer is on its way that comes at most two seconds after the deadline: it
may be missing until every record that changed the game is answered.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from tests.simulation.checker.accounted_events import FAILED, NOT_FOR_US
from tests.simulation.checker.clock_sums import (
    SETTLE_MS,
    left_at,
)
from tests.simulation.checker.items import event_keys_in
from tests.simulation.checker.outages import still_ms
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import read_record
from tests.simulation.history import (
    Answered,
    DeadLettered,
    Delivered,
    Happening,
    Queued,
    Removed,
    Scheduled,
)

CLOCK_QUEUE = "clock"

LOOKS_AGAIN_MS = 5000
"""How long a timer waits at least that found a clock standing still."""


def running_clocks_have_timers(parsed: ParsedHistory) -> Iterator[Violation]:
    watch = _Watch(parsed)
    written: dict[int, list[Version]] = defaultdict(list)
    for version in parsed.changes:
        written[version.at].append(version)
    for at, happening in enumerate(parsed.history.happenings):
        for version in written.get(at, ()):
            yield from watch.wrote(version)
        yield from watch.saw(happening)


class _Timer(NamedTuple):
    """When it comes (unix ms), and in which group it then waits."""

    at_ms: int
    group: str


class _Watch:
    """Which timers are on their way, and which clocks run, at one moment of a history."""

    def __init__(self, parsed: ParsedHistory) -> None:
        self._parsed = parsed
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
            group = _group(body)
            pending -= {it for it in pending if it.group == group and it.at_ms <= record.stamped_ms}
            yield from self._judge(record.nudges)
        for game_id, event_keys in self._unanswered.items():
            if event[:16] in event_keys:
                event_keys.discard(event[:16])
                yield from self._judge(game_id)

    def _judge(self, game_id: str) -> Iterator[Violation]:
        one = self._present.get(game_id)
        if one is None or game_id in self._exempt or self._unanswered[game_id]:
            return
        due_ms = _due_ms(self._parsed, one)
        pending = self._pending[game_id]
        if due_ms is not None and not any(timer.at_ms <= due_ms for timer in pending):
            self._exempt.add(game_id)
            first = min((timer.at_ms for timer in pending), default=None)
            late = "none is on its way" if first is None else f"the first is {first - due_ms} late"
            sentence = f"version {one.after.version}: the clock of {one.after.turn} runs, a timer "
            yield Violation(
                Invariant.CLOCKS, (game_id,), f"{sentence}is due at {due_ms}, and {late}"
            )


def _causes(one: Version) -> set[str]:
    found: set[str] = set()
    for key, (before, after) in one.items.items():
        if key[:2] in {"g#", "p#"} and after is not None:
            found |= {*event_keys_in(after)} - {
                *(event_keys_in(before) if before is not None else ())
            }
    return found


def _due_ms(parsed: ParsedHistory, one: Version) -> int | None:
    """When a timer must come at the latest; None if no clock runs. The time for which the
    clock stopped may be added.
    """
    game = one.after
    if game.is_over or game.time is None or game.since_ms is None:
        return None
    due_ms = game.since_ms + left_at(game) + SETTLE_MS
    until_ms = one.at_ms + parsed.history.skew_ms
    still = max(still_ms(parsed, one, game.since_ms, until_ms))
    return max(due_ms + still, until_ms + LOOKS_AGAIN_MS) if still else due_ms


@lru_cache(maxsize=10_000)
def _timer(body: str) -> tuple[str, _Timer]:
    try:
        nudge = json.loads(body)["nudge"]
        return str(nudge["game_id"]), _Timer(int(nudge["at_ms"]), _group(body))
    except (ValueError, KeyError, TypeError):
        return "", _Timer(0, "")


@lru_cache(maxsize=10_000)
def _group(body: str) -> str:
    """The player behind whose words a timer waits; empty for the game's own group."""
    return str(json.loads(body)["nudge"].get("player", ""))


@lru_cache(maxsize=10_000)
def _name(body: str) -> str:
    nudge = json.loads(body)["nudge"]
    name = f"{nudge['game_id']}-{nudge['ply']}-{nudge['at_ms']}"
    return f"{name}-{nudge['player'][:16]}" if "player" in nudge else name
