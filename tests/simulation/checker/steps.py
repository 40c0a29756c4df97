"""One write that did several things, as the things that it did.

On Scuttlebutt a move may come before the one that it answers. It is kept in the game, and made with
that one, in one write; each of the two is told by itself.
"""

from collections.abc import Iterator
from dataclasses import replace

from tests.simulation.checker.evidence import Evidence, Version
from tests.simulation.checker.items import Stored

_IN_PLACE = frozenset({"draw", "rematch"})


def steps_of(evidence: Evidence, one: Version) -> Iterator[tuple[str, Version]]:
    """Each event that this write applied, by its cause, and what it did."""
    *first, last = [*one.new_causes] or [""]
    before = one.before
    for cause in first:
        event = evidence.by_cause.get(cause, (0, None))[1]
        if before is None or event is None:
            break
        color = before.color_of(event.pubkey) or ""
        after = _after(before, one.after, color, event.content)
        yield cause, replace(one, before=before, after=after)
        before = after
    if last:
        yield last, replace(one, before=before)


def passed(evidence: Evidence, one: Version) -> Iterator[Stored]:
    """What the game was on its way to this version."""
    *first, _ = [("", one), *steps_of(evidence, one)]
    yield from (step.after for cause, step in first if cause)


def _after(before: Stored, end: Stored, color: str, word: str) -> Stored:
    edition, changed_ms = before.edition + 1, end.changed_ms
    if word in _IN_PLACE:
        return replace(before, offer=(word, color), edition=edition, changed_ms=changed_ms)
    # His own offer of a draw stands; the other's is declined by his move.
    stands = before.offer if before.offer == ("draw", color) else None
    moves = end.moves[: len(before.moves) + 1]
    return replace(before, moves=moves, offer=stands, edition=edition, changed_ms=changed_ms)
