"""Games that end before both have moved: the player who ended them, the memory of it, and its
cost.
"""

from dataclasses import replace

import chess
import pytest

from arbiter.core.early_ends import (
    EarlyEnd,
    ended_early_by,
    kept_apart,
    offered_long_ago,
    short_name,
    waits_until_ms,
    with_early_end,
)
from arbiter.core.game import BLACK, WHITE, Game, Outcome, Seat, Termination
from arbiter.core.pairing import Player, refuse_early_leaver
from arbiter.core.seeks import Seek
from tests.builders import ALICE, BOB, NOW_MS, a_game, a_key, after
from tests.core.words import told

CAROL = a_key("carol")
BY_BLACK = Outcome(Termination.ABORTED, None, aborted_by=BLACK)
NOBODY_KNOWS = Outcome(Termination.ABORTED, None)
MINUTE = 60_000


def over(outcome: Outcome, moves: str = "", at_ms: int = NOW_MS) -> Game:
    """Alice's game with White against Bob, ended so."""
    return replace(after(a_game(), moves), outcome=outcome, ended_at_ms=at_ms)


def own(*ages_ms: int) -> tuple[EarlyEnd, ...]:
    return tuple(EarlyEnd(NOW_MS - age, b"opponent", is_own=True) for age in ages_ms)


RESIGNED = Outcome(Termination.RESIGNATION, WHITE)
BLACK_WON = Outcome(Termination.RESIGNATION, BLACK)
AGREED = Outcome(Termination.AGREEMENT, None)


@pytest.mark.parametrize(
    ("outcome", "moves", "age_ms", "by"),
    [
        (BY_BLACK, "", 0, BLACK),
        (BY_BLACK, "e4", 0, BLACK),
        (NOBODY_KNOWS, "", 0, None),
        (BLACK_WON, "", 0, WHITE),
        (Outcome(Termination.ILLEGAL_MOVES, WHITE), "e4", 0, BLACK),
        (AGREED, "e4", 0, None),
        (BLACK_WON, "e4 e5", 0, None),
        (BLACK_WON, "e4 e5 Nf3", 0, None),
        # Who leaves an opponent that is silent for a minute is not to blame, but for their own
        # silence.
        *((it, "", MINUTE - 1, BLACK) for it in (BY_BLACK, RESIGNED)),
        *((it, "", MINUTE, None) for it in (BY_BLACK, RESIGNED)),
        *((it, "", 2 * MINUTE, None) for it in (BY_BLACK, RESIGNED)),
        *((it, "e4", MINUTE, BLACK) for it in (BY_BLACK, RESIGNED)),
    ],
)
def test_who_leaves_or_loses_before_both_moved_ended_it(
    outcome: Outcome, moves: str, age_ms: int, by: chess.Color | None
) -> None:
    game = over(outcome, moves, NOW_MS + age_ms)

    assert ended_early_by(game) is by
    for end in with_early_end((), game, BOB.pubkey, NOW_MS + age_ms):
        assert end.is_own == (by == BLACK)


def test_of_a_game_that_both_did_not_play_each_remembers_the_other_and_one_owns_it() -> None:
    alice, bob = ((it.pubkey, short_name(it.pubkey)) for it in (ALICE, BOB))
    for outcome, of_bob in ((BY_BLACK, True), (RESIGNED, True), (NOBODY_KNOWS, False)):
        for me, other, is_own in ((bob, alice, of_bob), (alice, bob, False)):
            expected = (EarlyEnd(NOW_MS, other[1], is_own=is_own),)
            assert with_early_end((), over(outcome), me[0], NOW_MS) == expected
    assert len(alice[1]) == 8


def test_other_games_and_those_of_others_are_not_remembered() -> None:
    for game in (None, a_game(), over(AGREED), over(NOBODY_KNOWS, "e4 e5")):
        assert with_early_end((), game, BOB.pubkey, NOW_MS) == ()
    assert with_early_end((), over(BY_BLACK), CAROL.pubkey, NOW_MS) == ()


@pytest.mark.parametrize(
    ("line", "long_ago"),
    [
        ("B:rematch +60000 W:rematch", True),
        ("B:rematch +60001 W:rematch", True),
        ("B:rematch +59999 W:rematch", False),
        ("B:rematch +60000 W:no-rematch B:rematch +59999 W:rematch", False),
    ],
)
def test_a_rematch_was_offered_long_ago_by_its_author(line: str, *, long_ago: bool) -> None:
    before = replace(told(f"e4 e5 W:resign {line}").game, next_game_id="ab" * 16)
    game = replace(a_game(), id="ab" * 16, created_at_ms=before.changed_at_ms)

    assert offered_long_ago(game, before, BOB.pubkey) is long_ago
    assert not offered_long_ago(replace(game, id="cd" * 16), before, BOB.pubkey)
    for player in (ALICE.pubkey, "00" * 32):
        assert not offered_long_ago(game, before, player)


def test_a_game_is_noted_once_and_forgotten_after_an_hour() -> None:
    once = with_early_end((), over(BY_BLACK), BOB.pubkey, NOW_MS)

    assert with_early_end(once, over(BY_BLACK), BOB.pubkey, NOW_MS + 1000) == once
    assert with_early_end(once, None, BOB.pubkey, NOW_MS + 60 * MINUTE - 1) == once
    for late_ms in (0, 1):
        assert with_early_end(once, None, BOB.pubkey, NOW_MS + 60 * MINUTE + late_ms) == ()
    assert with_early_end((), over(BY_BLACK), BOB.pubkey, NOW_MS + 60 * MINUTE) == ()


def test_what_others_did_pushes_nothing_out_of_what_a_player_did() -> None:
    ends: tuple[EarlyEnd, ...] = ()
    for number in range(30):
        game = over(replace(BY_BLACK, aborted_by=number % 3 == 0), at_ms=NOW_MS + number)
        ends = with_early_end(ends, game, ALICE.pubkey, NOW_MS + number)

    numbers = [(end.is_own, end.at_ms - NOW_MS) for end in ends]
    assert [at for is_own, at in numbers if is_own] == [*range(6, 30, 3)]
    assert [at for is_own, at in numbers if not is_own] == [19, 20, 22, 23, 25, 26, 28, 29]


@pytest.mark.parametrize(
    ("ages_ms", "wait_ms"),
    [
        ((), 0),
        ((0,), 0),
        ((0, 0), 0),
        ((2, 1, 0), 60_000),
        ((60 * MINUTE, 1, 0), 0),
        ((3, 2, 1, 0), 120_000),
        ((9000, 8000, 7000), 53_000),
        (tuple(range(8)), 30 * MINUTE),
    ],
)
def test_a_third_early_end_costs_a_minute_and_more_twice(
    ages_ms: tuple[int, ...], wait_ms: int
) -> None:
    assert max(0, waits_until_ms(own(*ages_ms), NOW_MS) - NOW_MS) == wait_ms


def test_a_player_who_waited_as_long_as_they_were_told_may_ask_again() -> None:
    player = Player(ALICE.pubkey, early_ends=own(2, 1, 0))
    seek = Seek("ab" * 32, Seat(ALICE.pubkey, "native"), NOW_MS)

    refusal = refuse_early_leaver(player, seek, NOW_MS)
    assert refusal is not None
    assert refusal.text.endswith("ask again in 60 seconds")
    assert refuse_early_leaver(player, seek, NOW_MS + 59_999) is not None
    assert refuse_early_leaver(player, seek, NOW_MS + 60_000) is None


def test_early_ends_of_others_cost_nothing_and_two_are_kept_apart_for_five_minutes() -> None:
    of_others = tuple(replace(end, is_own=False) for end in own(*range(8)))

    assert waits_until_ms(of_others, NOW_MS) == 0
    apart = ((b"opponent", NOW_MS + 5 * MINUTE),)
    assert kept_apart(own(0), NOW_MS + 5 * MINUTE - 1) == apart
    for late_ms in (0, 1):
        assert kept_apart(own(0), NOW_MS + 5 * MINUTE + late_ms) == ()
