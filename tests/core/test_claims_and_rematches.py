"""Claims, rematches, words that come too late, and what holds whatever is said."""

import random
from dataclasses import replace

import pytest

from arbiter.core.clocks import Clocks, TimeControl
from arbiter.core.commands import (
    Abort,
    CallFlag,
    ClaimDraw,
    Command,
    DeclineOffer,
    MakeOffer,
    OfferKind,
    Quit,
    Resign,
    ShowState,
    Tick,
    Unrecognized,
)
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, EARLIER_VERSIONS_KEPT, Game, Offer, Outcome, Termination
from arbiter.core.replies import (
    GameChanged,
    GameEnded,
    MovePlayed,
    Reason,
    RematchAgreed,
)
from arbiter.core.rules import FUTURE_MS, STALE_AFTER_MS
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after, move
from tests.core.words import DRAW, REMATCH, TAKEBACK, claim, decline, offer, reason

ROUND = "Nf3 Nf6 Ng1 Ng8"


def test_the_third_time_a_position_stands_either_player_may_claim_a_draw() -> None:
    twice = after(a_game(), f"{ROUND} {ROUND}".rsplit(" ", 1)[0])
    assert reason(claim(twice)) is Reason.NO_CLAIM

    thrice = after(a_game(), f"{ROUND} {ROUND}")

    for key in (ALICE, BOB):
        claimed = claim(thrice, key)
        assert claimed.game.outcome == Outcome(Termination.THREEFOLD_REPETITION, None)
        assert claimed.replies == (GameEnded(claimed.game),)


def test_a_claim_is_for_what_stands_on_the_board_and_not_for_what_could_be_played() -> None:
    """FIDE 9.2.1.1 would let him write the move down; python-chess would count it as claimable."""
    game = after(a_game(), f"{ROUND} Nf3 Nf6 Ng1")

    assert game.board().can_claim_threefold_repetition()
    assert reason(claim(game, BOB)) is Reason.NO_CLAIM


def test_fifty_moves_without_pawn_or_capture_can_be_claimed_and_one_ply_less_cannot() -> None:
    fen = "7k/8/8/8/8/8/R7/K7 w - - {} 100"

    assert reason(claim(a_game(fen.format(99)))) is Reason.NO_CLAIM
    claimed = claim(a_game(fen.format(100)), BOB)
    assert claimed.game.outcome == Outcome(Termination.FIFTY_MOVES, None)


def test_a_false_claim_changes_nothing() -> None:
    game = after(a_game(), "e4 e5")

    assert claim(game).game is game


@pytest.mark.parametrize(
    "command",
    [
        MakeOffer(EVE.pubkey, DRAW, NOW_MS),
        DeclineOffer(EVE.pubkey, DRAW, NOW_MS),
        ClaimDraw(EVE.pubkey, NOW_MS),
    ],
)
def test_a_stranger_neither_offers_nor_accepts(command: Command) -> None:
    offered = offer(after(a_game(), f"{ROUND} {ROUND}"), ALICE).game

    decision = decide(offered, command, NOW_MS)

    assert decision.game is offered
    assert reason(decision) is Reason.NOT_A_PLAYER


@pytest.mark.parametrize("make", [MakeOffer, DeclineOffer])
def test_a_word_signed_long_before_the_position_is_stale(
    make: type[MakeOffer | DeclineOffer],
) -> None:
    game = after(a_game(), "e4 e5")
    offered = offer(game, ALICE).game

    old = make(BOB.pubkey, DRAW, NOW_MS - STALE_AFTER_MS - 1)
    assert reason(decide(offered, old, NOW_MS)) is Reason.STALE
    recent = make(BOB.pubkey, DRAW, NOW_MS - STALE_AFTER_MS)
    assert decide(offered, recent, NOW_MS).game is not offered


def test_an_old_claim_is_stale() -> None:
    game = after(a_game(), f"{ROUND} {ROUND}")

    old = ClaimDraw(BOB.pubkey, NOW_MS - STALE_AFTER_MS - 1)

    assert reason(decide(game, old, NOW_MS)) is Reason.STALE


def test_a_word_is_as_old_as_the_position_and_not_as_what_was_offered_in_it_since() -> None:
    later = NOW_MS + 10 * STALE_AFTER_MS
    offered = offer(after(a_game(), "e4 e5"), ALICE, DRAW, later).game

    slow_clock = DeclineOffer(BOB.pubkey, DRAW, NOW_MS)

    assert decide(offered, slow_clock, later).game.offer is None


@pytest.mark.parametrize("make", [MakeOffer, DeclineOffer])
def test_a_word_dated_in_the_far_future_is_refused(make: type[MakeOffer | DeclineOffer]) -> None:
    """Its date would outlive every memory of it."""
    offered = offer(after(a_game(), "e4 e5"), ALICE).game

    ahead = decide(offered, make(BOB.pubkey, DRAW, NOW_MS + FUTURE_MS + 1), NOW_MS)

    assert reason(ahead) is Reason.BAD_TIME
    assert ahead.game is offered
    just = decide(offered, make(BOB.pubkey, DRAW, NOW_MS + FUTURE_MS), NOW_MS)
    assert just.game.offer is None


def test_a_rematch_is_for_after_the_game() -> None:
    game = after(a_game(), "e4 e5")

    assert reason(offer(game, ALICE, REMATCH)) is Reason.NOT_OFFERED_HERE
    assert reason(decline(game, ALICE, REMATCH)) is Reason.NO_OFFER


OVER = after(a_game(), "f3 e5 g4 Qh4#")


@pytest.mark.parametrize(("one", "other"), [(ALICE, BOB), (BOB, ALICE)])
def test_a_rematch_that_both_want_is_agreed(one: SecretKey, other: SecretKey) -> None:
    offered = offer(OVER, one, REMATCH)
    assert offered.replies == (GameChanged(offered.game),)
    assert reason(offer(offered.game, one, REMATCH)) is Reason.RATE_LIMITED

    agreed = offer(offered.game, other, REMATCH)

    assert agreed.replies == (RematchAgreed(agreed.game),)
    assert agreed.game.offer is None
    assert agreed.game.outcome == OVER.outcome


def test_an_offer_is_the_same_wherever_the_next_game_would_find_its_author() -> None:
    here, elsewhere = Offer(REMATCH, BLACK), Offer(REMATCH, BLACK, "another address")

    assert here == elsewhere
    asked = offer(OVER, ALICE, REMATCH).game
    assert asked.offer is not None
    assert asked.offer.address == here.address == asked.white.address == ""
    agreed = offer(replace(OVER, offer=elsewhere), ALICE, REMATCH)
    assert agreed.replies == (RematchAgreed(agreed.game),)


def test_a_rematch_signed_long_before_the_end_or_far_ahead_is_refused() -> None:
    offered = offer(OVER, ALICE, REMATCH).game

    for made_at_ms, expected in (
        (NOW_MS - STALE_AFTER_MS - 1, Reason.STALE),
        (NOW_MS + FUTURE_MS + 1, Reason.BAD_TIME),
    ):
        late = decide(offered, MakeOffer(BOB.pubkey, REMATCH, made_at_ms), NOW_MS)
        assert reason(late) is expected
        assert late.game is offered


def test_what_ended_ended_then_whatever_was_offered_before_and_since() -> None:
    offered = offer(after(a_game(), "e4 e5"), ALICE, DRAW, NOW_MS + 1000).game
    ended = decide(offered, Resign(BOB.pubkey), NOW_MS + 5000).game

    asked = offer(ended, ALICE, REMATCH, NOW_MS + 9000).game

    assert (ended.position_since_ms, asked.position_since_ms) == (NOW_MS + 5000, NOW_MS + 5000)
    assert asked.changed_at_ms == NOW_MS + 9000


def test_so_many_former_editions_of_a_position_are_remembered_and_no_more() -> None:
    game = after(a_game(), "e4 e5")
    for _ in range(EARLIER_VERSIONS_KEPT):
        game = decline(offer(game, ALICE, TAKEBACK).game, BOB, TAKEBACK).game

    assert len(game.earlier_versions) == EARLIER_VERSIONS_KEPT
    assert game.earlier_versions[-1].number == game.state_version - 1


def test_a_rematch_can_be_declined_and_offered_again() -> None:
    declined = decline(offer(OVER, ALICE, REMATCH).game, BOB, REMATCH).game

    assert declined.offer is None
    assert offer(declined, BOB, REMATCH).game.offer == Offer(REMATCH, BLACK)


def test_there_is_one_rematch() -> None:
    begun = replace(OVER, next_game_id="ab" * 16)

    assert reason(offer(begun, ALICE, REMATCH)) is Reason.NOT_OFFERED_HERE


@pytest.mark.parametrize(
    "command",
    [
        MakeOffer(ALICE.pubkey, DRAW, NOW_MS),
        MakeOffer(ALICE.pubkey, TAKEBACK, NOW_MS),
        DeclineOffer(BOB.pubkey, DRAW, NOW_MS),
        DeclineOffer(BOB.pubkey, TAKEBACK, NOW_MS),
        ClaimDraw(BOB.pubkey, NOW_MS),
        CallFlag(BOB.pubkey),
    ],
)
def test_nothing_but_a_rematch_is_talked_about_after_the_end(command: Command) -> None:
    decision = decide(OVER, command, NOW_MS)

    assert decision.game is OVER
    assert reason(decision) is Reason.GAME_OVER


def test_a_stranger_cannot_ask_for_a_rematch_or_decline_one() -> None:
    offered = offer(OVER, ALICE, REMATCH).game

    assert reason(offer(offered, EVE, REMATCH)) is Reason.NOT_A_PLAYER
    assert reason(decline(offered, EVE, REMATCH)) is Reason.NOT_A_PLAYER


def test_an_offer_is_not_taken_away_by_another_one_of_the_opponents() -> None:
    """It stands until the one it was made to moves, declines or accepts."""
    offered = offer(after(a_game(), "e4 e5"), ALICE).game

    between = offer(offered, BOB, TAKEBACK)

    assert between.game is offered
    assert reason(between) is Reason.NOT_OFFERED_HERE


def any_command(dice: random.Random, game: Game) -> Command:
    key = dice.choice((ALICE, BOB, BOB, ALICE, EVE))
    kind = dice.choice([*OfferKind])
    commands: list[Command] = [
        MakeOffer(key.pubkey, kind, NOW_MS),
        DeclineOffer(key.pubkey, kind, NOW_MS),
        ClaimDraw(key.pubkey, NOW_MS),
        CallFlag(key.pubkey),
        ShowState(key.pubkey),
        Unrecognized(key.pubkey),
        Tick(),
        dice.choice((Abort, Quit, Resign))(key.pubkey),
    ]
    if game.outcome is None:
        chosen = dice.choice([*game.board().legal_moves])
        commands += [replace(move(game, chosen.uci()), player=key.pubkey)] * 12
    return dice.choice(commands[:7] if dice.random() < 0.9 and game.outcome is None else commands)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_said_in_whatever_order_the_laws_hold(seed: int) -> None:
    """No stranger changes a game, an end is final, editions only rise, no offer outlives its
    ply but a draw that was offered before a move of one's own.
    """
    dice = random.Random(seed)
    game = replace(a_game(), rated=dice.random() < 0.3)
    if dice.random() < 0.5:
        clocks = Clocks(TimeControl(base_ms=180_000), 180_000, 180_000, NOW_MS)
        game = replace(game, clocks=clocks)
    for _ in range(200):
        command = any_command(dice, game)
        decision = decide(game, command, NOW_MS)
        after_it = decision.game
        if command.player == EVE.pubkey:
            assert after_it is game
        if game.outcome is not None:
            assert (after_it.outcome, after_it.moves) == (game.outcome, game.moves)
            assert after_it.offer is None or after_it.offer.kind is REMATCH
        if after_it is game:
            assert [
                r for r in decision.replies if isinstance(r, GameChanged | MovePlayed | GameEnded)
            ] == []
        elif after_it.state_version == game.state_version:
            assert after_it == replace(
                game, white_strikes=after_it.white_strikes, black_strikes=after_it.black_strikes
            )
        else:
            assert after_it.state_version > game.state_version
        if after_it.ply != game.ply and after_it.offer is not None:
            assert after_it.offer == Offer(DRAW, not after_it.turn)
        if after_it.outcome is not None and game.outcome is None:
            assert after_it.offer is None
        game = after_it
