"""Who is told of what, and when."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.notices import (
    DAY_MS,
    EVERY_MS,
    MANY,
    MAX_DEVICES,
    MAX_TRIES,
    SENDING_MS,
    URGENT_MS,
    Device,
    Occasion,
    Recipient,
    Send,
    Wait,
    decide,
    text_of,
    with_device,
    with_failure,
    with_told,
    without,
    without_devices,
)
from tests.builders import ALICE, NOW_MS

READY = Recipient(player=ALICE.pubkey, dm=True)


def a_turn(number: int, version: int = 1, by_ms: int | None = None) -> Occasion:
    return Occasion("turn", f"{number:032x}", version, by_ms)


def told(*occasions: Occasion, at_ms: int = NOW_MS, of: Recipient = READY) -> Recipient:
    return with_told(of, occasions, at_ms)


def test_the_first_turn_is_told_at_once() -> None:
    step = decide(READY, a_turn(1), NOW_MS)
    assert isinstance(step, Send)
    assert step.occasions == (a_turn(1),)


def test_a_player_without_a_channel_is_told_nothing() -> None:
    assert decide(replace(READY, dm=False), a_turn(1), NOW_MS) is None
    assert decide(replace(READY, dm=False, devices=(Device("d", "x"),)), a_turn(1), NOW_MS)


def test_a_turn_is_told_once_and_the_next_of_the_same_game_is_another() -> None:
    one = told(a_turn(1, 4))
    later = NOW_MS + 3 * DAY_MS
    assert decide(one, a_turn(1, 4), later) is None
    assert decide(one, a_turn(1, 3), later) is None, "an older state of the game came late"
    assert isinstance(decide(one, a_turn(1, 6), later), Send)


def test_what_comes_within_ten_minutes_waits_and_is_told_together() -> None:
    one = told(a_turn(1))
    first = decide(one, a_turn(2), NOW_MS + 1000)
    assert first == Wait(
        replace(one, waiting=(a_turn(2),), wakes_ms=NOW_MS + EVERY_MS), NOW_MS + EVERY_MS
    )
    second = decide(first.after, a_turn(3), NOW_MS + 2000)
    assert isinstance(second, Wait)
    assert second.at_ms == NOW_MS + EVERY_MS
    due = decide(second.after, None, NOW_MS + EVERY_MS)
    assert isinstance(due, Send)
    assert due.occasions == (a_turn(2), a_turn(3))
    assert due.after.waiting == ()


def test_of_one_game_the_newest_turn_waits() -> None:
    one = replace(told(a_turn(1)), waiting=(a_turn(2, 5),))
    step = decide(one, a_turn(2, 7), NOW_MS)
    assert isinstance(step, Wait)
    assert step.after.waiting == (a_turn(2, 7),)


def test_a_timer_that_was_lost_is_set_again() -> None:
    one = replace(told(a_turn(1)), waiting=(a_turn(2),), wakes_ms=NOW_MS + EVERY_MS)
    assert decide(one, a_turn(2), NOW_MS) is None, "the timer is set"
    assert isinstance(decide(one, a_turn(2), NOW_MS + EVERY_MS), Send)


def test_somebody_with_many_games_is_told_once_a_day() -> None:
    many = told(*map(a_turn, range(MANY)))
    step = decide(many, a_turn(99), NOW_MS + EVERY_MS)
    assert isinstance(step, Wait)
    assert step.at_ms == NOW_MS + DAY_MS
    few = told(*map(a_turn, range(MANY - 1)))
    assert isinstance(decide(few, a_turn(99), NOW_MS + EVERY_MS), Send)


def test_a_daily_notice_comes_before_a_deadline_that_it_would_miss() -> None:
    many = told(*map(a_turn, range(MANY)))
    by_ms = NOW_MS + DAY_MS // 2
    step = decide(many, a_turn(99, by_ms=by_ms), NOW_MS)
    assert isinstance(step, Wait)
    assert step.at_ms == by_ms - URGENT_MS
    hurried = decide(many, a_turn(98, by_ms=NOW_MS + 1000), NOW_MS)
    assert isinstance(hurried, Wait)
    assert hurried.at_ms == NOW_MS + EVERY_MS, "never within ten minutes"


def test_while_a_process_sends_another_lets_it() -> None:
    step = decide(READY, a_turn(1), NOW_MS)
    assert isinstance(step, Send)
    assert decide(step.after, None, NOW_MS + 1) is None
    other = decide(step.after, a_turn(2), NOW_MS + 1)
    assert isinstance(other, Wait)
    assert other.after.sending == step.after.sending
    assert other.at_ms == NOW_MS + EVERY_MS


def test_what_comes_again_while_a_process_tells_it_is_looked_at_once_that_must_have_ended() -> None:
    step = decide(READY, a_turn(1), NOW_MS)
    assert isinstance(step, Send)
    doubt = decide(step.after, a_turn(1), NOW_MS + 60_000)
    assert isinstance(doubt, Wait)
    assert doubt.at_ms == NOW_MS + SENDING_MS
    assert decide(doubt.after, a_turn(1), NOW_MS + 61_000) is None, "that timer is set"
    ended = decide(doubt.after, None, doubt.at_ms)
    assert isinstance(ended, Send)
    assert ended.occasions == (a_turn(1),)
    lived = with_told(doubt.after, (a_turn(1),), NOW_MS + 90_000)
    assert decide(lived, None, doubt.at_ms) is None


def test_what_a_process_ended_over_is_told_a_second_time_and_never_a_third() -> None:
    first = decide(READY, a_turn(1), NOW_MS)
    assert isinstance(first, Send)
    second = decide(first.after, a_turn(1), NOW_MS + SENDING_MS)
    assert isinstance(second, Send)
    assert second.occasions == (a_turn(1),)
    assert decide(second.after, a_turn(1), NOW_MS + 2 * SENDING_MS) is None


def test_what_no_channel_takes_is_tried_a_few_times() -> None:
    one, at_ms = READY, NOW_MS
    for number in range(MAX_TRIES):
        step = decide(one, a_turn(1) if number == 0 else None, at_ms)
        assert isinstance(step, Send), f"try {number}"
        one = with_failure(step.after, step.occasions, at_ms)
        assert decide(one, None, at_ms) is None or number < MAX_TRIES - 1
        at_ms = one.wakes_ms or at_ms
    assert decide(one, a_turn(1), at_ms + DAY_MS) is None, "it was given up"
    assert one.tries == 0


def test_what_no_longer_holds_is_neither_told_nor_waits() -> None:
    step = decide(replace(READY, waiting=(a_turn(2),)), a_turn(1), NOW_MS)
    assert isinstance(step, Send)
    left = without(step.after, [a_turn(1)])
    assert left.sending is not None
    assert left.sending.occasions == (a_turn(2),)
    assert without(left, [a_turn(2)]).sending is None


def test_a_sixth_device_is_refused_and_the_same_one_takes_its_own_place() -> None:
    one = READY
    for number in range(10_000):
        one = with_device(one, Device(str(number), "sealed")) or one
    assert [device.id for device in one.devices] == [*map(str, range(MAX_DEVICES))]
    again = with_device(one, Device("2", "anew"))
    assert again is not None
    assert (len(again.devices), again.devices[-1]) == (MAX_DEVICES, Device("2", "anew"))
    assert len(without_devices(again, {"2", "3"}).devices) == MAX_DEVICES - 2


@pytest.mark.parametrize(
    ("occasions", "text"),
    [
        ((a_turn(1),), f"It is your turn. https://chess.example/#/game/{1:032x}"),
        ((a_turn(1), a_turn(2)), "It is your turn in 2 games. https://chess.example/"),
        ((Occasion("challenge", "c"),), "You are challenged. https://chess.example/"),
        (
            (Occasion("hello", "a"), Occasion("hello", "b")),
            "You will hear here when it is your turn. https://chess.example/",
        ),
        (
            (Occasion("round", "r"), a_turn(1)),
            "Your round has begun; it is your turn. https://chess.example/",
        ),
    ],
)
def test_a_notice_says_what_and_where(occasions: tuple[Occasion, ...], text: str) -> None:
    assert text_of(occasions, "https://chess.example") == text
    assert text_of(occasions, "") == text.partition(" http")[0]


@given(st.integers(0, 2**32))
def test_over_any_schedule_nothing_is_told_too_often_and_nothing_is_forgotten(seed: int) -> None:
    chance = random.Random(seed)
    one, now_ms, deaths = READY, NOW_MS, 0
    sent: list[tuple[int, tuple[Occasion, ...]]] = []
    died_over: set[Occasion] = set()
    newest: dict[int, Occasion] = {}
    for _ in range(60):
        now_ms += chance.choice((1000, 60_000, EVERY_MS, DAY_MS // 4))
        occasion = None
        if one.wakes_ms is None or now_ms < one.wakes_ms or chance.random() < 0.3:
            number = chance.randrange(8)
            before = newest.get(number, a_turn(number, 0))
            newest[number] = occasion = replace(
                before, version=before.version + chance.randrange(2)
            )
        step = decide(one, occasion, now_ms)
        if isinstance(step, Wait):
            assert step.at_ms > now_ms
            one = step.after
        if isinstance(step, Send):
            sent.append((now_ms, step.occasions))
            one = step.after
            if chance.random() < 0.2:
                died_over |= {*step.occasions}
                deaths += 1
            else:
                one = with_told(one, step.occasions, now_ms)
    gaps = [later - earlier for (earlier, _), (later, _) in pairwise(sent)]
    assert sum(gap < EVERY_MS for gap in gaps) <= deaths, gaps
    told = [each for _, occasions in sent for each in occasions]
    for each in {*told}:
        assert told.count(each) <= (2 if each in died_over else 1), each
    last = decide(one, None, now_ms + 2 * DAY_MS)
    said = {*told, *(last.occasions if isinstance(last, Send) else ())}
    for each in newest.values():
        assert each in said, f"{each} was never told"
