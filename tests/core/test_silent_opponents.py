"""Leaving a correspondence game whose opponent is silent: when it is allowed, and to whom."""

from dataclasses import replace

import pytest

from arbiter.core.commands import Abort, Quit
from arbiter.core.decide import SILENT_MS, decide
from arbiter.core.model import BLACK, Game, Outcome, Termination
from arbiter.core.replies import Reason, Rejected
from arbiter.core.timing import DAY_MS, TimeControl, start_clocks
from tests.builders import ALICE, BOB, NOW_MS, a_game, after

TWO_WEEKS = TimeControl(move_ms=14 * DAY_MS)
LATER_MS = NOW_MS + SILENT_MS + 1
LEVEL = "e4 d5 Nf3"
A_PAWN_BEHIND = "e4 d5 Nc3 dxe4 Nge2"
A_KNIGHT_BEHIND = "e4 d5 Nf3 dxe4 Nc3 exf3 h3"


def by_days(moves: str, control: TimeControl = TWO_WEEKS) -> Game:
    return after(replace(a_game(), clocks=start_clocks(control, NOW_MS), rated=True), moves)


def refused(game: Game, player: str, now_ms: int = LATER_MS, paused_ms: int = 0) -> str:
    """The text of the refusal; empty if the game was aborted."""
    decision = decide(game, Abort(player), now_ms, stood_still_ms=paused_ms)
    if decision.game.outcome is not None:
        return ""
    (refusal,) = decision.replies
    assert isinstance(refusal, Rejected)
    assert refusal.reason is Reason.TOO_LATE
    return refusal.text


def test_who_waits_more_than_three_days_may_leave_and_nobody_is_blamed() -> None:
    decision = decide(by_days(LEVEL), Abort(ALICE.pubkey), LATER_MS)

    assert decision.game.outcome == Outcome(Termination.ABORTED, None)
    assert decision.game.result == "*"


def test_until_three_days_have_passed_the_waiting_player_is_told_to_wait() -> None:
    text = "resign, or abort when your opponent is silent for three days"

    assert refused(by_days(LEVEL), ALICE.pubkey, LATER_MS - 1).endswith(text)


def test_the_side_to_move_never_leaves_by_abort() -> None:
    assert refused(by_days(LEVEL), BOB.pubkey, NOW_MS + 13 * DAY_MS)


def test_time_in_which_no_relay_was_heard_is_not_silence() -> None:
    assert refused(by_days(LEVEL), ALICE.pubkey, LATER_MS, paused_ms=2)


def test_quitting_is_resigning_however_silent_the_opponent_is() -> None:
    decision = decide(by_days(LEVEL), Quit(ALICE.pubkey), LATER_MS)

    assert decision.game.outcome == Outcome(Termination.RESIGNATION, BLACK)


@pytest.mark.parametrize(
    "control", [None, TimeControl(move_ms=3 * DAY_MS), TimeControl(base_ms=10_800_000)]
)
def test_other_games_cannot_be_left_by_abort_once_both_have_moved(
    control: TimeControl | None,
) -> None:
    clocks = start_clocks(control, NOW_MS) if control else None
    game = after(replace(a_game(), clocks=clocks), LEVEL)

    assert refused(game, ALICE.pubkey, NOW_MS + 60_000) == "two plies were played: resign instead"


def test_who_is_behind_by_more_than_a_pawn_cannot_leave_unrated() -> None:
    assert refused(by_days(A_PAWN_BEHIND), ALICE.pubkey) == ""
    assert refused(by_days(A_KNIGHT_BEHIND), ALICE.pubkey).startswith("you are behind")


def test_a_flag_that_fell_loses_the_game_and_an_abort_comes_too_late_for_that() -> None:
    late_ms = NOW_MS + 14 * DAY_MS + 60_000
    decision = decide(by_days(LEVEL), Abort(ALICE.pubkey), late_ms)

    assert decision.game.outcome is not None
    assert decision.game.outcome.termination is Termination.TIMEOUT
