"""When a flag falls, and when it does not (reliability F38 to F41)."""

import random
from dataclasses import replace

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import DAY_MS, SETTLE_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import (
    Abort,
    CallFlag,
    ClaimDraw,
    Command,
    DeclineOffer,
    MakeOffer,
    OfferKind,
    PlayMove,
    Quit,
    Resign,
    ShowState,
    Tick,
    Unrecognized,
)
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Game, Offer, Outcome, Termination
from arbiter.core.replies import Decision, GameEnded, Reason, Rejected, StateShown
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)


def a_timed_game(moves: str = "e4 e5", control: TimeControl = BLITZ) -> Game:
    """Ten seconds are left to each, in a live game, and it is White's turn."""
    game = after(a_game(), moves)
    if not control.is_live:
        return replace(game, clocks=start_clocks(control, NOW_MS))
    return replace(game, clocks=Clocks(control, 10_000, 10_000, NOW_MS))


GAME = a_timed_game()
DEADLINE_MS = NOW_MS + 11_000
CALLED_MS = DEADLINE_MS + SETTLE_MS
FLAGGED = Outcome(Termination.TIMEOUT, BLACK)


def a_move(received_at_ms: int, uci: str = "g1f3", player: str = ALICE.pubkey) -> PlayMove:
    return PlayMove(
        player=player, uci=uci, made_at_ms=received_at_ms, received_at_ms=received_at_ms
    )


def reason(decision: Decision) -> Reason:
    refusal = decision.replies[0]
    assert isinstance(refusal, Rejected)
    return refusal.reason


@given(st.integers(NOW_MS - 60_000, DEADLINE_MS), st.integers(0, 10**9))
def test_a_move_received_before_the_deadline_is_never_flagged_however_late_it_is_decided(
    received_at_ms: int, later_ms: int
) -> None:
    decision = decide(GAME, a_move(received_at_ms), received_at_ms + later_ms)

    assert decision.game.ply == 3
    assert decision.game.outcome is None


@given(st.integers(1, 10**9), st.integers(0, 10**6))
def test_a_move_received_after_the_deadline_loses(late_ms: int, later_ms: int) -> None:
    received_at_ms = DEADLINE_MS + late_ms

    decision = decide(GAME, a_move(received_at_ms), received_at_ms + later_ms)

    assert decision.game.outcome == FLAGGED
    assert decision.game.ply == 2
    refusal, ended = decision.replies
    assert isinstance(refusal, Rejected)
    assert refusal.reason is Reason.GAME_OVER
    assert ended == GameEnded(decision.game)


@pytest.mark.parametrize("command", [Tick(), CallFlag(BOB.pubkey), CallFlag(ALICE.pubkey)])
@pytest.mark.parametrize("now_ms", [NOW_MS, DEADLINE_MS, DEADLINE_MS + 1, CALLED_MS - 1])
def test_no_flag_falls_before_a_move_in_time_had_its_chance_to_arrive(
    command: Command, now_ms: int
) -> None:
    decision = decide(GAME, command, now_ms)

    assert decision.game is GAME
    if isinstance(command, CallFlag):
        assert reason(decision) is Reason.TIME_LEFT


@pytest.mark.parametrize("moves", ["e4 e5", "e4 e5 Nf3"])
@pytest.mark.parametrize("uci", ["d7d5", "f1c4", "a1a8"])
@pytest.mark.parametrize("late_ms", [0, 1, SETTLE_MS - 1])
def test_a_move_out_of_turn_calls_no_flag_before_a_move_in_time_had_its_chance_to_arrive(
    moves: str, uci: str, late_ms: int
) -> None:
    """Of either colour, whether the move could be legal or not."""
    game = a_timed_game(moves)
    waits = game.seat(not game.turn).player
    now_ms = DEADLINE_MS + late_ms

    refused = decide(game, a_move(now_ms, uci, waits), now_ms)
    settled = decide(game, a_move(CALLED_MS, uci, waits), CALLED_MS)

    assert refused.game is game, f"{uci} of the player who waits ended the game {late_ms} ms late"
    assert reason(refused) is Reason.NOT_YOUR_TURN
    assert settled.game.outcome == Outcome(Termination.TIMEOUT, not game.turn)


@pytest.mark.parametrize("command", [Tick(), CallFlag(BOB.pubkey), CallFlag(ALICE.pubkey)])
@pytest.mark.parametrize("now_ms", [CALLED_MS, CALLED_MS + 1, CALLED_MS + DAY_MS])
def test_two_seconds_after_the_deadline_the_flag_has_fallen(command: Command, now_ms: int) -> None:
    decision = decide(GAME, command, now_ms)

    assert decision.game.outcome == FLAGGED
    assert decision.replies == (GameEnded(decision.game),)
    assert decision.game.changed_at_ms == now_ms


def test_a_stranger_cannot_call_a_flag() -> None:
    decision = decide(GAME, CallFlag(EVE.pubkey), CALLED_MS)

    assert decision.game is GAME
    assert reason(decision) is Reason.NOT_A_PLAYER


@pytest.mark.parametrize(
    "command",
    [
        Resign(ALICE.pubkey),
        Resign(BOB.pubkey),
        Quit(ALICE.pubkey),
        Abort(BOB.pubkey),
        Unrecognized(BOB.pubkey),
        MakeOffer(ALICE.pubkey, OfferKind.DRAW, CALLED_MS),
        MakeOffer(BOB.pubkey, OfferKind.TAKEBACK, CALLED_MS),
        DeclineOffer(BOB.pubkey, OfferKind.DRAW, CALLED_MS),
        ClaimDraw(ALICE.pubkey, CALLED_MS),
        a_move(CALLED_MS, "d7d5", BOB.pubkey),
    ],
)
def test_whatever_a_player_says_after_the_flag_fell_is_too_late(command: Command) -> None:
    decision = decide(GAME, command, CALLED_MS)

    assert decision.game.outcome == FLAGGED
    assert reason(decision) is Reason.GAME_OVER


def test_who_looks_at_a_game_does_not_end_it() -> None:
    decision = decide(GAME, ShowState(BOB.pubkey), CALLED_MS)

    assert decision.replies == (StateShown(GAME, BLACK),)
    assert decision.game is GAME


def test_a_move_and_a_flag_of_the_same_millisecond_have_one_outcome_whichever_comes_first() -> None:
    """The move was received in time and the flag is called at its earliest: order decides."""
    move, call = a_move(DEADLINE_MS), CallFlag(BOB.pubkey)

    moved = decide(GAME, move, CALLED_MS).game
    assert moved.ply == 3
    assert decide(moved, call, CALLED_MS).game is moved

    flagged = decide(GAME, call, CALLED_MS).game
    assert flagged.outcome == FLAGGED
    assert decide(flagged, move, CALLED_MS).game is flagged


def test_an_offer_of_a_draw_does_not_save_from_the_flag_and_cannot_be_accepted_after_it() -> None:
    offered = decide(GAME, MakeOffer(ALICE.pubkey, OfferKind.DRAW, DEADLINE_MS), DEADLINE_MS).game
    assert offered.offer is not None

    late = decide(offered, MakeOffer(BOB.pubkey, OfferKind.DRAW, CALLED_MS), CALLED_MS)

    assert late.game.outcome == FLAGGED
    assert late.game.offer is None


@pytest.mark.parametrize(
    "plea",
    [
        ClaimDraw(ALICE.pubkey, DEADLINE_MS),
        MakeOffer(ALICE.pubkey, OfferKind.DRAW, DEADLINE_MS),
        MakeOffer(ALICE.pubkey, OfferKind.TAKEBACK, DEADLINE_MS),
    ],
)
def test_who_is_out_of_time_saves_nothing_by_a_word_though_the_flag_stands(
    plea: ClaimDraw | MakeOffer,
) -> None:
    """The flag waits for a move in time, which may still be on its way, and for nothing else."""
    rounds = replace(after(a_game(), "Nf3 Nf6 Ng1 Ng8 " * 2), clocks=GAME.clocks)
    offered = Offer(plea.kind if isinstance(plea, MakeOffer) else OfferKind.DRAW, BLACK)
    game = replace(rounds, offer=offered)

    for at_ms in (DEADLINE_MS + 1, CALLED_MS - 1):
        refused = decide(game, plea, at_ms)
        assert (refused.game, reason(refused)) == (game, Reason.TOO_LATE)
    assert decide(game, plea, DEADLINE_MS + 500, paused_ms=500).game != game
    assert decide(game, plea, CALLED_MS, received_at_ms=DEADLINE_MS).game != game


def test_who_waits_for_the_flag_may_still_claim_a_draw() -> None:
    rounds = replace(after(a_game(), "Nf3 Nf6 Ng1 Ng8 " * 2), clocks=GAME.clocks)

    claimed = decide(rounds, ClaimDraw(BOB.pubkey, DEADLINE_MS), DEADLINE_MS + 1).game

    assert claimed.outcome == Outcome(Termination.THREEFOLD_REPETITION, None)


def test_a_call_that_waited_in_the_queue_is_judged_by_when_it_was_received() -> None:
    """Behind it a move in time may be waiting."""
    for command in (CallFlag(BOB.pubkey), Tick(), MakeOffer(BOB.pubkey, OfferKind.DRAW, NOW_MS)):
        early = decide(GAME, command, CALLED_MS + 60_000, received_at_ms=CALLED_MS - 1)
        assert early.game.outcome is None
        late = decide(GAME, command, CALLED_MS + 60_000, received_at_ms=CALLED_MS)
        assert late.game.outcome == FLAGGED


def test_an_offer_does_not_put_the_deadline_off() -> None:
    later = NOW_MS + 9000
    offered = decide(GAME, MakeOffer(ALICE.pubkey, OfferKind.DRAW, later), later).game
    declined = decide(offered, DeclineOffer(BOB.pubkey, OfferKind.DRAW, later), later).game

    assert (offered.deadline_ms(), declined.deadline_ms()) == (DEADLINE_MS, DEADLINE_MS)


@pytest.mark.parametrize("moves", ["", "e4"])
def test_who_lets_his_first_move_pass_has_the_game_aborted(moves: str) -> None:
    game = replace(after(a_game(), moves), clocks=start_clocks(BLITZ, NOW_MS), rated=True)
    due_ms = NOW_MS + 30_000 + SETTLE_MS

    assert decide(game, Tick(), due_ms - 1).game is game
    aborted = Outcome(Termination.ABORTED, None, aborted_by=BLACK if moves else WHITE)
    assert decide(game, Tick(), due_ms).game.outcome == aborted


def test_with_days_a_move_the_first_move_has_them_too_and_is_then_aborted() -> None:
    game = a_timed_game("", TimeControl(move_ms=DAY_MS))
    due_ms = NOW_MS + DAY_MS + 1000 + SETTLE_MS

    assert decide(game, Tick(), due_ms - 1).game is game
    aborted = Outcome(Termination.ABORTED, None, aborted_by=WHITE)
    assert decide(game, Tick(), due_ms).game.outcome == aborted


def test_a_correspondence_game_is_lost_when_its_days_are_over() -> None:
    game = a_timed_game("e4 e5", TimeControl(move_ms=3 * DAY_MS))

    assert decide(game, Tick(), NOW_MS + 3 * DAY_MS).game is game
    assert decide(game, Tick(), NOW_MS + 3 * DAY_MS + 3000).game.outcome == FLAGGED


@pytest.mark.parametrize(
    ("fen", "winner"),
    [
        # White is to move and runs out of time; what Black could ever mate with decides.
        ("7k/8/8/8/8/8/Q7/K7 w - - 0 60", None),
        ("7k/8/8/8/8/8/Q6b/K7 w - - 0 60", None),
        # FIDE 6.9 by material: a knight mates no king whose own queen always has a way out...
        ("7k/8/8/8/8/8/Q6n/K7 w - - 0 60", None),
        # ...but one whose own rook, bishop, knight or pawn stands in his way.
        ("7k/8/8/8/8/8/R6n/K7 w - - 0 60", BLACK),
        ("7k/8/8/8/8/8/P6n/K7 w - - 0 60", BLACK),
        ("7k/8/8/8/8/8/P6b/K7 w - - 0 60", BLACK),
        ("7k/8/8/8/8/8/Q6p/K7 w - - 0 60", BLACK),
        ("7k/8/8/8/8/8/Q5nn/K7 w - - 0 60", BLACK),
        ("7k/8/8/8/8/8/Q6r/K7 w - - 0 60", BLACK),
        # Nobody comes through a wall of pawns.
        ("7k/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/K7 w - - 0 60", None),
    ],
)
def test_time_out_loses_unless_the_opponent_could_never_mate(
    fen: str, winner: chess.Color | None
) -> None:
    game = replace(a_game(fen), moves=(), clocks=Clocks(BLITZ, 10_000, 10_000, NOW_MS))
    for uci in ("a1b1", "h8h7"):
        game = game.after(chess.Move.from_uci(uci), NOW_MS)

    assert decide(game, Tick(), CALLED_MS).game.outcome == Outcome(Termination.TIMEOUT, winner)


def test_a_game_without_a_clock_waits_for_ever() -> None:
    game = after(a_game(), "e4 e5")

    assert game.deadline_ms() is None
    assert decide(game, Tick(), NOW_MS + 1000 * DAY_MS).game is game
    assert reason(decide(game, CallFlag(BOB.pubkey), NOW_MS + DAY_MS)) is Reason.TIME_LEFT


def test_a_nudge_for_a_game_that_is_over_says_nothing() -> None:
    over = decide(GAME, Resign(ALICE.pubkey), NOW_MS).game

    assert decide(over, Tick(), CALLED_MS) == Decision(over, ())


def test_a_move_stops_ones_own_clock_and_starts_the_opponents() -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + 4200).game

    assert moved.clocks == Clocks(BLITZ, 10_000 - 3000 + 2000, 10_000, NOW_MS + 4200)
    assert moved.deadline_ms() == NOW_MS + 4200 + 11_000


def test_the_opponents_clock_runs_from_when_a_public_move_was_received_less_the_lag() -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + 8000, is_public=True).game

    assert moved.clocks == Clocks(BLITZ, 10_000 - 3000 + 2000, 10_000, NOW_MS + 5000)
    assert moved.changed_at_ms == NOW_MS + 8000
    assert moved.deadline_ms() == NOW_MS + 5000 + 11_000


def test_half_of_what_the_opponent_has_left_is_the_most_that_a_move_that_waited_costs() -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + 60_000, is_public=True).game

    assert moved.clocks == Clocks(BLITZ, 10_000 - 3000 + 2000, 10_000, NOW_MS + 60_000 - 5000)


def test_after_an_outage_the_opponents_clock_runs_from_the_decision() -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + 60_000, paused_ms=1, is_public=True).game

    assert moved.clocks is not None
    assert moved.clocks.since_ms == NOW_MS + 60_000


def test_a_mate_in_time_is_a_mate() -> None:
    game = a_timed_game("f3 e5 g4")
    mate = a_move(DEADLINE_MS, "d8h4", BOB.pubkey)

    decision = decide(game, mate, CALLED_MS + 60_000)

    assert decision.game.outcome == Outcome(Termination.CHECKMATE, BLACK)
    assert decision.game.deadline_ms() is None


def test_an_illegal_move_does_not_stop_the_clock() -> None:
    struck = decide(GAME, a_move(NOW_MS + 4000, "e1e8"), NOW_MS + 4000).game

    assert struck.white_strikes == 1
    assert struck.clocks == GAME.clocks


def interleaved(dice: random.Random) -> list[tuple[int, int, Command]]:
    """A move, nudges and calls around the deadline, each when the queue hands it over; what was
    received first is handed over first, as in one group of a FIFO queue.
    """
    received_ms = DEADLINE_MS + dice.choice((-3000, -1, 0, 1, dice.randint(-4000, 4000)))
    waiting: list[tuple[int, Command]] = [(received_ms, a_move(received_ms))]
    waiting += [(CALLED_MS + dice.choice((-1, 0, 1, 2500)), Tick()) for _ in range(2)]
    for key in (ALICE, BOB):
        called_ms = DEADLINE_MS + dice.randint(-3000, 5000)
        waiting.append((called_ms, CallFlag(key.pubkey)))
    for kind in (OfferKind.DRAW, OfferKind.TAKEBACK):
        said_ms = DEADLINE_MS + dice.randint(-3000, 5000)
        waiting.append((said_ms, MakeOffer(dice.choice((ALICE, BOB)).pubkey, kind, said_ms)))
    waiting.append((DEADLINE_MS + dice.randint(-3000, 5000), ClaimDraw(BOB.pubkey, NOW_MS)))
    dice.shuffle(waiting)
    waiting.sort(key=lambda one: one[0])
    now_ms, handed_over = NOW_MS, []
    for arrived_ms, command in waiting:
        now_ms = max(now_ms, arrived_ms) + dice.choice((0, 0, 1, 900, 30_000))
        handed_over.append((arrived_ms, now_ms, command))
    return handed_over


def test_of_a_move_and_a_flag_one_happens_and_never_a_flag_for_a_move_in_time() -> None:
    """Ten thousand races around the deadline."""
    dice, moved, flagged = random.Random(38), 0, 0
    for race in range(10_000):
        game, outcomes = GAME, 0
        for received_at_ms, now_ms, command in interleaved(dice):
            decision = decide(game, command, now_ms, received_at_ms=received_at_ms)
            outcomes += sum(isinstance(reply, GameEnded) for reply in decision.replies)
            if isinstance(command, PlayMove):
                in_time = command.received_at_ms <= DEADLINE_MS
                assert (decision.game.ply == 3) == in_time, race
                assert in_time or decision.game.outcome == FLAGGED, race
            if game.outcome is not None:
                assert decision.game is game, race
            game = decision.game
        assert outcomes <= 1, race
        moved += game.ply == 3
        flagged += game.outcome == FLAGGED
    assert moved > 3000
    assert flagged > 3000


def test_what_a_clock_stood_still_is_added_to_the_deadline_of_a_move_and_of_a_call() -> None:
    still_ms = 4000
    played = decide(
        GAME, a_move(DEADLINE_MS + still_ms), DEADLINE_MS + still_ms, paused_ms=still_ms
    )
    late_ms = DEADLINE_MS + still_ms + 1
    late = decide(GAME, a_move(late_ms), late_ms, paused_ms=still_ms)

    assert played.game.ply == GAME.ply + 1
    assert late.game.outcome == FLAGGED
    early = decide(GAME, Tick(), CALLED_MS + still_ms - 1, paused_ms=still_ms)
    assert early.game.outcome is None
    called = decide(GAME, Tick(), CALLED_MS + still_ms, paused_ms=still_ms)
    assert called.game.outcome == FLAGGED


def test_what_a_clock_stood_still_is_not_charged_to_who_moves() -> None:
    still_ms = 4000
    at_ms = DEADLINE_MS - still_ms
    usual = decide(GAME, a_move(at_ms), at_ms).game
    stood = decide(GAME, a_move(at_ms), at_ms, paused_ms=still_ms).game

    assert usual.clocks is not None
    assert stood.clocks is not None
    left_ms = usual.clocks.left_ms(white=GAME.turn)
    assert stood.clocks.left_ms(white=GAME.turn) == left_ms + still_ms
