"""Leaving a slow game whose opponent is silent: who may give notice, and what ends it."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import DAY_MS, TimeControl, start_clocks
from arbiter.core.commands import Abort, DeclineOffer, PlayersCommand, Quit
from arbiter.core.decide import decide
from arbiter.core.early_ends import ended_early_by, noted
from arbiter.core.game import (
    BLACK,
    EARLIER_VERSIONS_KEPT,
    WHITE,
    Game,
    Offer,
    Outcome,
    Termination,
)
from arbiter.core.offers import NOTICE_MS
from arbiter.core.replies import GameChanged, Reason
from arbiter.core.rules import SILENT_MS, STALE_AFTER_MS, Rules
from tests.builders import ALICE, BOB, NOW_MS, a_game, after, decided, move
from tests.core.words import ABORT, DRAW, TAKEBACK, decline, offer, reason

TWO_WEEKS = TimeControl(move_ms=14 * DAY_MS)
LATER_MS = NOW_MS + SILENT_MS + 1
OVER_MS = LATER_MS + NOTICE_MS
MOVES = "e4 d5 Nf3"
"""Black is to move, and White waits."""

CALLED_OFF = Outcome(Termination.ABORTED, None)


def by_days() -> Game:
    return after(replace(a_game(), clocks=start_clocks(TWO_WEEKS, NOW_MS), rated=True), MOVES)


def unlimited() -> Game:
    return after(a_game(), MOVES)


def noticed(game: Game | None = None) -> Game:
    """The game in which White has given notice."""
    return decide(game or by_days(), Abort(ALICE.pubkey), LATER_MS).game


SLOW = pytest.mark.parametrize("game", [by_days(), unlimited()], ids=["by days", "unlimited"])


def refused(game: Game, command: PlayersCommand, now_ms: int, paused_ms: int = 0) -> Reason:
    decision = decide(game, command, now_ms, paused_ms=paused_ms)
    assert decision.game is game
    return reason(decision)


@SLOW
def test_who_waits_more_than_three_days_may_give_notice_and_both_are_told(game: Game) -> None:
    decision = decide(game, Abort(ALICE.pubkey), LATER_MS)

    assert decision.game.outcome is None
    assert decision.game.offer == Offer(ABORT, WHITE)
    assert decision.game.state_version == game.state_version + 1
    assert decision.game.clocks == game.clocks
    assert decision.replies == (GameChanged(decision.game),)


@SLOW
def test_a_move_ends_the_notice_and_the_game_goes_on(game: Game) -> None:
    moved = decide(noticed(game), move(noticed(game), "d5e4", at_ms=OVER_MS), OVER_MS).game

    assert (moved.ply, moved.offer, moved.outcome) == (4, None, None)
    assert refused(moved, Abort(ALICE.pubkey), OVER_MS) is Reason.TOO_LATE


def test_an_illegal_move_does_not_end_the_notice() -> None:
    assert decided(noticed(), "d5d1").game.offer == Offer(ABORT, WHITE)


@SLOW
def test_when_the_opponent_agrees_the_game_ends_at_once(game: Game) -> None:
    ended = decide(noticed(game), Abort(BOB.pubkey), LATER_MS + 1).game

    assert ended.outcome == CALLED_OFF
    assert ended.offer is None


@SLOW
def test_after_a_day_without_a_move_the_author_ends_the_game_and_nobody_is_blamed(
    game: Game,
) -> None:
    game = noticed(game)

    assert refused(game, Abort(ALICE.pubkey), OVER_MS - 1) is Reason.RATE_LIMITED
    ended = decide(game, Abort(ALICE.pubkey), OVER_MS).game

    assert ended.outcome == CALLED_OFF
    assert ended.result == "*"
    assert ended_early_by(ended) is None
    for key in (ALICE, BOB):
        assert noted((), ended, key.pubkey, OVER_MS) == ()


@SLOW
def test_who_declines_is_there_and_has_three_days_more(game: Game) -> None:
    declined = decline(noticed(game), BOB, ABORT, LATER_MS + 5).game
    again_ms = LATER_MS + 5 + SILENT_MS

    assert (declined.offer, declined.outcome) == (None, None)
    assert refused(declined, Abort(ALICE.pubkey), again_ms) is Reason.TOO_LATE
    again = decide(declined, Abort(ALICE.pubkey), again_ms + 1).game
    assert again.offer == Offer(ABORT, WHITE)
    assert refused(again, Abort(ALICE.pubkey), again_ms + NOTICE_MS) is Reason.RATE_LIMITED


def test_an_author_who_offers_something_else_begins_anew() -> None:
    other = offer(noticed(), ALICE, DRAW, LATER_MS + 5).game

    assert other.offer == Offer(DRAW, WHITE)
    assert refused(other, Abort(ALICE.pubkey), LATER_MS + 5 + SILENT_MS) is Reason.TOO_LATE


def test_the_silent_player_cannot_put_another_offer_in_its_place() -> None:
    for kind in (DRAW, TAKEBACK):
        assert reason(offer(noticed(), BOB, kind, LATER_MS)) is Reason.NOT_OFFERED_HERE


def test_an_offer_of_the_opponents_is_answered_first() -> None:
    offered = offer(by_days(), BOB, DRAW).game

    assert refused(offered, Abort(ALICE.pubkey), LATER_MS) is Reason.NOT_OFFERED_HERE
    answered = decline(offered, ALICE, DRAW, LATER_MS).game
    assert decide(answered, Abort(ALICE.pubkey), LATER_MS).game.offer == Offer(ABORT, WHITE)


def test_nobody_declines_their_own_notice_or_one_that_was_not_given() -> None:
    for game, key in ((noticed(), ALICE), (by_days(), BOB)):
        command = DeclineOffer(key.pubkey, ABORT, LATER_MS)
        assert refused(game, command, LATER_MS) is Reason.NO_OFFER


@SLOW
def test_until_three_days_have_passed_the_waiting_player_is_told_to_wait(game: Game) -> None:
    assert refused(game, Abort(ALICE.pubkey), LATER_MS - 1) is Reason.TOO_LATE


@SLOW
def test_the_side_to_move_never_leaves_by_abort(game: Game) -> None:
    assert refused(game, Abort(BOB.pubkey), NOW_MS + 13 * DAY_MS) is Reason.TOO_LATE


@SLOW
def test_time_in_which_no_relay_was_heard_is_neither_silence_nor_notice(game: Game) -> None:
    assert refused(game, Abort(ALICE.pubkey), LATER_MS, paused_ms=2) is Reason.TOO_LATE
    assert refused(noticed(game), Abort(ALICE.pubkey), OVER_MS, paused_ms=1) is Reason.RATE_LIMITED


@SLOW
def test_a_word_that_was_held_back_is_judged_by_its_date(game: Game) -> None:
    early = LATER_MS - STALE_AFTER_MS - 1

    assert refused(game, Abort(ALICE.pubkey, early), OVER_MS) is Reason.TOO_LATE
    assert refused(noticed(game), Abort(BOB.pubkey, early), OVER_MS) is Reason.TOO_LATE
    assert refused(noticed(game), Abort(ALICE.pubkey, LATER_MS), OVER_MS) is Reason.RATE_LIMITED
    in_time = Abort(ALICE.pubkey, OVER_MS - STALE_AFTER_MS)
    assert decide(noticed(game), in_time, OVER_MS).game.outcome == CALLED_OFF


def test_quitting_is_resigning_however_silent_the_opponent_is() -> None:
    for game in (by_days(), noticed()):
        decision = decide(game, Quit(ALICE.pubkey), OVER_MS)

        assert decision.game.outcome == Outcome(Termination.RESIGNATION, BLACK)


@pytest.mark.parametrize(
    "control", [TimeControl(move_ms=3 * DAY_MS), TimeControl(base_ms=10_800_000)]
)
def test_other_games_cannot_be_left_by_abort_once_both_have_moved(control: TimeControl) -> None:
    game = after(replace(a_game(), clocks=start_clocks(control, NOW_MS)), MOVES)

    for key in (ALICE, BOB):
        assert refused(game, Abort(key.pubkey), NOW_MS + 60_000) is Reason.TOO_LATE


def test_where_news_travels_slowly_the_opponent_may_think_for_longer() -> None:
    rules = Rules(silent_ms=14 * DAY_MS)
    late_ms = NOW_MS + 14 * DAY_MS

    early = decide(unlimited(), Abort(ALICE.pubkey), late_ms, rules)
    notice = decide(unlimited(), Abort(ALICE.pubkey), late_ms + 1, rules)

    assert reason(early) is Reason.TOO_LATE
    assert notice.game.offer == Offer(ABORT, WHITE)


def test_a_flag_that_fell_loses_the_game_and_an_abort_comes_too_late_for_that() -> None:
    late_ms = NOW_MS + 14 * DAY_MS + 60_000
    decision = decide(noticed(), Abort(ALICE.pubkey), late_ms)

    assert decision.game.outcome is not None
    assert decision.game.outcome.termination is Termination.TIMEOUT


def test_a_refusal_is_remembered_although_the_author_asks_for_other_things() -> None:
    game = decline(replace(noticed(), rated=False), BOB, ABORT, LATER_MS).game
    for _ in range(EARLIER_VERSIONS_KEPT):
        game = offer(game, ALICE, TAKEBACK, LATER_MS + 1).game
        game = offer(game, ALICE, DRAW, LATER_MS + 1).game

    assert refused(game, Abort(ALICE.pubkey), LATER_MS + SILENT_MS) is Reason.TOO_LATE
