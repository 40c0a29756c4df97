"""A bot in a game."""

from typing import Any

import pytest

from tests.clients.bot import scene
from tests.clients.bot.scene import GAME
from tests.clients.bot.talk import (
    READY,
    Bot,
    Step,
    engine,
    error,
    late_engine,
    no_game,
    pass_,
    start,
    state,
    ticks,
    wait,
)


def moves() -> Bot:
    bot = Bot()
    assert bot(start()) == "think"
    return bot


def test_a_later_state_that_comes_first_is_kept() -> None:
    bot = moves()
    assert bot(engine("e2e4")) == "e2e4"
    assert bot(state("e2e4 e7e5", version=3)) == "think"
    assert bot(state("e2e4", version=2)) == "-"
    assert bot.session.game is not None
    assert bot.session.game.state.ply == 2


def test_an_offer_while_the_engine_thinks_does_not_disturb_it() -> None:
    bot = moves()
    assert bot(state(offer="takeback/b", version=2)) == "takeback-decline"
    assert bot(engine("e2e4")) == "e2e4"


def test_what_the_engine_says_of_another_position_is_dropped() -> None:
    bot = moves()
    assert bot(late_engine(GAME, "another")) == "-"
    assert bot(late_engine("f" * 32, scene.state().position)) == "-"


def test_an_engine_that_answers_no_legal_move_is_started_anew_and_ours_moves_at_last() -> None:
    bot = moves()
    assert bot(engine("e2e5")) == "restart | think"
    assert bot(engine()) == "restart | think by fallback"
    assert bot(engine("0000")) == "restart | think by fallback"
    assert bot(engine("resign")) == "restart | think by fallback"
    assert bot(engine("e7e8q")) == "restart | think by fallback"
    assert bot(engine("\ud800")) == "restart | think by fallback"
    assert bot(engine("aaaaaaaaaaaaaaaaaaaa")) == "restart | think by fallback"
    assert bot(engine("e2e4")) == "e2e4"


def test_an_engine_that_hangs_is_started_anew_before_the_time_is_up() -> None:
    bot = moves()
    assert bot(engine("e2e4"), state("e2e4 e7e5", clock=(4000, 4000))) == "think"
    assert bot(wait(3.9)) == "restart | think"


def test_a_move_without_an_answer_is_signed_anew_with_the_same_state() -> None:
    bot = moves()
    assert bot(engine("e2e4"), wait(9)) == "-"
    assert bot(wait(1)) == "e2e4"


def test_the_way_is_measured_by_moves_that_were_sent_once() -> None:
    bot = moves()
    assert bot(engine("e2e4"), pass_(11), wait(0), state("e2e4")) == "-"
    assert list(bot.session.timing.round_trips) == []
    bot(state("e2e4 e7e5"), engine("g1f3"), pass_(0.07), state("e2e4 e7e5 g1f3"))
    assert list(bot.session.timing.round_trips) == [70]


def test_a_move_that_a_lost_relay_may_have_lost_is_sent_as_soon_as_it_is_back() -> None:
    bot = moves()
    assert bot(engine("e2e4"), pass_(2), READY) == "?state | e2e4"


def test_a_stale_move_is_decided_by_the_state_that_the_arbiter_has() -> None:
    bot = moves()
    assert bot(engine("e2e4"), pass_(2), error("stale", "e2e4")) == "state"
    assert bot(state("d2d4 d7d5", version=3)) == "think"


def test_a_stale_move_whose_position_is_still_there_is_sent_again() -> None:
    bot = moves()
    assert bot(engine("e2e4"), pass_(2), error("stale", "e2e4"), state()) == "e2e4"


def test_a_strike_is_not_repeated() -> None:
    bot = moves()
    assert bot(engine("e2e4"), error("illegal-move", "e2e4")) == "think e2e4"


def test_the_opponents_errors_are_not_ours() -> None:
    bot = moves()
    assert bot(error("illegal-move", "?state")) == "-"


def test_a_game_that_the_arbiter_does_not_know_is_asked_for() -> None:
    bot = moves()
    assert bot(engine("e2e4"), pass_(1), error("unknown-game", "e2e4")) == "?state"
    assert bot(no_game) == "state"
    assert bot(error("unknown-game", "state")) == "stop"
    assert bot(ticks(20)) == "-", "nothing is said in it"


def test_silence_is_asked_about() -> None:
    bot = moves()
    assert bot(engine("e2e4"), state("e2e4"), wait(11), state("e2e4"), wait(11)) == "-"
    assert bot(wait(1)) == "state"


def test_the_opponent_is_flagged_after_the_deadline_and_not_before() -> None:
    bot = moves()
    assert bot(engine("e2e4"), state("e2e4"), ticks(31)) == "state | state"
    assert bot(ticks(3)) == "state | flag"


def test_time_that_is_left_after_all_is_waited_for() -> None:
    bot = moves()
    assert bot(engine("e2e4"), state("e2e4"), wait(33)) == "state | flag"
    assert bot(error("time-left", "flag")) == "-"
    assert bot(ticks(11)) == "state | flag"


def left(bot: Bot, seconds: int, **tags: Any) -> Bot:
    """The bot's opponent, who is to move, is away for so long."""
    for _ in range(seconds // 10):
        bot(state("e2e4 e7e5 g1f3", away="b", **tags), ticks(10))
    return bot


@pytest.mark.parametrize(
    ("clock", "seconds"),
    [((180_000, 180_000), 60), ((600_000, 450_000), 90), ((1, 1_800_000), 180)],
)
def test_a_game_whose_opponent_has_left_is_claimed_in_time_and_not_before(
    clock: tuple[int, int], seconds: int
) -> None:
    bot = Bot()
    bot(start("e2e4 e7e5", clock=clock), engine("g1f3"))
    for _ in range(2):
        assert "claim-left" not in left(bot, seconds, clock=clock).said
        assert bot(ticks(1)) == "claim-left"
        assert bot(error("no-claim", "claim-left")) == "-"
        bot.said.clear()


def test_no_game_is_claimed_of_an_opponent_who_came_back_or_waits_for_the_bot() -> None:
    bot = Bot()
    bot(start("e2e4 e7e5"), engine("g1f3"))
    left(bot, 50)
    bot(state("e2e4 e7e5 g1f3"), state("e2e4 e7e5 g1f3", away="b"), ticks(60))
    bot(state("e2e4 e7e5 g1f3 b8c6", away="b"), ticks(100))
    assert "claim-left" not in bot.said


def test_a_claim_is_made_once_in_a_position_and_not_when_we_are_better() -> None:
    bot = moves()
    bot(engine("g1f3", 0))
    assert bot(state("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")) == "claim | think"
    bot(error("no-claim", "claim"))
    assert bot(state("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", version=10)) == "-"


@pytest.mark.parametrize(("score", "did"), [(-300, "claim | think"), (300, "think")])
def test_a_worse_position_is_claimed_a_draw_and_a_better_one_is_not(score: int, did: str) -> None:
    bot = moves()
    bot(engine("g1f3", score))
    assert bot(state("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")) == did


def test_a_takeback_that_was_granted_makes_the_engine_think_again() -> None:
    bot = Bot("max_takebacks_accepted = 1")
    bot(start(), engine("e2e4"), state("e2e4 e7e5"))
    assert bot(state("e2e4 e7e5", offer="takeback/b", version=4)) == "takeback"
    assert bot(state("e2e4", version=5)) == "stop"
    assert bot(state("e2e4 c7c5", version=6)) == "think"
    assert bot(state("e2e4 c7c5", offer="takeback/b", version=7)) == "takeback-decline"


def test_a_lost_game_is_resigned_after_so_many_moves() -> None:
    bot = Bot(
        "engine.draw_or_resign.resign_enabled = true", "engine.draw_or_resign.resign_moves = 2"
    )
    assert bot(start(), engine("e2e4", -1000)) == "e2e4"
    assert bot(state("e2e4 e7e5"), engine("g1f3", -2000)) == "resign"
    assert bot(wait(1)) == "-"


def test_an_opponent_who_does_not_begin_an_unlimited_game_ends_it() -> None:
    bot = Bot("abort_time = 30")
    assert bot(start(time=""), engine("e2e4"), state("e2e4", time=""), wait(29)) == "-"
    assert bot(wait(1)) == "abort"


def test_and_who_has_begun_one_may_think() -> None:
    bot = Bot("abort_time = 30")
    bot(start(time=""), engine("e2e4"), state("e2e4 e7e5", time=""), engine("g1f3"))
    bot(state("e2e4 e7e5 g1f3", time=""))
    assert bot(wait(30)) == "-"


def a_level_game() -> Bot:
    bot = Bot(
        "engine.draw_or_resign.offer_draw_score = 10",
        "engine.draw_or_resign.offer_draw_moves = 1",
        "engine.draw_or_resign.offer_draw_pieces = 32",
    )
    bot(start())
    return bot


def test_a_draw_is_offered_on_the_state_that_shows_the_move_and_once_in_twenty_plies() -> None:
    bot = a_level_game()
    assert bot(engine("e2e4", 5)) == "e2e4"
    assert bot(state("e2e4")) == "draw"
    assert bot(state("e2e4 e7e5"), engine("g1f3", 5), state("e2e4 e7e5 g1f3")) == "-"


@pytest.mark.parametrize(("score", "did"), [(10, "draw"), (11, "draw-decline")])
def test_in_a_level_game_an_offered_draw_is_taken_at_the_score_alone(score: int, did: str) -> None:
    bot = a_level_game()
    assert bot(engine("e2e4", score), state("e2e4", offer="draw/b", version=3)) == did


def test_lines_go_to_the_opponent_and_to_those_who_watch() -> None:
    bot = Bot(
        'name = "Fish"',
        'greeting.hello = "Hi, I am {me}"',
        'greeting.hello_spectators = "Hi"',
        'greeting.goodbye = "Bye"',
    )
    assert bot(start()) == "to other: Hi, I am Fish | to all: Hi | think"
    assert bot(state("e2e4 e7e5", end="1-0", version=4)) == "stop | to other: Bye"


@pytest.mark.parametrize(
    ("begins", "did"),
    [
        (start("e2e4 e7e5"), "think"),  # it is taken up again
        (start(stand_in="other"), "to arbiter: Hi, I am Fish | think"),
    ],
)
def test_the_first_line_is_not_repeated_and_goes_to_the_arbiter_for_a_player_without_a_key(
    begins: Step, did: str
) -> None:
    assert Bot('name = "Fish"', 'greeting.hello = "Hi, I am {me}"')(begins) == did


SENT = (engine("e2e4"), pass_(2))


@pytest.mark.parametrize(
    ("before", "answer", "first"),
    [
        ((), start(), "-"),
        ((), state(version=1), "-"),
        ((), state(offer="takeback/b", version=2), "takeback-decline"),
        ((), state(offer="draw/b", version=2), "draw-decline"),
        (SENT, state("e2e4", version=2), "-"),
        (SENT, state("e2e4 e7e5", version=3), "think"),
        (SENT, error("stale", "e2e4"), "state"),
        (SENT, error("illegal-move", "e2e4"), "think e2e4"),
        (SENT, error("not-your-turn", "e2e4"), "state"),
        (SENT, error("rate-limited", "e2e4"), "state"),
        (SENT, state("e2e4", end="resignation/1-0", version=2), "-"),
    ],
)
def test_an_answer_that_comes_a_second_and_a_third_time_changes_nothing(
    before: tuple[Step, ...], answer: Step, first: str
) -> None:
    bot = moves()
    assert bot(*before, answer) == first
    assert [bot(answer), bot(answer)] == ["-", "-"]
