from dataclasses import replace

import pytest

from arbiter.core.clocks import read_time
from arbiter.core.game import Seat, Variant
from arbiter.core.new_games import new_game, rematch
from arbiter.core.pairing import (
    FRESH_MS,
    LONG_SEEKS_IN_A_POOL,
    LONG_SEEKS_OF_ONE,
    REQUESTS_REMEMBERED,
    Pairing,
    Player,
    Pool,
    opponents,
    pair,
    refuse_crowded,
    refuse_stale_or_flood,
    remember_refusal,
    remember_request,
    seated,
    seek_to_evict,
)
from arbiter.core.replies import GameStarted, Queued, Reason, RequestRefused
from arbiter.core.seeks import LONG_WAIT_MS, WAIT_MS, Seek
from arbiter.core.terms import PLAIN, Terms
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS

EMPTY = Pool(PLAIN.pool)
KEY = bytes(range(32))


def a_seek(
    key: SecretKey, number: int = 1, at_ms: int = NOW_MS, terms: Terms = PLAIN, rating: int = 1500
) -> Seek:
    return Seek(f"{number:064x}", Seat(key.pubkey, "native"), at_ms, terms, rating)


def asked(player: Player, seek: Seek, now_ms: int = NOW_MS) -> Player:
    """The player once this request is remembered."""
    return remember_request(player, seek.request_id, now_ms, now_ms, at_any_age=bool(seek.slot_id))


def pair_up(pool: Pool, seek: Seek, now_ms: int = NOW_MS) -> Pairing:
    rival = next(opponents(pool, seek, now_ms), None)
    return pair_up_with(pool, seek, rival, now_ms)


def pair_up_with(pool: Pool, seek: Seek, rival: Seek | None, now_ms: int = NOW_MS) -> Pairing:
    player = Player(seek.seat.player)
    opponent = Player(rival.seat.player) if rival else None
    return pair(pool, asked(player, seek, now_ms), seek, rival, opponent, now_ms, KEY)


@pytest.mark.parametrize("others", [(), (a_seek(ALICE, 2),)])
def test_who_waited_half_an_hour_is_told_whoever_is_paired(others: tuple[Seek, ...]) -> None:
    expired = a_seek(EVE, 1, NOW_MS - WAIT_MS - 1)

    pairing = pair_up(replace(EMPTY, waiting=(expired, *others)), a_seek(BOB, 3))

    told, last = pairing.replies
    assert isinstance(told, RequestRefused)
    assert told.seat == expired.seat
    if others:
        assert pairing.game is not None
        assert (pairing.pool.waiting, last) == ((), GameStarted(pairing.game))
    else:
        assert (pairing.pool.waiting, last) == ((a_seek(BOB, 3),), Queued(a_seek(BOB, 3).seat))
    again = pair_up(replace(EMPTY, waiting=(expired,)), a_seek(EVE, 2))
    assert again.replies == (Queued(a_seek(EVE, 2).seat),)


def test_the_requests_alone_decide_and_neither_their_order_nor_who_made_them() -> None:
    """A player cannot search for a key of theirs that always has White."""
    one, other = a_seek(ALICE, 1), a_seek(BOB, 2)
    game = new_game(one, other, NOW_MS, KEY)
    exchanged = new_game(a_seek(BOB, 1), a_seek(ALICE, 2), NOW_MS, KEY)

    assert game == new_game(other, one, NOW_MS, KEY)
    assert (game.id, game.white) == (exchanged.id, exchanged.black)


def test_a_player_cannot_choose_white_by_searching_for_an_id() -> None:
    """The second to ask tries ids until a game drawn without the arbiter's key gives them White."""

    def searched(waiting: Seek, number: int) -> Seek:
        tried = (a_seek(BOB, 1_000_000 * number + n) for n in range(1000))
        drawn = ((it, new_game(waiting, it, NOW_MS, b"")) for it in tried)
        return next(it for it, game in drawn if game.white.player == BOB.pubkey)

    games, whites = 2_000, 0
    for number in range(1, games + 1):
        waiting = a_seek(ALICE, number)
        game = new_game(waiting, searched(waiting, number), NOW_MS, KEY)
        whites += game.white.player == BOB.pubkey

    # Five standard deviations of a fair coin.
    assert abs(whites - games / 2) < 5 * (games / 4) ** 0.5


def test_another_arbiter_draws_other_ids_colours_and_positions() -> None:
    wish = Terms(variant=Variant.CHESS960)
    one, other = (replace(a_seek(key, n), terms=wish) for n, key in ((1, ALICE), (2, BOB)))
    games = [new_game(one, other, NOW_MS, bytes([n]) * 32) for n in range(40)]

    assert len({game.id for game in games}) == len(games)
    assert len({game.start_fen for game in games}) > len(games) // 2
    assert {game.white for game in games} == {one.seat, other.seat}


@pytest.mark.parametrize(
    ("off_ms", "where"),
    [
        (120_001, "120 s ahead of"),
        (121_000, "121 s ahead of"),
        (-300_400, "300 s behind"),
        (120_000, ""),
        (-120_000, ""),
    ],
)
def test_a_request_over_two_minutes_off_is_told_by_how_much(off_ms: int, where: str) -> None:
    refusal = refuse_stale_or_flood(Player(ALICE.pubkey), a_seek(ALICE), NOW_MS + off_ms, NOW_MS)

    text = f"created_at is {where} our clock, and 120 s are allowed: set your clock, or ask again"
    found = (refusal.reason, refusal.text) if refusal else None
    assert found == ((Reason.STALE, text) if where else None)


def test_a_request_is_remembered_for_as_long_as_it_would_pass_for_fresh() -> None:
    player = remember_request(Player(ALICE.pubkey), f"{1:064x}", NOW_MS, NOW_MS)
    assert player.remembers(f"{1:064x}")

    later = NOW_MS + FRESH_MS
    assert remember_request(player, "ab" * 32, later, later).remembers(f"{1:064x}")
    too_late = later + 1
    forgotten = remember_request(player, "ab" * 32, too_late, too_late)
    assert not forgotten.remembers(f"{1:064x}")
    assert refuse_stale_or_flood(forgotten, a_seek(ALICE, 1), NOW_MS, too_late) is not None


@pytest.mark.parametrize("off_ms", [0, -FRESH_MS])
def test_thirty_two_requests_in_two_minutes_are_heard_however_dated(off_ms: int) -> None:
    player, passed = Player(ALICE.pubkey), 0
    for now_ms in range(NOW_MS, NOW_MS + FRESH_MS, 1000):
        refusal = refuse_stale_or_flood(player, a_seek(ALICE), now_ms + off_ms, now_ms)
        if refusal is None:
            passed += 1
            player = remember_request(player, f"{passed:016x}" * 4, now_ms + off_ms, now_ms)
        else:
            assert refusal.reason is Reason.RATE_LIMITED

    assert passed == REQUESTS_REMEMBERED == 32


def a_long_seek(key: SecretKey, number: int, at_ms: int = NOW_MS) -> Seek:
    """One of several that this player has at once, each at a place of its own."""
    place = f"{number:02x}" * 32
    return replace(a_seek(key, number, at_ms), seat=Seat(key.pubkey, "ssb"), slot_id=place)


def waits(pool: Pool, seek: Seek, now_ms: int = NOW_MS) -> Pool:
    return pair(pool, Player(seek.slot), seek, None, None, now_ms, KEY).pool


def test_who_plays_many_games_at_once_waits_at_many_places_and_never_meets_himself() -> None:
    pool = waits(waits(EMPTY, a_long_seek(ALICE, 1)), a_long_seek(ALICE, 2))

    assert [seek.slot for seek in pool.waiting] == ["01" * 32, "02" * 32]
    assert next(opponents(pool, a_long_seek(ALICE, 3), NOW_MS), None) is None
    assert next(opponents(pool, a_seek(BOB, 4), NOW_MS), None) == pool.waiting[0]


BY_DAYS = replace(PLAIN, time=read_time("3d"))


@pytest.mark.parametrize(
    ("terms", "seat", "is_plain", "minutes"),
    [
        (PLAIN, Seat("a", "native"), False, 2),
        (PLAIN, Seat("a", "native"), True, 30),
        (PLAIN, Seat("a", "native", at_gateway=True), False, 30),
        (BY_DAYS, Seat("a", "native"), False, 14 * 24 * 60),
        (BY_DAYS, Seat("a", "native", at_gateway=True), False, 14 * 24 * 60),
    ],
)
def test_a_seek_waits_as_long_as_its_author_may_be_there(
    terms: Terms, seat: Seat, minutes: int, *, is_plain: bool
) -> None:
    seek = Seek("ab" * 32, seat, NOW_MS, terms, is_plain=is_plain)
    for renewed_at_ms in (0, NOW_MS + 60_000):
        over_at_ms = max(NOW_MS, renewed_at_ms) + minutes * 60_000
        again = replace(seek, renewed_at_ms=renewed_at_ms)
        assert (again.is_over(over_at_ms), again.is_over(over_at_ms + 1)) == (False, True)


def test_asking_again_on_the_same_terms_keeps_the_place_and_on_others_does_not() -> None:
    pool = Pool(PLAIN.pool, (a_seek(ALICE, 1), a_seek(EVE, 2, NOW_MS + 1)))
    for terms, first in ((PLAIN, ALICE), (replace(PLAIN, rating_range=(1, 1000)), EVE)):
        asked_again = a_seek(ALICE, 3, NOW_MS + 9000, terms)
        again = pair_up_with(pool, asked_again, None, NOW_MS + 9000).pool
        assert again.waiting[0].seat.player == first.pubkey
        assert len(again.waiting) == 2
        assert again.waiting[-1 if first is EVE else 0].request_id == asked_again.request_id


def test_a_patient_wish_waits_two_weeks_and_a_usual_one_half_an_hour() -> None:
    long_lived, usual = a_long_seek(ALICE, 1), replace(a_seek(EVE, 2), is_plain=True)
    pool = Pool(PLAIN.pool, (usual, long_lived))

    assert (WAIT_MS, LONG_WAIT_MS) == (30 * 60_000, 14 * 24 * 60 * 60_000)
    for later_ms, first in (
        (WAIT_MS, usual),
        (WAIT_MS + 1, long_lived),
        (LONG_WAIT_MS, long_lived),
    ):
        assert next(opponents(pool, a_seek(BOB, 3), NOW_MS + later_ms), None) == first
    pairing = pair_up(pool, a_seek(BOB, 3), NOW_MS + LONG_WAIT_MS + 1)
    assert pairing.pool.waiting == (a_seek(BOB, 3),)
    told = {r.seat.player: r.text for r in pairing.replies if isinstance(r, RequestRefused)}
    assert "two weeks" in told[ALICE.pubkey]
    assert "half an hour" in told[EVE.pubkey]


def test_a_patient_wish_is_never_too_old_and_its_place_forgets_no_request() -> None:
    years = 3 * 365 * 24 * 3_600_000
    seek = a_long_seek(ALICE, 1)
    player = remember_request(Player(seek.slot), seek.request_id, NOW_MS, NOW_MS)

    assert refuse_stale_or_flood(player, seek, NOW_MS, NOW_MS + years) is None
    assert isinstance(
        refuse_stale_or_flood(player, a_seek(ALICE), NOW_MS, NOW_MS + years), RequestRefused
    )
    later = remember_request(player, "ab" * 32, NOW_MS, NOW_MS + years, at_any_age=True)
    assert later.remembers(seek.request_id)


def test_few_patient_wishes_of_one_player_wait_and_not_many_in_all() -> None:
    own = Pool(PLAIN.pool, tuple(a_long_seek(ALICE, n) for n in range(LONG_SEEKS_OF_ONE)))
    many = (a_long_seek(EVE, n) for n in range(LONG_SEEKS_IN_A_POOL))
    apart = tuple(replace(it, seat=Seat(it.request_id, "ssb")) for it in many)

    assert (LONG_SEEKS_OF_ONE, LONG_SEEKS_IN_A_POOL) == (4, 64)
    for pool in (own, Pool(PLAIN.pool, apart)):
        refused = refuse_crowded(pool, a_long_seek(ALICE, 99), NOW_MS)
        assert refused is not None
        assert refused.reason is Reason.RATE_LIMITED
        fewer = replace(pool, waiting=pool.waiting[1:])
        assert refuse_crowded(fewer, a_long_seek(ALICE, 99), NOW_MS) is None
        assert refuse_crowded(pool, a_long_seek(ALICE, 99), NOW_MS + LONG_WAIT_MS + 1) is None
        # A wish that waits for half an hour is not counted, and not refused.
        assert refuse_crowded(pool, a_seek(ALICE, 99), NOW_MS) is None
    assert refuse_crowded(own, a_long_seek(BOB, 99), NOW_MS) is None


def test_the_ids_of_games_are_the_same_in_every_release() -> None:
    """During a deployment the old release may answer a request and the new one answer it again."""
    game = new_game(a_seek(ALICE, 1), a_seek(BOB, 2), NOW_MS, KEY)
    again = rematch(game, game.black, game.white, f"{3:064x}", NOW_MS, KEY)
    wish = Terms(variant=Variant.CHESS960)
    shuffled = new_game(
        replace(a_seek(ALICE, 1), terms=wish), replace(a_seek(BOB, 2), terms=wish), NOW_MS, KEY
    )

    assert game.id == "df9ff71294ff8181bd88a51593249fb2"
    games = [new_game(a_seek(ALICE, 1), a_seek(BOB, n), NOW_MS, KEY) for n in range(2, 18)]
    whites = ["b" if it.white.player == BOB.pubkey else "a" for it in games]
    assert "".join(whites) == "abbbaaaababbbaba"
    assert again.id == "6dfbb0f5d13febaf803833435f36397c"
    assert shuffled.start_fen == "brnknrqb/pppppppp/8/8/8/8/PPPPPPPP/BRNKNRQB w KQkq - 0 1"


def test_who_is_seated_waits_nowhere_challenges_none_and_their_last_game_is_known() -> None:
    game = new_game(a_seek(ALICE, 1), a_seek(BOB, 2), NOW_MS, KEY)
    player = Player(
        ALICE.pubkey, game_id="the last", former_game_id="another", waits_in="a", challenges=("b",)
    )

    once = seated(player, game)

    assert once == Player(
        ALICE.pubkey, game_id=game.id, former_game_id="the last", set_aside=("b",)
    )
    assert seated(player, game, taken="b").set_aside == ()
    assert seated(once, game) == once


def test_the_last_seven_requests_of_a_player_that_were_refused_are_known_again() -> None:
    player, ids = Player(ALICE.pubkey), [f"{number:02x}" * 32 for number in range(9)]
    for request_id in ids[:8]:
        player = remember_refusal(player, request_id)

    for known in (player.was_refused, player.remembers):
        assert [known(it) for it in ids] == [False, *[True] * 7, False]
    answered = remember_request(Player(ALICE.pubkey), ids[0], NOW_MS, NOW_MS)
    assert answered.remembers(ids[0])
    assert not answered.was_refused(ids[0])


def test_a_hundred_and_twenty_eight_wait_in_a_pool_and_for_one_more_another_gives_way() -> None:
    waiting = tuple(a_seek(ALICE, number) for number in range(128))
    long_lived = replace(waiting[0], slot_id=waiting[0].request_id)

    assert seek_to_evict(waiting) == waiting[0]
    assert seek_to_evict(waiting[1:]) is None
    assert seek_to_evict((long_lived, *waiting[1:])) is None
