"""Times at which a flag falls, and at which it does not (reliability F38 to F41)."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.clocks import SETTLE_MS, Clocks, TimeControl, start_clocks
from arbiter.core.commands import CallFlag, ClaimDraw, Command, MakeOffer, OfferKind, PlayMove, Tick
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, Game, Outcome, Termination
from arbiter.core.replies import GameEnded
from tests.builders import ALICE, BOB, NOW_MS, a_game, after
from tests.core.words import summary

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


def interleaved(dice: random.Random) -> list[tuple[int, int, Command]]:
    """A move, timers and calls around the deadline, each when the queue hands it over; what was
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
