"""Draws, takebacks and rematches: who may offer what when, and how long it stands."""

from dataclasses import replace

import chess
import pytest

from arbiter.core.clocks import LAG_MS, Clocks, TimeControl
from arbiter.core.commands import MakeOffer, OfferKind
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, StateVersion, Termination
from arbiter.core.offers import PLIES_BETWEEN_DRAW_OFFERS, REMEMBERED_BESIDE_MOVES
from arbiter.core.replies import (
    Decision,
    GameChanged,
    GameEnded,
    MovePlayed,
    Reason,
)
from arbiter.core.rules import STALE_AFTER_MS, Rules
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after, decided, move
from tests.core.words import DRAW, REMATCH, TAKEBACK, decline, offer, reason

ROUND = "Nf3 Nf6 Ng1 Ng8"


@pytest.mark.parametrize(("key", "color"), [(ALICE, WHITE), (BOB, BLACK)])
@pytest.mark.parametrize("kind", [DRAW, TAKEBACK])
def test_what_is_offered_stands_and_is_told(
    key: SecretKey, color: chess.Color, kind: OfferKind
) -> None:
    game = after(a_game(), "e4 e5")

    decision = offer(game, key, kind)

    assert decision.replies == (GameChanged(decision.game),)
    assert decision.game.offer == Offer(kind, color)
    assert decision.game.state_version == game.state_version + 1
    assert decision.game.earlier_versions == (StateVersion(game.state_version, game.changed_at_ms),)
    assert decision.game.moves == game.moves


def right_after_a_move(game: Game, key: SecretKey) -> Decision:
    return decide(game, MakeOffer(key.pubkey, DRAW, NOW_MS, only_after_own_move=True), NOW_MS)


def test_where_a_draw_is_offered_after_ones_own_move_it_is_offered_at_no_other_time() -> None:
    started, moved = a_game(), after(a_game(), "e4")

    for game, key in ((started, ALICE), (started, BOB), (moved, BOB)):
        assert reason(right_after_a_move(game, key)) is Reason.NOT_OFFERED_HERE

    assert right_after_a_move(moved, ALICE).game.offer == Offer(DRAW, WHITE)


def test_an_offer_is_agreed_to_at_any_time_of_that_wire() -> None:
    moved = after(a_game(), "e4")
    by_the_mover, by_the_waiting = offer(moved, ALICE).game, offer(moved, BOB).game

    for game, key in ((by_the_mover, BOB), (by_the_waiting, ALICE)):
        agreed = right_after_a_move(game, key)
        assert agreed.game.outcome == Outcome(Termination.AGREEMENT, None)


def test_a_draw_that_both_offer_is_agreed() -> None:
    offered = offer(after(a_game(), "e4 e5"), ALICE).game

    agreed = offer(offered, BOB)

    assert agreed.game.outcome == Outcome(Termination.AGREEMENT, None)
    assert agreed.game.offer is None
    assert agreed.replies == (GameEnded(agreed.game),)


def test_nobody_agrees_with_himself() -> None:
    for kind in (DRAW, TAKEBACK):
        offered = offer(after(a_game(), "e4 e5"), ALICE, kind).game

        again = offer(offered, ALICE, kind)

        assert again.game is offered
        assert reason(again) is Reason.RATE_LIMITED


def test_who_declines_takes_the_offer_away_and_the_game_goes_on() -> None:
    for kind in (DRAW, TAKEBACK):
        offered = offer(after(a_game(), "e4 e5"), ALICE, kind).game

        declined = decline(offered, BOB, kind)

        assert declined.game.offer is None
        assert declined.game.outcome is None
        assert declined.replies == (GameChanged(declined.game),)
        assert [edition.offer for edition in declined.game.earlier_versions] == [
            None,
            Offer(kind, WHITE),
        ]


def test_there_is_nothing_to_decline_but_an_offer_of_the_opponents() -> None:
    game = after(a_game(), "e4 e5")
    offered = offer(game, ALICE).game

    for decision in (decline(game, BOB), decline(offered, ALICE), decline(offered, BOB, TAKEBACK)):
        assert reason(decision) is Reason.NO_OFFER
    assert decline(offered, ALICE).game is offered


def test_the_opponents_move_cancels_what_was_offered_to_him() -> None:
    for kind in (DRAW, TAKEBACK):
        offered = offer(after(a_game(), "e4"), ALICE, kind).game

        moved = decided(offered, "e7e5")

        assert moved.game.offer is None
        assert moved.game.earlier_versions == ()
        assert moved.replies == (MovePlayed(moved.game),)


def test_ones_own_move_keeps_an_offered_draw_and_drops_an_offered_takeback() -> None:
    """FIDE 9.1.2.1 has a draw offered "after having made a move": before or after, it stands."""
    game = after(a_game(), "e4 e5")

    assert decided(offer(game, ALICE).game, "g1f3").game.offer == Offer(DRAW, WHITE)
    assert decided(offer(game, ALICE, TAKEBACK).game, "g1f3").game.offer is None


def test_a_draw_offered_with_a_move_can_be_accepted_and_is_gone_with_the_reply() -> None:
    moved = decided(offer(after(a_game(), "e4 e5"), ALICE).game, "g1f3").game

    assert offer(moved, BOB).game.outcome == Outcome(Termination.AGREEMENT, None)
    assert decided(moved, "b8c6").game.offer is None


def test_an_illegal_move_cancels_nothing() -> None:
    offered = offer(after(a_game(), "e4"), ALICE).game

    assert decided(offered, "e7e4").game.offer == Offer(DRAW, WHITE)


def test_a_draw_is_offered_once_in_twenty_plies() -> None:
    game = decline(offer(after(a_game(), "e4 e5"), ALICE).game, BOB).game
    for uci in WALK:
        assert reason(offer(game, ALICE)) is Reason.RATE_LIMITED, game.ply
        game = decided(game, uci).game
    assert len(WALK) == PLIES_BETWEEN_DRAW_OFFERS == 20

    offered = offer(game, ALICE).game

    assert (offered.offer, offered.white_offered_at) == (Offer(DRAW, WHITE), 22)


WALK = """
    a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6
    a3a4 a6a5 b3b4 b6b5 c3c4 c6c5
""".split()  # noqa: SIM905 - pawns walk best on two lines


def test_each_player_has_a_count_of_his_own_and_only_draws_are_counted() -> None:
    game = decline(offer(after(a_game(), "e4 e5"), ALICE).game, BOB).game

    assert offer(game, BOB).game.offer == Offer(DRAW, BLACK)
    assert offer(game, ALICE, TAKEBACK).game.offer == Offer(TAKEBACK, WHITE)


@pytest.mark.parametrize(("key", "color"), [(ALICE, WHITE), (BOB, BLACK)])
def test_a_draw_is_counted_for_whom_it_was_offered_by_and_a_takeback_for_nobody(
    key: SecretKey, color: chess.Color
) -> None:
    game = after(a_game(), "e4 e5")

    drawn, undone = offer(game, key).game, offer(game, key, TAKEBACK).game

    assert (drawn.offered_at(color), drawn.offered_at(not color)) == (2, None)
    assert (undone.offered_at(color), undone.offered_at(not color)) == (None, None)


def test_accepting_needs_no_place_in_the_count() -> None:
    game = replace(after(a_game(), "e4 e5"), black_offered_at=1)
    offered = offer(game, ALICE).game

    assert offer(offered, BOB).game.outcome == Outcome(Termination.AGREEMENT, None)


def test_a_takeback_asked_while_the_opponent_thinks_takes_one_ply_back() -> None:
    game = after(a_game(), "e4 e5 Nf3")
    asked = offer(game, ALICE, TAKEBACK).game

    agreed = offer(asked, BOB, TAKEBACK)

    assert [m.uci() for m in agreed.game.moves] == ["e2e4", "e7e5"]
    assert agreed.game.turn == WHITE
    assert agreed.game.offer is None
    assert agreed.game.state_version == asked.state_version + 1
    assert agreed.replies == (GameChanged(agreed.game),)
    assert agreed.game.board().fen() == after(a_game(), "e4 e5").board().fen()


def test_a_takeback_asked_on_ones_own_turn_takes_the_reply_back_as_well() -> None:
    asked = offer(after(a_game(), "e4 e5 Nf3 Nc6"), ALICE, TAKEBACK).game

    agreed = offer(asked, BOB, TAKEBACK)

    assert [m.uci() for m in agreed.game.moves] == ["e2e4", "e7e5"]
    assert agreed.game.turn == WHITE


def test_the_very_first_move_can_be_taken_back() -> None:
    asked = offer(after(a_game(), "e4"), ALICE, TAKEBACK).game

    assert offer(asked, BOB, TAKEBACK).game.moves == ()


@pytest.mark.parametrize(
    ("moves", "key"), [("", ALICE), ("", BOB), ("e4", BOB), ("e4 e5 Nf3", EVE)]
)
def test_who_has_not_moved_has_nothing_to_take_back(moves: str, key: SecretKey) -> None:
    decision = offer(after(a_game(), moves), key, TAKEBACK)

    expected = Reason.NOT_A_PLAYER if key is EVE else Reason.NOT_OFFERED_HERE
    assert reason(decision) is expected


def test_nothing_is_taken_back_where_the_opponent_has_no_word_for_it() -> None:
    game, asked = after(a_game(), "e4 e5"), MakeOffer(ALICE.pubkey, TAKEBACK, NOW_MS)

    refused = decide(game, asked, NOW_MS, Rules(takebacks=False))

    assert reason(refused) is Reason.NOT_OFFERED_HERE
    assert refused.game is game
    a_draw = replace(asked, kind=DRAW)
    drawn = decide(game, a_draw, NOW_MS, Rules(takebacks=False))
    assert drawn.game.offer == Offer(DRAW, WHITE)


def test_nothing_is_taken_back_in_a_rated_game() -> None:
    game = replace(after(a_game(), "e4 e5"), rated=True)

    assert reason(offer(game, ALICE, TAKEBACK)) is Reason.NOT_OFFERED_HERE


def test_a_takeback_starts_the_present_clock_anew_and_gives_nothing_back() -> None:
    clocks = Clocks(TimeControl(base_ms=180_000), 50_000, 60_000, NOW_MS)
    game = replace(after(a_game(), "e4 e5 Nf3"), clocks=clocks)
    asked = offer(game, ALICE, TAKEBACK, NOW_MS + 3000).game

    agreed = offer(asked, BOB, TAKEBACK, NOW_MS + 5000).game

    assert agreed.clocks == replace(clocks, since_ms=NOW_MS + 5000)
    assert agreed.changed_at_ms == NOW_MS + 5000


@pytest.mark.parametrize(
    ("moves", "thought_ms", "paused_ms", "white_ms"),
    [
        ("e4 e5 Nf3 Nc6", 9000, 0, 50_000 - 9000 + LAG_MS),
        ("e4 e5 Nf3 Nc6", 9000, 4000, 50_000 - 5000 + LAG_MS),
        ("e4 e5 Nf3 Nc6", 70_000, 18_500, 0),
        ("e4 e5 Nf3", 9000, 0, 50_000),
    ],
)
def test_who_asks_for_a_takeback_on_their_own_turn_has_spent_what_they_thought(
    moves: str, thought_ms: int, paused_ms: int, white_ms: int
) -> None:
    clocks = Clocks(TimeControl(base_ms=180_000), 50_000, 60_000, NOW_MS)
    asked = offer(replace(after(a_game(), moves), clocks=clocks), ALICE, TAKEBACK).game
    now_ms = NOW_MS + thought_ms

    agreed = decide(
        asked, MakeOffer(BOB.pubkey, TAKEBACK, now_ms), now_ms, paused_ms=paused_ms
    ).game

    assert agreed.clocks == replace(clocks, white_ms=white_ms, since_ms=now_ms)


def test_a_move_of_before_the_takeback_is_too_old_to_be_played_after_it() -> None:
    game = after(a_game(), "e4 e5 Nf3")
    later = NOW_MS + STALE_AFTER_MS + 1000
    agreed = offer(offer(game, ALICE, TAKEBACK, later).game, BOB, TAKEBACK, later).game

    late_copy = decide(agreed, move(agreed, "g1f3", at_ms=NOW_MS), later)

    assert late_copy.game is agreed
    assert reason(late_copy) is Reason.STALE


@pytest.mark.parametrize(
    ("moves", "key", "white_ms", "black_ms"),
    [
        ("e4 e5 Nf3 Nc6 Bc4", ALICE, 48_000, 60_000),
        ("e4 e5 Nf3 Nc6", ALICE, 48_000, 58_000),
        ("e4 e5 Nf3", BOB, 48_000, 60_000),
        ("e4 e5", ALICE, 50_000, 60_000),
    ],
)
def test_a_takeback_takes_the_increments_that_the_undone_moves_earned(
    moves: str, key: SecretKey, white_ms: int, black_ms: int
) -> None:
    """Both made their first move before any clock ran."""
    clocks = Clocks(TimeControl(base_ms=60_000, increment_ms=2000), 50_000, 60_000, NOW_MS)
    game = replace(after(a_game(), moves), clocks=clocks)

    agreed = offer(offer(game, key, TAKEBACK).game, BOB if key is ALICE else ALICE, TAKEBACK).game

    assert agreed.clocks == replace(clocks, white_ms=white_ms, black_ms=black_ms)


def a_game_of_much_talk(remembered: int) -> Game:
    """A game of two plies that remembers so many events beside its moves."""
    game = after(a_game(), "e4 e5")
    return replace(game, applied_ids=tuple(bytes([at % 256] * 8) for at in range(remembered + 2)))


def test_when_enough_was_offered_in_a_game_nothing_more_is() -> None:
    nearly, full = (a_game_of_much_talk(REMEMBERED_BESIDE_MOVES - less) for less in (1, 0))
    over = replace(full, outcome=Outcome(Termination.RESIGNATION, WHITE))

    for kind in (DRAW, TAKEBACK):
        assert offer(nearly, ALICE, kind).game.offer == Offer(kind, WHITE)
        assert reason(offer(full, ALICE, kind)) is Reason.RATE_LIMITED
    assert reason(offer(over, ALICE, REMATCH)) is Reason.RATE_LIMITED
    assert decided(full, "g1f3").game.ply == 3


def test_what_was_offered_before_that_can_still_be_answered() -> None:
    offered = replace(a_game_of_much_talk(REMEMBERED_BESIDE_MOVES), offer=Offer(TAKEBACK, WHITE))

    assert offer(offered, BOB, TAKEBACK).game.moves == ()
    assert decline(offered, BOB, TAKEBACK).game.offer is None
