"""What was acknowledged is kept, what changed is told unasked, a rated game is rated once, and the
arbiter fails only where something was made to fail.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import zip_longest

from tests.simulation.checker.parsed_history import ParsedHistory
from tests.simulation.checker.policy import was_void
from tests.simulation.checker.violation import Invariant, Violation
from tests.simulation.checker.wire import MOVE, REQUEST, STATE, read_record
from tests.simulation.history import Committed, Failed, Taken, of_kind

TOLD_MS = 5_000
"""The time that a change may wait to be told: unanswered players ask after eight seconds."""

LASTS_MS = {"F36": 700_000}
OTHERS_LAST_MS = 150_000
"""The time after it struck in which a fault may keep an answer back."""

SLOW = {
    "F23",
    "F24",
    "F04 while",
    "disk fails",
    "disk full",
    "F36",
    "F36 one",
    "F37",
    "slow reader",
    "F10",
}
"""The faults that may do so."""

STOPS_CLOCKS = SLOW | {"F12", "F20", "F21", "F32", "F40 step", "F44", "F48", "night"}
"""After what a clock may have stood still, or a timer may not have fired at once."""

FALLS_MS, FIRST_MOVE_MS, LAG_MS, FIRST_PLIES = 60_000, 30_000, 1000, 2

CAUSES = {
    "StoreError": {"disk fails"},
    "StoreFull": {"disk full"},
    "StoreClosed": {"F20", "F21", "F32", "F44"},
    "Poison": {"F24"},
    "NoRelayAccepted": {"F36", "F04", "F04 while"},
}
"""Which faults a failure of the arbiter may come of, by its name."""


def ok_means_kept(parsed: ParsedHistory) -> Iterator[Violation]:
    """An ``OK`` of our gateway is said when the event is on the disk."""
    taken: dict[str, int] = {}
    for at, one in parsed.taken:
        if event := read_record(one.body).event:
            taken.setdefault(event.id, at)
    commits = [at for at, one in enumerate(parsed.history.happenings) if isinstance(one, Committed)]
    for at, id_, accepted, text in parsed.verdicts:
        found = parsed.signed.get(id_)
        if not accepted or text or found is None or found[1].kind not in {MOVE, REQUEST}:
            continue
        after = bisect_right(commits, taken.get(id_, at))
        if after == len(commits) or commits[after] > at:
            sentence = "OK was expected after its commit, and was said before"
            yield Violation(Invariant.STORED_BEFORE_SAID, (id_,), sentence)


def changes_are_told(parsed: ParsedHistory) -> Iterator[Violation]:
    """What players can see of a game is told at once, or soon after the next process starts."""
    if not parsed.history.has_relays:
        return  # nobody may be there to be told
    said: dict[str, list[tuple[int, int]]] = {}
    for published in parsed.published_events:
        if published.event.kind == STATE:
            told = (published.at_ms, int(published.event.value("version") or 0))
            said.setdefault(published.event.value("d") or "", []).append(told)
    troubles = _troubles(parsed, SLOW)
    for game_id, versions in parsed.games.items():
        for one in versions:
            is_same = one.before and one.before.state_version == one.after.state_version
            due_ms, version = _due_ms(parsed, one.at_ms), one.after.state_version
            is_hard = any(first <= due_ms and one.at_ms <= last for first, last in troubles)
            if is_same or is_hard or due_ms > parsed.history.ended_at_ms:
                continue
            answers = said.get(game_id, [])
            if not any(one.at_ms <= at <= due_ms and number >= version for at, number in answers):
                seconds = (due_ms - one.at_ms) // 1000
                sentence = f"version {version} was expected within {seconds} s, and nothing came"
                yield Violation(Invariant.TOLD, (game_id,), sentence)


def _troubles(parsed: ParsedHistory, kinds: set[str]) -> list[tuple[int, int]]:
    """From when until when (unix ms) a fault of these kinds may keep something back."""
    return [
        (one.at_ms, one.at_ms + LASTS_MS.get(one.kind, OTHERS_LAST_MS))
        for one in parsed.faults
        if one.kind in kinds
    ]


def flags_fall(parsed: ParsedHistory) -> Iterator[Violation]:
    """Time that is up ends a game at once, also where nobody moves, asks or claims it; but a clock
    stands still while no relay is heard.
    """
    troubles = _troubles(parsed, STOPS_CLOCKS)
    for game_id, versions in parsed.games.items():
        for one, following in zip_longest(versions, versions[1:]):
            game, since_ms = one.after, one.after.since_ms
            if game.is_over or since_ms is None or "+" not in (game.time or ""):
                continue
            left_ms = (game.side(game.turn).clock_ms or 0) + LAG_MS
            due_ms = since_ms + (FIRST_MOVE_MS if len(game.moves) < FIRST_PLIES else left_ms)
            until_ms = following.at_ms if following else parsed.history.ended_at_ms
            late_ms = until_ms - due_ms
            is_hard = any(
                first <= due_ms + FALLS_MS and since_ms <= last for first, last in troubles
            )
            if late_ms > FALLS_MS and not is_hard:
                sentence = f"version {game.version}: the flag was expected to fall, and the next"
                sentence += f" version came {late_ms} ms after the deadline"
                yield Violation(Invariant.CLOCKS, (game_id,), sentence)


def _due_ms(parsed: ParsedHistory, at_ms: int) -> int:
    """Until when a change is to be told: soon, or soon after a process starts again."""
    due_ms = at_ms + TOLD_MS
    for end in parsed.ends:
        if at_ms <= end.at_ms <= due_ms:
            due_ms = (
                next((it.at_ms for it in parsed.starts if it.at_ms >= end.at_ms), end.at_ms)
                + TOLD_MS
            )
    return due_ms


def rated_once(parsed: ParsedHistory) -> Iterator[Violation]:
    """Each rated game that was played moves the ratings in one write, once."""
    rated: set[str] = set()
    for _, wrote in parsed.writes:
        for key, before, _ in wrote.items:
            if not key.startswith("rated#"):
                continue
            game_id = key.removeprefix("rated#")
            if before is not None or game_id in rated:
                yield Violation(Invariant.RATINGS, (game_id,), "it was rated twice")
            rated.add(game_id)
    for game_id, versions in parsed.games.items():
        game = versions[-1].after
        is_due = game.is_rated and game.is_over and game.termination != "aborted"
        players = [game.white.player, game.black.player]
        is_void = was_void(parsed, players, versions[0].at, len(parsed.history.happenings))
        if is_due and len(game.moves) > 1 and game_id not in rated and not is_void:
            yield Violation(Invariant.RATINGS, (game_id,), "it ended, and was never rated")


def failures_have_a_cause(parsed: ParsedHistory) -> Iterator[Violation]:
    fired = {one.kind for one in parsed.faults}
    told: set[str] = set()
    for one in of_kind(parsed.history.happenings, Failed):
        may_be = not one.failure or bool(CAUSES.get(one.failure, set()) & fired)
        if not may_be and one.failure not in told:
            told.add(one.failure)
            sentence = f"no failure was expected, and it logged {one.failure}: {one.line}"
            yield Violation(Invariant.ACCOUNTED, (), sentence)


def every_stamp_is_true(parsed: ParsedHistory) -> Iterator[Violation]:
    """An event is stamped with the time at which it came, and players are charged by that."""
    skew_ms = parsed.history.skew_ms if "F40 step" in {it.kind for it in parsed.faults} else 0
    slack_ms = 1000 + skew_ms
    for one in of_kind(parsed.history.happenings, Taken):
        record = read_record(one.body)
        if record.event is None or record.stamped_ms is None:
            continue
        came = parsed.arrivals.get(record.event.id, [])
        if not any(-skew_ms <= record.stamped_ms - at_ms <= slack_ms for at_ms in came):
            sentence = f"it came at {came}, and was stamped {record.stamped_ms}"
            yield Violation(Invariant.CLOCKS, (record.event.id,), sentence)
