"""When a flag falls, and when it does not (reliability F38 to F41)."""

import random
from dataclasses import replace
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import DAY_MS, SETTLE_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import CallFlag, ClaimDraw, Command, MakeOffer, OfferKind, PlayMove, Tick
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, Game, Offer, Outcome, Termination
from arbiter.core.replies import Decision, GameEnded
from tests.builders import ALICE, BOB, NOW_MS, a_game, after, table
from tests.core.words import ROUND, comes_to, summary, told

BLITZ = TimeControl(base_ms=180_000, increment_ms=2000)
FLAGGED = "0-1 timeout"


def a_timed_game(moves: str = "e4 e5", control: TimeControl = BLITZ) -> Game:
    """Ten seconds are left to each, in a live game, and it is White's turn."""
    game = after(a_game(), moves)
    if not control.is_live:
        return replace(game, clocks=start_clocks(control, NOW_MS))
    return replace(game, clocks=Clocks(control, 10_000, 10_000, NOW_MS))


def a_move(received_at_ms: int, uci: str = "g1f3", player: str = ALICE.pubkey) -> PlayMove:
    return PlayMove(
        player=player, uci=uci, made_at_ms=received_at_ms, received_at_ms=received_at_ms
    )


GAME = a_timed_game()
DEADLINE_MS = NOW_MS + 11_000
CALLED_MS = DEADLINE_MS + SETTLE_MS
LOST = Outcome(Termination.TIMEOUT, BLACK)


@given(st.integers(NOW_MS - 60_000, DEADLINE_MS), st.integers(0, 10**9))
def test_a_move_in_time_is_never_flagged_however_late(received_at_ms: int, later_ms: int) -> None:
    decision = decide(GAME, a_move(received_at_ms), received_at_ms + later_ms)

    assert decision.game.ply == 3
    assert decision.game.outcome is None


@given(st.integers(1, 10**9), st.integers(0, 10**6))
def test_a_move_received_after_the_deadline_loses(late_ms: int, later_ms: int) -> None:
    received_at_ms = DEADLINE_MS + late_ms

    decision = decide(GAME, a_move(received_at_ms), received_at_ms + later_ms)

    assert summary(decision) == f"game-over, {FLAGGED}"
    assert decision.game.ply == 2


AROUND_THE_DEADLINE = """
# Ten seconds, one for the way, and two in which a move in time may still arrive.
no flag falls before that            | +0 tick               | ply 2
at the deadline                      | +11000 tick           | ply 2
just after it                        | +11001 tick           | ply 2
or a moment too early                | +12999 tick           | ply 2
and none is called                   | +0 B:flag             | time-left
at the deadline                      | +11000 B:flag         | time-left
just after it                        | +11001 W:flag         | time-left
or a moment too early                | +12999 B:flag         | time-left
two seconds later it has fallen      | +13000 tick           | 0-1 timeout
by either player                     | +13000 W:flag         | 0-1 timeout
of the two                           | +13000 B:flag         | 0-1 timeout
or later                             | +13001 B:flag         | 0-1 timeout
a day later too                      | +86413000 tick        | 0-1 timeout
a stranger cannot call it            | +13000 E:flag         | not-a-player
who looks at a game ends nothing     | +13000 B:state        | ply 2
a move out of turn calls none        | +11000 B:d7d5         | not-your-turn
just after the deadline              | +11001 B:a1a8         | not-your-turn
or a moment too early                | +12999 B:f1c4         | not-your-turn
but then it does                     | +13000 B:d7d5         | game-over, 0-1 timeout
of either colour                     | Nf3 +11000 W:f1c4     | not-your-turn
a moment too early                   | Nf3 +12999 W:a1a8     | not-your-turn
and then                             | Nf3 +15000 W:f1c4     | game-over, 1-0 timeout
a resignation is too late then       | +13000 W:resign       | game-over, 0-1 timeout
of the winner too                    | +13000 B:resign       | game-over, 0-1 timeout
and quitting                         | +13000 W:quit         | game-over, 0-1 timeout
an abort                             | +13000 B:abort        | game-over, 0-1 timeout
what cannot be read                  | +13000 B:what?        | game-over, 0-1 timeout
a draw                               | +13000 W:draw         | game-over, 0-1 timeout
a takeback                           | +13000 B:takeback     | game-over, 0-1 timeout
a refusal                            | +13000 B:no-draw      | game-over, 0-1 timeout
a claim                              | +13000 W:claim        | game-over, 0-1 timeout
an offer saves nothing               | +11000 W:draw +2000 B:draw | game-over, 0-1 timeout
nor does it put the deadline off     | +9000 W:draw B:no-draw +4000 tick | 0-1 timeout
a tick after the end says nothing    | W:resign +13000 tick  | 0-1 resignation
"""


@pytest.mark.parametrize(("why", "line", "expected"), table(AROUND_THE_DEADLINE))
def test_around_the_deadline(why: str, line: str, expected: str) -> None:
    assert comes_to(line, GAME) == expected, why


def test_the_state_of_a_fallen_flag_is_of_the_time_when_it_was_called() -> None:
    assert SETTLE_MS == 2000
    assert told("+13500 B:flag", GAME).game.changed_at_ms == NOW_MS + 13_500
    assert told("W:resign +13000 tick", GAME).replies == ()


def test_a_move_and_a_flag_of_the_same_millisecond_have_one_outcome_whichever_comes_first() -> None:
    """The move was received in time and the flag is called at its earliest: order decides."""
    move, call = a_move(DEADLINE_MS), CallFlag(BOB.pubkey)

    moved, flagged = (decide(GAME, it, CALLED_MS).game for it in (move, call))

    assert (moved.ply, flagged.ply) == (3, 2)
    assert decide(moved, call, CALLED_MS).game is moved
    assert decide(flagged, move, CALLED_MS).game is flagged


@pytest.mark.parametrize(
    ("word", "kind"), [("claim", "draw"), ("draw", "draw"), ("takeback", "takeback")]
)
def test_who_is_out_of_time_saves_nothing_by_a_word(word: str, kind: str) -> None:
    """The flag waits for a move in time, which may still be on its way, and for nothing else."""
    rounds = replace(after(a_game(), f"{ROUND} {ROUND}"), clocks=GAME.clocks)
    game = replace(rounds, offer=Offer(OfferKind(kind), BLACK))

    for late_ms in (1, 1999):
        assert comes_to(f"+{11_000 + late_ms} W:{word}", game) == "too-late"
    assert told(f"+11500 W:{word}", game, paused_ms=500).game != game
    assert told(f"+13000 W:{word}", game, received_at_ms=DEADLINE_MS).game != game
    assert comes_to("+11001 B:claim", rounds) == "1/2-1/2 threefold-repetition"


@pytest.mark.parametrize("word", ["B:flag", "tick", "B:draw@-73000"])
def test_a_call_that_waited_in_the_queue_is_judged_by_when_it_was_received(word: str) -> None:
    """Behind it a move in time may be waiting."""
    early, late = (
        told(f"+73000 {word}", GAME, received_at_ms=CALLED_MS - less).game for less in (1, 0)
    )

    assert early.outcome is None
    assert late.outcome == LOST


@pytest.mark.parametrize(
    ("moves", "control", "due_ms", "expected"),
    [
        ("", BLITZ, 32_000, "* aborted by White"),
        ("e4", BLITZ, 32_000, "* aborted by Black"),
        ("", TimeControl(move_ms=DAY_MS), DAY_MS + 3000, "* aborted by White"),
        ("e4 e5", TimeControl(move_ms=3 * DAY_MS), 3 * DAY_MS + 3000, FLAGGED),
    ],
)
def test_who_lets_the_first_move_pass_has_the_game_aborted_and_later_loses_it(
    moves: str, control: TimeControl, due_ms: int, expected: str
) -> None:
    started = replace(after(a_game(), moves), clocks=start_clocks(control, NOW_MS), rated=True)

    assert told(f"+{due_ms - 1} tick", started).game is started
    assert comes_to(f"+{due_ms} tick", started) == expected


def test_a_game_without_a_clock_waits_for_ever() -> None:
    assert told("e4 e5").game.deadline_ms() is None
    assert comes_to(f"e4 e5 +{1000 * DAY_MS} tick") == "ply 2"
    assert comes_to(f"e4 e5 +{DAY_MS} B:flag") == "time-left"


NEVER_MATED = """
# White is to move and runs out of time: what Black could ever mate with decides.
a bare king mates none               | 7k/8/8/8/8/8/Q7/K7 w - - 0 60     | 1/2-1/2 timeout
nor does a bishop                    | 7k/8/8/8/8/8/Q6b/K7 w - - 0 60    | 1/2-1/2 timeout
or a knight, past a queen            | 7k/8/8/8/8/8/Q6n/K7 w - - 0 60    | 1/2-1/2 timeout
but past a rook that is in the way   | 7k/8/8/8/8/8/R6n/K7 w - - 0 60    | 0-1 timeout
or a pawn                            | 7k/8/8/8/8/8/P6n/K7 w - - 0 60    | 0-1 timeout
so does a bishop                     | 7k/8/8/8/8/8/P6b/K7 w - - 0 60    | 0-1 timeout
a pawn                               | 7k/8/8/8/8/8/Q6p/K7 w - - 0 60    | 0-1 timeout
two knights                          | 7k/8/8/8/8/8/Q5nn/K7 w - - 0 60   | 0-1 timeout
a rook                               | 7k/8/8/8/8/8/Q6r/K7 w - - 0 60    | 0-1 timeout
a wall lets none through | 7k/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/K7 w - - 0 60 | 1/2-1/2 timeout
"""


@pytest.mark.parametrize(("why", "fen", "expected"), table(NEVER_MATED))
def test_time_out_loses_unless_no_mate_is_possible(why: str, fen: str, expected: str) -> None:
    game = replace(a_game(fen), clocks=Clocks(BLITZ, 10_000, 10_000, NOW_MS))
    for uci in ("a1b1", "h8h7"):
        game = game.after(chess.Move.from_uci(uci), NOW_MS)

    assert comes_to("+13000 tick", game) == expected, why


@pytest.mark.parametrize(
    ("decided_ms", "how", "runs_from_ms"),
    [
        (4200, {}, 4200),
        # A public move runs the opponent's clock from its receipt, less the lag...
        (8000, {"is_public": True}, 5000),
        # ...but costs no more than half of what they have left...
        (60_000, {"is_public": True}, 55_000),
    ],
)
def test_a_move_starts_the_opponents_clock(decided_ms: int, how: Any, runs_from_ms: int) -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + decided_ms, **how).game

    assert moved.clocks == Clocks(BLITZ, 10_000 - 3000 + 2000, 10_000, NOW_MS + runs_from_ms)
    assert moved.changed_at_ms == NOW_MS + decided_ms
    assert moved.deadline_ms() == NOW_MS + runs_from_ms + 11_000


def test_after_an_outage_the_opponents_clock_runs_from_the_decision() -> None:
    moved = decide(GAME, a_move(NOW_MS + 4000), NOW_MS + 60_000, paused_ms=1, is_public=True).game

    assert moved.clocks is not None
    assert moved.clocks.since_ms == NOW_MS + 60_000


def test_a_mate_in_time_is_a_mate() -> None:
    mate = a_move(DEADLINE_MS, "d8h4", BOB.pubkey)

    decision = decide(a_timed_game("f3 e5 g4"), mate, CALLED_MS + 60_000)

    assert summary(decision) == "0-1 checkmate"
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
    """Fifteen hundred races around the deadline."""
    dice, moved, flagged = random.Random(38), 0, 0
    for race in range(1_500):
        game, outcomes = GAME, 0
        for received_at_ms, now_ms, command in interleaved(dice):
            decision = decide(game, command, now_ms, received_at_ms=received_at_ms)
            outcomes += sum(isinstance(reply, GameEnded) for reply in decision.replies)
            if isinstance(command, PlayMove):
                in_time = command.received_at_ms <= DEADLINE_MS
                assert (decision.game.ply == 3) == in_time, race
                assert in_time or decision.game.outcome == LOST, race
            if game.outcome is not None:
                assert decision.game is game, race
            game = decision.game
        assert outcomes <= 1, race
        moved += game.ply == 3
        flagged += game.outcome == LOST
    assert moved > 400
    assert flagged > 400


def test_a_pause_is_added_to_the_deadline_and_not_charged_to_who_moves() -> None:
    def after_pause(word: Command, at_ms: int) -> Decision:
        return decide(GAME, word, at_ms, paused_ms=4000)

    in_time, late = (a_move(DEADLINE_MS + 4000 + more) for more in (0, 1))
    assert after_pause(in_time, DEADLINE_MS + 4000).game.ply == 3
    assert summary(after_pause(late, DEADLINE_MS + 4001)) == f"game-over, {FLAGGED}"
    assert after_pause(Tick(), CALLED_MS + 3999).game is GAME
    assert summary(after_pause(Tick(), CALLED_MS + 4000)) == FLAGGED
    move = a_move(DEADLINE_MS - 4000)
    usual, paused = (
        it.game.clocks
        for it in (decide(GAME, move, DEADLINE_MS - 4000), after_pause(move, DEADLINE_MS - 4000))
    )
    assert usual is not None
    assert paused == replace(usual, white_ms=usual.white_ms + 4000)
