"""Days off in a game by days: whose clock rests, until when, and how many there are."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import DAY_MS, LAG_MS, TimeControl, start_clocks
from arbiter.core.game import Game, GamePlace, Termination
from arbiter.core.replies import Reason, Rejected
from arbiter.core.rules import Rules
from arbiter.core.vacations import LAST_MS, as_of_version
from tests.builders import NOW_MS, a_game
from tests.core.words import told

RULES = Rules(vacation_days=10)


def by_days(days: int = 2) -> Game:
    return replace(a_game(), clocks=start_clocks(TimeControl(move_ms=days * DAY_MS), NOW_MS))


def due_days(line: str, days: int = 2, rules: Rules = RULES) -> float:
    """The days from the beginning until the side to move loses, after this line."""
    deadline_ms = told(line, by_days(days), rules=rules).game.deadline_ms()
    assert deadline_ms is not None
    return (deadline_ms - LAG_MS - NOW_MS) / DAY_MS


def refusal(line: str, game: Game | None = None, rules: Rules = RULES) -> tuple[Reason, str]:
    decision = told(line, game or by_days(), rules=rules)
    # A stale word is answered by the state first.
    reply = decision.replies[-1]
    assert isinstance(reply, Rejected), reply
    return reply.reason, reply.text


@pytest.mark.parametrize(
    ("line", "due"),
    [
        ("+1d W:vacation=3", 5),
        ("+1d W:vacation=3 +1d W:vacation=2", 7),
        ("+1d W:vacation=3 +1d W:vacation=2~latest", 7),
        ("W:draw B:vacation=2 W:vacation=3~earlier_version", 5),
        # The opponent's days are their own, and begin to count with their turn.
        ("+1d B:vacation=3", 2),
        ("B:vacation=3 +1d e4", 5),
        ("B:vacation=3 +1d e4 +1d e5", 4),
        ("B:vacation=1 +2d e4", 4),
        # A move in a vacation does not end it.
        ("W:vacation=5 +1d e4 e5", 7),
        ("W:vacation=3 e4 +1d e5", 5),
        ("B:vacation=3 e4 W:takeback B:takeback +1d e4", 5),
        ("W:vacation=3 e4 W:takeback B:takeback", 5),
    ],
)
def test_a_clock_rests_for_the_days_that_its_player_takes(line: str, due: float) -> None:
    assert due_days(line) == due


def test_the_flag_falls_after_the_vacation_and_not_before() -> None:
    line = "e4 e5 +1d W:vacation=3 +4d"
    early = told(f"{line} tick", by_days(), rules=RULES)
    late = told(f"{line} +3001 tick", by_days(), rules=RULES)

    assert early.game.outcome is None
    assert late.game.outcome
    assert (late.game.outcome.termination, late.game.result) == (Termination.TIMEOUT, "0-1")


@pytest.mark.parametrize(
    ("line", "reason", "text"),
    [
        ("W:vacation=11", Reason.NOT_OFFERED_HERE, "10 days"),
        ("W:vacation=7 W:vacation=4", Reason.NOT_OFFERED_HERE, "have 3 days"),
        (f"+2d -{LAST_MS - LAG_MS - 1} W:vacation=1", Reason.TOO_LATE, "last hour"),
        ("E:vacation=1", Reason.NOT_A_PLAYER, "no seat"),
        ("W:vacation=0", Reason.NOT_OFFERED_HERE, "10 days"),
        ("W:vacation=10 e4 +1d e5 +363d W:vacation=1", Reason.NOT_OFFERED_HERE, "0 days"),
        # Signed again, since its answer was lost.
        ("W:vacation=3 +1d W:vacation=3~earlier_version", Reason.STALE, "the latest"),
        ("W:vacation=3 W:vacation=3 W:vacation=3~earlier_version", Reason.STALE, "the latest"),
    ],
)
def test_days_that_there_are_not_are_refused(line: str, reason: Reason, text: str) -> None:
    found, said = refusal(line, by_days(400 if "363d" in line else 2))
    assert found is reason
    assert text in said


def test_an_hour_before_the_deadline_there_is_still_a_vacation() -> None:
    assert due_days(f"+2d -{LAST_MS} W:vacation=1") == 3


def test_the_days_come_back_a_year_after_they_were_taken() -> None:
    assert due_days("W:vacation=10 e4 +1d e5 +364d W:vacation=10", days=400) == 420


@pytest.mark.parametrize(
    "game",
    [
        a_game(),
        replace(a_game(), clocks=start_clocks(TimeControl(base_ms=180_000), NOW_MS)),
        replace(by_days(), tournament=GamePlace("a" * 32, 1, 1, 3600)),
    ],
)
def test_a_game_without_days_and_one_of_an_event_has_no_vacation(game: Game) -> None:
    assert refusal("W:vacation=1", game)[0] is Reason.NOT_OFFERED_HERE


def test_without_a_word_of_the_operator_there_is_none() -> None:
    assert "0 days" in refusal("W:vacation=1", rules=Rules())[1]


def test_a_player_on_vacation_is_not_silent() -> None:
    line = "e4 e5 Nf3 +1d B:vacation=5 +4d W:abort"
    game = by_days(7)
    assert told(line, game, rules=RULES).game.offer is None
    # Three days after its end the notice is given, and a day after that it counts.
    noticed = told(f"{line} +4d +1 W:abort", game, rules=RULES).game
    assert noticed.offer is not None
    away = "+3d +1 W:abort B:vacation=2 +2d W:abort"
    assert told(f"e4 e5 Nf3 {away}", game, rules=RULES).game.outcome is None
    ended = told(f"e4 e5 Nf3 {away} +1d +1 W:abort", game, rules=RULES).game.outcome
    assert ended
    assert ended.termination is Termination.ABORTED


def test_the_state_before_a_vacation_can_be_told_again() -> None:
    before = told("e4 e5 W:draw", by_days(), rules=RULES).game
    after = told("+1d W:vacation=3 B:vacation=1", before, rules=RULES).game
    seen = as_of_version(after, before.state_version)
    assert (seen.clocks, seen.vacations) == (before.clocks, ())
    half = as_of_version(after, before.state_version + 1)
    assert (half.clocks, len(half.vacations)) == (after.clocks, 1)
