"""How a published state is dated, and all the dates that it can have: a state that was asked for is
dated anew (docs/decisions/0008-an-answer-is-dated-when-it-is-given.md).
"""

from collections.abc import Iterator
from itertools import chain

from arbiter.core.rules import STATE_KNOWN_MS

TOLD_ANEW_AFTER_MS = 60_000
"""strfry refuses an ephemeral event that is older than a minute."""

CHECKED_SECONDS = STATE_KNOWN_MS // 1000
"""How far back the dates of a state are tried against an ``e`` tag: at most 58 MB of hashes, some
60 ms, for a state of 2,000 plies.
"""

SKEW_SECONDS = 60
"""How far the clock of the process that dated a state may be ahead of the one that decides the next
command, or the time between the former's read of a game and its publishing.
"""


def date_answer(changed_at_ms: int, now_ms: int) -> int:
    """The ``created_at`` (unix seconds) of a state that a player asked for: now, since a relay
    sends no event twice, and a subscription from now on gets none of before.
    """
    return max(changed_at_ms, now_ms) // 1000


def date_change(changed_at_ms: int, now_ms: int) -> int:
    """The ``created_at`` (unix seconds) of a state that tells a change: when it was committed, so
    that a quick retry is the very same event; now, if that was over a minute ago.
    """
    if now_ms - changed_at_ms > TOLD_ANEW_AFTER_MS:
        return date_answer(changed_at_ms, now_ms)
    return changed_at_ms // 1000


def possible_dates(since_ms: int, until_ms: int, now_ms: int) -> Iterator[int]:
    """Every ``created_at`` with which the state of that time may have been published first or in
    the last hour, the likeliest first: when it was made, then newest to oldest.
    """
    first, last = since_ms // 1000, until_ms // 1000 + SKEW_SECONDS
    before = max(first, now_ms // 1000 - CHECKED_SECONDS - 1)
    return chain((first,), range(last, before, -1))


def are_all_checked(since_ms: int, now_ms: int) -> bool:
    """Whether `possible_dates` has every date of a state that was made at that time."""
    return since_ms // 1000 >= now_ms // 1000 - CHECKED_SECONDS
