"""Who may call a flag, and when.

A move that is too late flags its author at once. Whatever else is said, and a timer, does so two
seconds after the deadline, since a move in time may be on its way.
"""

from collections.abc import Iterator

from tests.simulation.checker.clock_sums import SETTLE_MS, flagged, ids_of, up_ms, violation
from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Stored
from tests.simulation.checker.judging import MOVE_SHAPED
from tests.simulation.checker.verdict import Violation
from tests.simulation.checker.wire import Event, read_record


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
    """When the timers came that this write's worker had in its last batch about this game."""
    came = [it for at, it in evidence.delivered if at < one.at and it.worker == one.who]
    records = [read_record(it.body) for it in came if it.batch == came[-1].batch]
    return {it.stamped_ms for it in records if it.nudges == one.after.id and it.stamped_ms}


def _moves_for(game: Stored, event: Event) -> bool:
    """Whether this is a move, good or bad, by the side to move."""
    is_move = MOVE_SHAPED.fullmatch(event.content.lower()) is not None
    return is_move and game.color_of(event.pubkey) == game.turn
