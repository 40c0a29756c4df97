"""The clocks: by the table's numbers and the listeners' stamps alone.

A move is charged from when its position was made until it was received, less one second and less
the time in which no relay was heard. No clock is better off for what others sent: where a move that
all could read waited, the opponent's clock ran, for ten seconds or half of it at most.
"""

from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.checker.items import Stored
from tests.simulation.checker.outages import still_at_the_end, still_ms
from tests.simulation.checker.parsed_history import ParsedHistory, Version
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import MOVE

LAG_MS = 1000
SETTLE_MS = 2000
MAX_LATE_MS = 10_000
FIRST_MOVE_MS = 30_000
LEAST_START_MS = 3000
DAY_MS = 24 * 3_600_000
PATIENCE_MS = 15 * 60_000
"""How long after the flag the arbiter may take to notice, at the very most, when all is well."""

FIRST_PLIES = 2
FEW_WORDS = 5

NATIVE = "native"
"""The dialect of those who play on relays."""


def clocks_add_up(parsed: ParsedHistory) -> Iterator[Violation]:
    for versions in parsed.games.values():
        for one in versions:
            if one.after.time is None:
                continue
            if one.before is None:
                yield from _started(one)
            elif len(one.after.moves) == len(one.before.moves) + 1:
                yield from _charged(parsed, one)
            elif one.after.is_over and not one.before.is_over:
                yield from _stopped(parsed, one)
            else:
                yield from _untouched(parsed, one)
        yield from _still_running(parsed, versions[-1].after)


def _started(one: Version) -> Iterator[Violation]:
    due = _start_ms(one.after.time or "")
    clocks = (one.after.white.clock_ms, one.after.black.clock_ms)
    if clocks != (due, due):
        yield violation(one.after, f"the clocks start at {clocks}, due is {due}")


def _charged(parsed: ParsedHistory, one: Version) -> Iterator[Violation]:
    before, after = one.before, one.after
    if before is None or before.since_ms is None or after.since_ms is None:
        return
    mover, other = before.turn, "b" if before.turn == "w" else "w"
    if after.side(other).clock_ms != before.side(other).clock_ms:
        yield violation(after, f"a move of {mover} changed the clock of {other}")
    stamps = sorted(stamp for id_ in ids_of(parsed, one) for stamp in parsed.stamps[id_])
    left, since_ms = before.side(mover).clock_ms or 0, before.since_ms
    still = {stamp: still_ms(parsed, one, since_ms, stamp) for stamp in stamps}
    due = {
        _after_move(before, left, stamp - since_ms - stood)
        for stamp in stamps
        for stood in still[stamp]
    }
    now = after.side(mover).clock_ms
    if now not in due:
        sentence = f"{mover} had {left} ms and has {now}; received at {stamps}, due is {due}"
        yield violation(after, f"version {after.version}: {sentence}")
    if stamps and since_ms + left_at(before) + max(still[stamps[0]]) < stamps[0]:
        yield violation(after, f"version {after.version}: {mover} moved after their flag fell")
    late = {
        _late_ms(parsed, one, stamp) if not stood else 0
        for stamp in stamps
        for stood in still[stamp]
    }
    ago_ms = after.changed_ms - after.since_ms
    is_due = ago_ms in late or (ago_ms == 0 and said_much(parsed, one))
    if after.since_ms < since_ms or not is_due:
        told = f"the next clock runs from {ago_ms} ms ago, due is {late}"
        yield violation(after, f"version {after.version}: {told}")


def said_much(parsed: ParsedHistory, one: Version) -> bool:
    """Whether the mover may have kept their own move waiting: by more than a few other words that
    were taken, again and again perhaps, since a minute before this position was made.
    """
    before = one.before
    if before is None:
        return False
    mover, since_ms = before.side(before.turn).player, (before.since_ms or 0) - DAY_MS
    own, words = {*ids_of(parsed, one)}, set()
    for _, at_ms, event, game_id in parsed.words_of.get(mover, ()):
        if since_ms <= at_ms <= one.at_ms and game_id == before.id and event not in own:
            words.add(event)
    return len(words) > FEW_WORDS


def _late_ms(parsed: ParsedHistory, one: Version, stamp_ms: int) -> int:
    before, after = one.before, one.after
    if before is None or before.since_ms is None or len(before.moves) < FIRST_PLIES:
        return 0
    other = before.side("b" if before.turn == "w" else "w")
    is_public = other.dialect == NATIVE and any(
        parsed.by_event_key[event_key][1].kind == MOVE
        for event_key in one.new_event_keys
        if event_key in parsed.by_event_key
    )
    if not is_public:
        return 0
    waited_ms = after.changed_ms - max(stamp_ms, before.since_ms) - LAG_MS
    return max(0, min(waited_ms, MAX_LATE_MS, (other.clock_ms or 0) // 2))


def ids_of(parsed: ParsedHistory, one: Version) -> Iterator[str]:
    for event_key in (*one.new_event_keys, *one.newly_refused("w"), *one.newly_refused("b")):
        if found := parsed.by_event_key.get(event_key):
            yield found[1].id


def _after_move(before: Stored, left_ms: int, elapsed_ms: int) -> int:
    time = before.time or ""
    if time.endswith("d"):
        return int(time[:-1]) * DAY_MS
    if len(before.moves) < FIRST_PLIES:
        return left_ms
    increment_ms = int(time.partition("+")[2]) * 1000
    return max(0, left_ms - max(0, elapsed_ms - LAG_MS)) + increment_ms


FALLS_WITHIN_MS = 60_000
OUTAGES = {
    "F10",
    "F12",
    "F20",
    "F21",
    "F23",
    "F32",
    "F36",
    "F36 one",
    "F37",
    "F40 step",
    "F44",
    "F48",
}
OUTAGES |= {"disk fails", "disk full", "F24", "crash", "F22", "F26", "F29", "F30", "F31", "night"}
"""After what no clock may have run, or no timer may have fired at once."""


def flags_fall(parsed: ParsedHistory) -> Iterator[Violation]:
    """Time that is up ends a game at once, also where nobody moves, asks or claims it."""
    if {one.kind for one in parsed.faults} & OUTAGES:
        return
    for versions in parsed.games.values():
        for one, following in pairwise(versions):
            game = one.after
            if game.is_over or game.since_ms is None or "+" not in (game.time or ""):
                continue
            late_ms = following.at_ms - game.since_ms - left_at(game)
            if late_ms > FALLS_WITHIN_MS:
                sentence = f"version {game.version}: the flag was expected to fall, and the next"
                yield violation(game, f"{sentence} version came {late_ms} ms after the deadline")


def left_at(game: Stored) -> int:
    if len(game.moves) < FIRST_PLIES and not (game.time or "").endswith("d"):
        return FIRST_MOVE_MS
    return (game.side(game.turn).clock_ms or 0) + LAG_MS


def _start_ms(time: str) -> int:
    if time.endswith("d"):
        return int(time[:-1]) * DAY_MS
    base, _, increment = time.partition("+")
    return int(base) * 1000 or max(int(increment) * 1000, LEAST_START_MS)


def flagged(one: Version) -> bool:
    before, after = one.before, one.after
    if before is None or before.is_over or not after.is_over:
        return False
    return after.termination == "timeout" or (
        after.termination == "aborted" and not one.new_event_keys
    )


def _untouched(parsed: ParsedHistory, one: Version) -> Iterator[Violation]:
    """What is no move leaves the clocks alone; a takeback gives no time back, what its author has
    thought over the move included, and takes the increments of the moves that it undoes.
    """
    before, after = one.before, one.after
    if before is None:
        return
    if len(after.moves) < len(before.moves):
        due = {
            tuple(_taken_back(before, len(after.moves), color, spent) for color in "wb")
            for spent in _spent_by_asker(parsed, one)
        }
        stand = (after.white.clock_ms, after.black.clock_ms)
        if stand not in due or after.since_ms != after.changed_ms:
            yield violation(after, f"after a takeback the clocks are {stand}, due is {due}")
        return
    clocks = [(it.white.clock_ms, it.black.clock_ms, it.since_ms) for it in (before, after)]
    if clocks[0] != clocks[1]:
        sentence = f"version {after.version}: without a move {clocks[0]} became {clocks[1]}"
        yield violation(after, sentence)


def _stopped(parsed: ParsedHistory, one: Version) -> Iterator[Violation]:
    """What ends the game without a move stops the clock of the side to move: at nothing, if their
    time was up.
    """
    before, after = one.before, one.after
    if before is None or before.since_ms is None:
        return
    mover, other = before.turn, "b" if before.turn == "w" else "w"
    left, now = before.side(mover).clock_ms or 0, after.side(mover).clock_ms
    if after.termination == "timeout":
        due = {0}
    elif len(before.moves) < FIRST_PLIES and not (before.time or "").endswith("d"):
        due = {left}
    else:
        due = {max(0, left - spent) for spent in _spent(parsed, one, before.since_ms)}
    is_other_same = after.side(other).clock_ms == before.side(other).clock_ms
    if now not in due or not is_other_same or after.since_ms != after.changed_ms:
        yield violation(after, f"{mover} had {left} ms, and stopped at {now}, due is {due}")


def _spent(parsed: ParsedHistory, one: Version, since_ms: int) -> set[int]:
    stamps = [stamp for id_ in ids_of(parsed, one) for stamp in parsed.stamps[id_]]
    still = {stood for stamp in stamps for stood in still_ms(parsed, one, since_ms, stamp)}
    return {max(0, one.after.changed_ms - since_ms - stood - LAG_MS) for stood in still or {0}}


def _spent_by_asker(parsed: ParsedHistory, one: Version) -> set[int]:
    before = one.before
    if before is None or before.since_ms is None or before.offer is None:
        return {0}
    by_days = (before.time or "").endswith("d")
    if before.offer[1] != before.turn or by_days or len(before.moves) < FIRST_PLIES:
        return {0}
    return _spent(parsed, one, before.since_ms)


def _taken_back(game: Stored, plies: int, color: str, spent_ms: int) -> int:
    """What this side has when all but so many plies are undone, and the side to move has spent so
    much. The first move of each earned no increment, and where moves take days none does.
    """
    increment_ms = int((game.time or "").partition("+")[2] or 0) * 1000
    first = 0 if game.start_fen.split()[1] == color else 1
    undone = range(max(FIRST_PLIES, plies), len(game.moves))
    earned = sum(ply % 2 == first for ply in undone)
    left_ms = max(0, (game.side(color).clock_ms or 0) - increment_ms * earned)
    return max(0, left_ms - spent_ms) if color == game.turn else left_ms


def _still_running(parsed: ParsedHistory, last: Stored) -> Iterator[Violation]:
    history = parsed.history
    if last.is_over or last.time is None or last.since_ms is None or not history.is_quiet:
        return
    deadline_ms = last.since_ms + left_at(last) + still_at_the_end(parsed, last.since_ms)
    began_ms = max(deadline_ms, history.healed_at_ms or deadline_ms)
    late_ms = history.ended_at_ms - began_ms - SETTLE_MS
    if late_ms > PATIENCE_MS + history.skew_ms:
        yield violation(last, f"{last.turn} has had no time for {late_ms} ms, and was not flagged")


def violation(game: Stored, sentence: str) -> Violation:
    return Violation(Invariant.CLOCKS, (game.id,), sentence)
