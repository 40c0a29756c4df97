"""A bot between games."""

from typing import Any

import pytest

from tests.clients.bot.scene import NOW, OTHER
from tests.clients.bot.talk import (
    READY,
    Bot,
    Step,
    answer,
    challenge,
    engine,
    error,
    mined,
    no_game,
    pass_,
    start,
    state,
    tell,
    wait,
)


def test_an_unanswered_question_is_asked_again_as_another_event() -> None:
    bot = Bot()
    assert bot(wait(9)) == "-"
    assert bot(wait(1)) == "?state"


def test_a_bot_that_waits_for_challenges_leaves_a_pool_that_it_was_in() -> None:
    bot = Bot()
    assert bot(answer("queued")) == "?cancel"


def test_too_much_work_is_not_begun() -> None:
    bot = Bot()
    for bits in ("99", "", "many", "-1", "9" * 70, "²"):
        assert bot(answer(f"error:pow: {bits}".rstrip())) == "-", bits


def test_requests_of_a_clock_that_is_off_are_dated_by_the_arbiters() -> None:
    bot = Bot()
    assert bot(pass_(3600), READY, answer("error:stale: ahead", at=0), READY) == "?state"
    assert [one.created_at - NOW // 1000 for one in bot.asked] == [0, 3600, 1, 2]


def test_a_game_begins_with_its_state_in_either_order() -> None:
    bot = Bot()
    assert bot(state()) == "-"
    assert bot(tell("started:a")) == "think"


def test_a_started_comes_before_its_state() -> None:
    bot = Bot()
    assert bot(tell("started:a")) == "-"
    assert bot(state()) == "think"


def test_a_game_whose_state_does_not_come_is_asked_for() -> None:
    bot = Bot()
    assert bot(no_game, tell("started:a"), wait(1)) == "?state"


def test_a_game_whose_started_does_not_come_is_played_by_its_state() -> None:
    bot = Bot()
    assert bot(no_game, state()) == "-"
    assert bot(wait(1)) == "think"


def test_a_late_answer_to_a_question_before_the_game_does_not_end_it() -> None:
    bot = Bot()
    assert bot(pass_(1), start(), answer("error:unknown-game: none", which=0)) == "-"
    assert bot.game == "a"


def test_a_state_of_two_others_is_not_ours() -> None:
    bot = Bot()
    assert bot(no_game, state(white="other", black="arbiter")) == "-"
    assert bot(wait(60)) == "-"


def matchmaking() -> Bot:
    bot = Bot(
        "matchmaking.allow_matchmaking = true",
        "matchmaking.challenge_initial_time = [60, 180]",
        "matchmaking.challenge_increment = [0]",
        'matchmaking.challenge_mode = "rated"',
    )
    bot(no_game)
    return bot


def test_a_matchmaker_keeps_its_place_and_asks_for_each_time_in_its_turn() -> None:
    bot = matchmaking()
    assert bot(wait(0.2)) == "?seek time=60+0 mode=rated bots=welcome"
    for _ in range(3):
        assert bot(answer("queued"), wait(59)) == "-"
        assert bot(wait(1)) == "?seek time=60+0 mode=rated bots=welcome"
    assert bot(answer("queued"), wait(1800)) == "?seek time=180+0 mode=rated bots=welcome"


def test_a_matchmaker_a_refused_request_waits_as_long_as_the_text_says() -> None:
    bot = matchmaking()
    bot(wait(0.2))
    assert (
        bot(answer("error:rate-limited: games that hardly began: ask again in 240 seconds")) == "-"
    )
    assert bot(wait(239)) == "-"
    assert bot(wait(1)).startswith("?seek")


def test_a_matchmaker_work_is_done_for_the_request_that_wants_it() -> None:
    bot = matchmaking()
    assert bot(wait(0.2), answer("error:pow: 8")) == "mine 8"
    assert bot(mined) == "?seek time=60+0 mode=rated bots=welcome nonce=8"
    assert bot(answer("queued"), wait(59)) == "-"


def test_a_matchmaker_a_declined_challenge_is_made_again_after_a_pause() -> None:
    bot = Bot(
        "matchmaking.allow_matchmaking = true",
        "matchmaking.challenge_initial_time = [60, 180]",
        "matchmaking.challenge_increment = [0]",
        'matchmaking.challenge_mode = "rated"',
        f'matchmaking.opponents = ["{OTHER}"]',
    )
    bot(no_game)
    assert bot(wait(0.2)) == "?seek time=60+0 mode=rated challenge=other"
    made = bot.asked[-1].id[:32]
    bot(answer("queued", challenge=made), tell("error:declined: later", challenge=made))
    assert bot(wait(4)) == "-"
    assert bot(wait(1)) == "?seek time=180+0 mode=rated challenge=other"


def a_casual_matchmaker() -> Bot:
    bot = Bot("matchmaking.allow_matchmaking = true")
    bot(no_game)
    return bot


@pytest.mark.parametrize(
    ("steps", "did"),
    [
        ((), "-"),
        ((wait(0.2),), "?cancel"),
        ((wait(0.2), answer("queued")), "?cancel"),
        ((wait(0.2), start()), "-"),
    ],
)
def test_a_bot_that_waits_for_an_opponent_takes_that_back_when_its_program_ends(
    steps: tuple[Step, ...], did: str
) -> None:
    bot = a_casual_matchmaker()
    bot(*steps)
    assert bot.leaves() == did


def test_a_bot_that_only_takes_challenges_leaves_without_a_word() -> None:
    assert Bot().leaves() == "-"


def test_a_challenge_in_the_configured_terms_is_accepted_as_a_bot() -> None:
    bot = Bot()
    bot(no_game, challenge(1, time="180+2"))
    assert bot(wait(0.2)) == "?accept:1"


def test_another_is_declined_with_the_reason() -> None:
    bot = Bot(
        "challenge.min_base = 120",
        "challenge.accept_bot = false",
        'challenge.variants = ["standard"]',
        'challenge.modes = ["casual"]',
    )
    bot(no_game)
    assert bot(challenge(1, time="7200+0")) == "?decline:1:tooSlow"
    assert bot(challenge(2, time="60+0")) == "?decline:2:tooFast"
    assert bot(challenge(3, time="3d")) == "?decline:3:timeControl"
    assert bot(challenge(4, mode="casual")) == "?decline:4:timeControl"
    assert bot(challenge(5, time="180+2", mode="rated")) == "?decline:5:casual"
    assert bot(challenge(6, time="180+2", variant="chess960")) == "?decline:6:variant"
    assert bot(challenge(7, time="180+2", variant="atomic")) == "?decline:7:variant"
    assert (
        bot(challenge(8, time="180+2", start="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"))
        == "?decline:8:variant"
    )
    assert bot(challenge(9, time="180+2", bot="true")) == "?decline:9:noBot"


def test_a_blocked_player_is_declined() -> None:
    bot = Bot(f'challenge.block_list = ["{OTHER}"]')
    assert bot(challenge(1, time="180+2")) == "?decline:1:generic"


def test_a_challenge_during_a_game_waits_for_its_end_and_the_ninth_is_declined() -> None:
    bot = Bot()
    bot(start())
    for number in (*range(1, 9), 8):
        assert bot(challenge(number, time="180+2")) == "-"
    assert bot(challenge(9, time="180+2")) == "?decline:9:later"
    assert bot(state(end="*", version=2)) == "stop"
    assert bot(wait(0.2)) == "?accept:1"


@pytest.mark.parametrize("times", [1, 2, 3])
def test_what_waited_for_the_bot_is_taken_in_turn_each_once_however_often_it_is_listed(
    times: int,
) -> None:
    bot = Bot()
    bot(no_game)
    for _ in range(times):
        assert bot(challenge(1, time="180+2"), challenge(2, time="180+2")) == "-"
    assert bot(wait(0.2)) == "?accept:1"
    assert bot(start()) == "think"
    assert bot(pass_(5), READY) == "?state"
    assert bot(tell("started:a"), challenge(2, time="180+2"), challenge(3, time="180+2")) == "-"
    bot(state(end="*", version=2))
    assert bot(wait(0.2)) == "?accept:2"
    assert bot(answer("error:unknown-challenge: it is gone"), wait(0.2)) == "?accept:3"


@pytest.mark.parametrize(
    ("refusal", "seconds"),
    [
        ("restricted: no new games begin here now", 120),
        ("rate-limited: ask again in 60 seconds", 60),
        ("playing: your game goes on", 5),
    ],
)
def test_an_acceptance_that_is_refused_is_not_repeated_at_once(refusal: str, seconds: int) -> None:
    bot = Bot()
    bot(no_game, challenge(1, time="180+2"))
    assert bot(wait(0.2)) == "?accept:1"
    bot(answer(f"error:{refusal}"), no_game)
    assert bot(wait(seconds - 0.2)) == "-"
    assert bot(wait(0.2)) == "?accept:1"


@pytest.mark.parametrize("offer", ["rematch/b", "rematch/w", ""])
def test_a_rematch_that_was_offered_while_the_bot_was_away_is_accepted_once(offer: str) -> None:
    bot = Bot()
    bot(no_game)
    is_theirs = offer == "rematch/b"
    shown: dict[str, Any] = {"moves": "e2e4 e7e5", "end": "1-0", "offer": offer, "version": 10}
    assert bot(state(**shown)) == ("rematch" if is_theirs else "-")
    assert bot(READY, no_game, state(**shown)) == "-"
    assert bot(start(game="b")) == "think"
    assert bot(state(**shown)) == "-"


def test_an_expired_challenge_is_forgotten() -> None:
    bot = Bot()
    bot(no_game, challenge(1, time="180+2", expiration=1))
    assert bot(wait(5)) == "-"
    assert bot(wait(5)) == "-"


def test_a_challenge_that_was_taken_back_is_forgotten() -> None:
    bot = Bot()
    bot(no_game, challenge(1, time="180+2"), wait(0.2))
    assert bot(answer("error:unknown-challenge: it is gone")) == "-"
    assert bot(wait(60)) == "-"


def test_a_challenge_that_its_author_took_back_is_not_accepted() -> None:
    bot = Bot()
    bot(no_game, challenge(1, time="180+2"), tell(f"cancelled:{1:032x}"))
    assert bot(wait(0.2)) == "-"
    assert bot(challenge(2, time="180+2"), tell(f"cancelled:{1:032x}"), wait(0.2)) == "?accept:2"


def in_a_game() -> Bot:
    bot = Bot()
    assert bot(start()) == "think"
    return bot


def test_an_old_started_does_not_leave_the_game() -> None:
    bot = in_a_game()
    assert bot(tell("started:b"), wait(1)) == "?state"
    assert bot.game == "a"


def test_a_second_live_game_waits_for_the_move_in_the_first() -> None:
    bot = in_a_game()
    assert bot(tell("started:b"), state(game="b"), wait(1)) == "-"
    assert bot(engine("e2e4"), wait(0.2)) == "-"
    assert (bot(state("e2e4"), wait(0.2)), bot.game) == ("think", "b")
    assert bot(engine("d2d4"), state("e2e4 e7e5")) == "-"
    assert (bot(state("d2d4", game="b"), wait(0.2)), bot.game) == ("think", "a")


def test_a_game_that_the_arbiter_does_not_know_any_more_is_left() -> None:
    bot = in_a_game()
    assert bot(pass_(1), READY, no_game) == "state"
    assert bot(error("unknown-game", "state")) == "stop"
    assert bot.game is None


def test_one_rematch_is_accepted_and_an_offer_answered_once() -> None:
    bot = in_a_game()
    bot(state("e2e4 e7e5", end="1-0", version=9))
    assert bot(state("e2e4 e7e5", end="1-0", offer="rematch/b", version=10)) == "rematch"
    assert bot(state("e2e4 e7e5", end="1-0", offer="rematch/b", version=10)) == "-"
    assert bot(start(game="b")) == "think"
    bot(state("e2e4 e7e5", end="1-0", version=9, game="b"))
    assert (
        bot(state("e2e4 e7e5", end="1-0", offer="rematch/b", version=10, game="b"))
        == "rematch-decline"
    )


def test_an_offer_of_a_rematch_that_comes_after_its_end_is_not_answered() -> None:
    bot = in_a_game()
    bot(state("e2e4 e7e5", end="1-0", version=9), state("e2e4 e7e5", end="1-0", version=11))
    assert bot(state("e2e4 e7e5", end="1-0", offer="rematch/b", version=10)) == "-"
