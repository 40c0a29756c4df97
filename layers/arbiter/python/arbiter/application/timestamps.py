"""When a state is dated.

A retry within half a minute must be the very same event, so that relays call it a duplicate; a
later one must be fresh, since relays refuse an ephemeral event that is older than a minute
(strfry). So a state is dated when it was committed, or a whole number of half minutes after: few
enough ids that a move's ``e`` tag can be checked without storing any of them
(docs/decisions/0008-a-state-has-an-id-every-half-minute.md).
"""

from collections.abc import Iterator
from itertools import chain

STEP_SECONDS = 30

STEPS_CHECKED = 14 * 24 * 120
"""How many dates of one state are tried against an ``e`` tag: two weeks of them, some 40 ms at
worst.
"""

STEPS_OF_FORMER_CHECKED = 4 * 120
"""And of each edition before it: of the last four hours in which it stood. Who signed his move just
before he saw an offer was told one of these, or the first of all; and eight editions of two weeks
each would cost nine times as much as one.
"""

LATEST_MS = 10**14
"""The year 5138, in unix milliseconds: a number beyond it is no time of receipt, whoever says so,
and none that the table could hold."""


def date_state(changed_at_ms: int, now_ms: int) -> int:
    """The ``created_at`` (unix seconds) for a state that last changed then and is published now."""
    changed_at = changed_at_ms // 1000
    steps = max(0, now_ms // 1000 - changed_at) // STEP_SECONDS
    return changed_at + steps * STEP_SECONDS


def possible_dates(changed_at_ms: int, now_ms: int, steps: int = STEPS_CHECKED) -> Iterator[int]:
    """Every ``created_at`` this state may have been published with: the first one, then so many
    ``steps`` from now backwards, beginning a step ahead: the worker that published it may have a
    faster clock.
    """
    first, last = changed_at_ms // 1000, date_state(changed_at_ms, now_ms) + STEP_SECONDS
    earliest = max(first, last - steps * STEP_SECONDS)
    return chain((first,), range(last, earliest, -STEP_SECONDS))
