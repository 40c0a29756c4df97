"""While no relay was heard clocks stand still (PROTOCOL.md, "Clocks"): for how long, a second time.

The table has one item of it: when a relay was last heard, and the outages before that. What the
arbiter knew when it decided is what was stored then, or a moment before.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.simulation.checker.parsed_history import ParsedHistory, Version

SILENCE_MS = 15_000
QUIET_MS = 60_000
RETURN_MS = 10_000
MAX_MS = 24 * 3_600_000

INVOCATION_MS = 60_000
"""What was read before that was not decided by."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the item said: outages, the last of them open if no relay has been heard since."""

    heard_ms: int
    outages: tuple[tuple[int, int], ...]
    is_quiet: bool
    """Whether no event had come for hours: then it is written once a minute."""

    def is_silent(self, at_ms: int) -> bool:
        return at_ms - self.heard_ms > SILENCE_MS + (QUIET_MS if self.is_quiet else 0)

    def still_ms(self, since_ms: int, until_ms: int, *, is_silent: bool) -> int:
        """How much of that time belongs to an outage, or to the ten seconds after one, if one goes
        on or not.
        """
        spans = [(start, min(end, start + MAX_MS) + RETURN_MS) for start, end in self.outages]
        if is_silent:
            spans.append((self.heard_ms, min(until_ms, self.heard_ms + MAX_MS + RETURN_MS)))
        edge, still = since_ms, 0
        for start, end in spans:
            first, last = max(start, edge), min(end, until_ms)
            if last > first:
                still += last - first
                edge = last
        return still


def still_ms(parsed: ParsedHistory, one: Version, since_ms: int, until_ms: int) -> set[int]:
    """For how long the clock may have stopped, by what the writer of this version knew.

    Whether a silence until then is an outage was judged by their own clock, some time later.
    """
    if until_ms - since_ms <= SILENCE_MS:
        return {0}
    judged_ms = max(until_ms, one.at_ms + parsed.history.skew_ms)
    return {
        known.still_ms(since_ms, until_ms, is_silent=is_silent)
        for known in _known(parsed, one)
        for is_silent in {known.is_silent(until_ms), known.is_silent(judged_ms)}
    } or {0}


def still_at_the_end(parsed: ParsedHistory, since_ms: int) -> int:
    """For how long a clock that runs since then was stopped, when the run is over: in outages
    that ended.

    The listeners are stopped before a run ends, and that looks like one more outage. It excuses no
    clock: a run is quiet when the last timer has come, and each is set again until outages end.
    """
    item = parsed.history.table.get("heard")
    if item is None:
        return 0
    known = _read(item)
    return known.still_ms(since_ms, known.heard_ms, is_silent=False)


def _known(parsed: ParsedHistory, one: Version) -> Iterator[Known]:
    uptimes = parsed.uptimes
    before = bisect_left(uptimes, one.at, key=lambda uptime: uptime[0])
    for _, at_ms, item in reversed(uptimes[:before]):
        yield _read(item)
        if at_ms < one.at_ms - INVOCATION_MS:
            return


def _read(item: Mapping[str, Any]) -> Known:
    numbers = [int(number["N"]) for number in item.get("o", {"L": []})["L"]]
    heard_ms = int(item["at"]["N"])
    is_quiet = "u" in item and int(item["u"]["N"]) <= heard_ms
    return Known(heard_ms, tuple(zip(numbers[::2], numbers[1::2], strict=True)), is_quiet)
