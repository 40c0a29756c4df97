"""The numbers that are promised to players: what happens just within them, and just beyond."""

from dataclasses import replace

import pytest

from arbiter.core.clocks import RelayUptime, TimeControl, read_time, start_clocks
from arbiter.core.commands import MakeOffer, OfferKind, PlayMove
from arbiter.core.decide import decide
from arbiter.core.game import Seat
from arbiter.core.pairing import (
    Player,
    Pool,
    crowded,
    gives_way,
    next_opponent,
    remember_refusal,
    remember_request,
    screen,
)
from arbiter.core.ratings import Rating
from arbiter.core.rules import USUAL_RULES
from arbiter.core.seeks import Challenge, Seek
from arbiter.core.terms import PLAIN, Terms, suit
from tests.builders import ALICE, BOB, NOW_MS, a_game, after

SECOND, MINUTE = 1_000, 60_000
DAY = 24 * 60 * MINUTE


def _seek(player: str = ALICE.pubkey, number: int = 1, *, patient: bool = False) -> Seek:
    seat = Seat(player, "ssb" if patient else "dilger")
    apart = f"{number:064x}" if patient else ""
    return Seek(f"{number:064x}", seat, NOW_MS, slot_id=apart)


@pytest.mark.parametrize(
    ("off_ms", "passes"),
    [(0, True), (2 * MINUTE, True), (2 * MINUTE + 1, False), (-2 * MINUTE - 1, False)],
)
def test_a_request_may_be_two_minutes_off(off_ms: int, passes: bool) -> None:  # noqa: FBT001
    refusal = screen(Player(ALICE.pubkey), _seek(), NOW_MS - off_ms, NOW_MS)

    assert (refusal is None) == passes


def test_one_player_may_ask_thirty_two_times_in_two_minutes() -> None:
    player, passed = Player(ALICE.pubkey), 0
    for number in range(40):
        if screen(player, _seek(number=number), NOW_MS, NOW_MS) is None:
            player = remember_request(player, f"{number:08x}".ljust(64, "0"), NOW_MS, NOW_MS)
            passed += 1

    assert passed == 32


@pytest.mark.parametrize(
    ("signed_ms", "plays"),
    [
        (-MINUTE, True),
        (-MINUTE - 1, False),
        (15 * MINUTE, True),
        (15 * MINUTE + 1, False),
    ],
)
def test_a_move_may_be_dated_a_minute_back_and_a_quarter_of_an_hour_ahead(
    signed_ms: int,
    plays: bool,  # noqa: FBT001
) -> None:
    command = PlayMove(
        player=ALICE.pubkey, uci="e2e4", made_at_ms=NOW_MS + signed_ms, received_at_ms=NOW_MS
    )

    assert (decide(a_game(), command, NOW_MS).game.ply == 1) == plays


def test_a_flag_falls_by_itself_two_seconds_after_the_deadline() -> None:
    clocks = start_clocks(TimeControl(base_ms=MINUTE), NOW_MS)
    game = replace(after(a_game(), "e4 e5"), clocks=clocks)
    deadline_ms = clocks.deadline_ms(game.ply, white=True)

    # A minute, and the second for the way.
    assert deadline_ms == NOW_MS + 61 * SECOND
    assert game.with_timer().timer_at_ms == deadline_ms + 2 * SECOND


def test_an_outage_is_longer_than_fifteen_seconds_and_given_back_with_ten_more() -> None:
    short, long = RelayUptime(0).noted(15 * SECOND), RelayUptime(0).noted(15 * SECOND + 1)

    assert short.paused_ms(0, MINUTE) == MINUTE - 15 * SECOND
    assert short.noted(20 * SECOND).paused_ms(0, 20 * SECOND) == 0
    assert long.noted(30 * SECOND).paused_ms(0, 30 * SECOND) == 25 * SECOND + 1


def test_no_more_than_a_day_of_an_outage_is_given_back() -> None:
    three_days = RelayUptime(0).noted(3 * DAY).noted(3 * DAY + 15 * SECOND)

    assert three_days.paused_ms(0, 3 * DAY + 15 * SECOND) == DAY + 10 * SECOND


def test_unless_an_operator_chose_the_third_illegal_move_loses_and_no_work_is_asked() -> None:
    assert (USUAL_RULES.illegal_moves_to_lose, USUAL_RULES.work_of_strangers) == (3, 0)


def test_the_last_seven_requests_of_a_player_that_were_refused_are_known_again() -> None:
    player, ids = Player(ALICE.pubkey), [f"{number:02x}" * 32 for number in range(9)]
    for request_id in ids[:8]:
        player = remember_refusal(player, request_id)

    assert [player.was_refused(it) for it in ids] == [False, *[True] * 7, False]
    assert [player.remembers(it) for it in ids] == [False, *[True] * 7, False]
    answered = remember_request(Player(ALICE.pubkey), ids[0], NOW_MS, NOW_MS)
    assert answered.remembers(ids[0])
    assert not answered.was_refused(ids[0])


def test_a_hundred_and_twenty_eight_wait_in_a_pool_and_for_one_more_another_gives_way() -> None:
    waiting = tuple(_seek(f"{number:064x}", number) for number in range(128))
    patient = replace(waiting[0], slot_id=waiting[0].request_id)

    assert gives_way(waiting) == waiting[0]
    assert gives_way(waiting[1:]) is None
    assert gives_way((patient, *waiting[1:])) is None


@pytest.mark.parametrize(("beside_its_moves", "stands"), [(1999, True), (2000, False)])
def test_a_game_that_has_seen_two_thousand_offers_takes_no_more(
    beside_its_moves: int,
    stands: bool,  # noqa: FBT001
) -> None:
    game = replace(after(a_game(), "e4"), applied_ids=(b"",) * (1 + beside_its_moves))

    asked = decide(game, MakeOffer(BOB.pubkey, OfferKind.DRAW, NOW_MS), NOW_MS)

    assert (asked.game.offer is not None) == stands


@pytest.mark.parametrize(("text", "days"), [("1d", 1), ("14d", 14)])
def test_days_a_move_are_days(text: str, days: int) -> None:
    assert read_time(text) == TimeControl(move_ms=days * DAY)


def test_whoever_has_no_rating_is_met_as_one_of_1500() -> None:
    asks = Terms(rating_range=(1500, 1500))

    assert suit(asks, 2000, PLAIN, _seek().rating)
    assert Rating().value == 1500


@pytest.mark.parametrize(("patient", "most_ms"), [(False, 30 * MINUTE), (True, 14 * DAY)])
def test_a_wish_waits_half_an_hour_and_a_patient_one_two_weeks(
    patient: bool,  # noqa: FBT001
    most_ms: int,
) -> None:
    waits, other = _seek(patient=patient), _seek(BOB.pubkey, 2, patient=patient)
    pool = Pool(PLAIN.pool, (waits,))

    assert next_opponent(pool, other, NOW_MS + most_ms) == waits
    assert next_opponent(pool, other, NOW_MS + most_ms + 1) is None


@pytest.mark.parametrize(
    ("time", "stands_ms"),
    [
        (None, 30 * MINUTE),
        (TimeControl(base_ms=3 * MINUTE), 30 * MINUTE),
        (TimeControl(move_ms=DAY), 14 * DAY),
    ],
)
def test_a_challenge_stands_half_an_hour_and_two_weeks_where_moves_take_days(
    time: TimeControl | None, stands_ms: int
) -> None:
    challenge = Challenge(replace(_seek(), terms=Terms(time=time, opponent=BOB.pubkey)))

    assert challenge.expires_at_ms() == NOW_MS + stands_ms


@pytest.mark.parametrize(("players", "most"), [(1, 4), (100, 64)])
def test_four_patient_wishes_of_one_player_and_sixty_four_of_all_wait(
    players: int, most: int
) -> None:
    pool = Pool(PLAIN.pool)
    for number in range(100):
        seek = _seek(f"{number % players:064x}", number, patient=True)
        if crowded(pool, seek, NOW_MS) is None:
            pool = replace(pool, waiting=(*pool.waiting, seek))

    assert len(pool.waiting) == most
