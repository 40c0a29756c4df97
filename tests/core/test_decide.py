from dataclasses import replace

import chess
import pytest

from arbiter.core.commands import (
    Abort,
    AnsweredState,
    Claims,
    Command,
    PlayMove,
    Quit,
    Resign,
    Unrecognized,
)
from arbiter.core.decide import decide
from arbiter.core.game import BLACK, WHITE, Outcome, Termination
from arbiter.core.replies import ClaimRejected, GameEnded, Reason, Rejected
from arbiter.core.rules import FUTURE_MS, STALE_AFTER_MS, Rules
from arbiter.nostr.keys import SecretKey
from tests.builders import ALICE, BOB, EVE, NOW_MS, a_game, after, decided, move
from tests.core.words import reason

MINUTE_MS = 60_000


def test_a_refused_move_leaves_the_very_same_game() -> None:
    game = a_game()
    blacks = PlayMove(player=BOB.pubkey, uci="e7e5", made_at_ms=NOW_MS, received_at_ms=NOW_MS)

    decision = decide(game, blacks, NOW_MS)

    assert decision.game is game
    assert reason(decision) is Reason.NOT_YOUR_TURN


def test_whoever_plays_an_illegal_move_is_told_how_many_of_his_were_counted() -> None:
    texts = []
    game = a_game()
    for _ in range(3):
        decision = decided(game, "e2e5", Rules(illegal_moves_to_lose=4))
        texts += [it.text for it in decision.replies if isinstance(it, Rejected)]
        game = decision.game

    assert texts == [f"e2e5 is not legal here ({count} of 4)" for count in (1, 2, 3)]


def test_what_is_said_of_a_command_that_came_just_now_names_no_other() -> None:
    refused = decide(a_game(), Unrecognized(ALICE.pubkey), NOW_MS)
    played = replace(move(a_game(), "e2e4"), claims=Claims(san="e3"))
    disputed = decide(a_game(), played, NOW_MS)

    said = [*refused.replies, *disputed.replies]
    assert [it.about for it in said if isinstance(it, Rejected | ClaimRejected)] == ["", ""]


@pytest.mark.parametrize(
    "command", [Resign(EVE.pubkey), Abort(EVE.pubkey), Quit(EVE.pubkey), Unrecognized(EVE.pubkey)]
)
def test_a_stranger_can_do_nothing_and_learns_nothing_of_the_game(command: Command) -> None:
    game = a_game()

    decision = decide(game, command, NOW_MS)

    assert decision.game is game
    assert decision.replies == (
        Rejected(EVE.pubkey, Reason.NOT_A_PLAYER, "you have no seat in this game"),
    )


@pytest.mark.parametrize(("key", "winner"), [(ALICE, BLACK), (BOB, WHITE)])
def test_who_resigns_loses_on_either_turn(key: SecretKey, winner: chess.Color) -> None:
    game = after(a_game(), "e4")

    decision = decide(game, Resign(key.pubkey), NOW_MS)

    assert decision.game.outcome == Outcome(Termination.RESIGNATION, winner)
    assert decision.replies == (GameEnded(decision.game),)


@pytest.mark.parametrize("moves", ["", "e4"])
@pytest.mark.parametrize("command", [Abort, Quit])
@pytest.mark.parametrize("key", [ALICE, BOB])
def test_a_game_of_fewer_than_two_plies_can_be_called_off_by_either(
    moves: str, command: type[Abort | Quit], key: SecretKey
) -> None:
    decision = decide(after(a_game(), moves), command(key.pubkey), NOW_MS)

    by = WHITE if key == ALICE else BLACK
    assert decision.game.outcome == Outcome(Termination.ABORTED, None, aborted_by=by)
    assert decision.game.result == "*"


def test_after_two_plies_an_abort_is_too_late_and_quitting_is_resigning() -> None:
    game = after(a_game(), "e4 e5")

    assert reason(decide(game, Abort(ALICE.pubkey), NOW_MS)) is Reason.TOO_LATE
    left = decide(game, Quit(ALICE.pubkey), NOW_MS).game
    assert left.outcome == Outcome(Termination.RESIGNATION, BLACK)


@pytest.mark.parametrize(
    "command",
    [
        move(a_game(), "e2e4"),
        Resign(ALICE.pubkey),
        Abort(BOB.pubkey),
        Quit(BOB.pubkey),
        Unrecognized(BOB.pubkey),
    ],
)
def test_nothing_can_be_done_in_a_game_that_is_over(command: Command) -> None:
    game = after(a_game(), "f3 e5 g4 Qh4#")

    decision = decide(game, command, NOW_MS)

    assert decision.game is game
    assert reason(decision) is Reason.GAME_OVER


def test_what_cannot_be_read_is_an_error_and_never_a_strike() -> None:
    game = a_game()

    decision = decide(game, Unrecognized(ALICE.pubkey), NOW_MS)

    assert decision.game is game
    assert reason(decision) is Reason.MALFORMED


def test_the_third_illegal_move_loses() -> None:
    game = a_game()
    for strikes in (1, 2):
        decision = decided(game, "e2e5")
        assert reason(decision) is Reason.ILLEGAL_MOVE
        game = decision.game
        assert (game.white_strikes, game.black_strikes, game.outcome) == (strikes, 0, None)

    decision = decided(game, "e2e5")

    assert decision.game.outcome == Outcome(Termination.ILLEGAL_MOVES, BLACK)
    refusal, ended = decision.replies
    assert isinstance(refusal, Rejected)
    assert refusal.game == decision.game
    assert ended == GameEnded(decision.game)


def test_strikes_are_counted_for_each_player_apart() -> None:
    game = a_game()
    game = decided(game, "e2e5").game
    game = decided(game, "e2e4").game
    game = decided(game, "e7e4").game

    assert (game.white_strikes, game.black_strikes) == (1, 1)


def test_a_strike_leaves_the_time_of_the_state_alone() -> None:
    game = a_game()

    struck = decide(game, move(game, "e2e5", at_ms=NOW_MS + 5000), NOW_MS + 5000).game

    assert struck.changed_at_ms == game.changed_at_ms


def test_the_number_of_illegal_moves_that_lose_is_the_operators_choice() -> None:
    assert decided(a_game(), "e2e5", Rules(illegal_moves_to_lose=1)).game.outcome is not None

    never = decided(replace(a_game(), white_strikes=9), "e2e5", Rules(illegal_moves_to_lose=0))
    assert never.game.outcome is None
    assert reason(never) is Reason.ILLEGAL_MOVE


@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/8/8/8/Q7/K7 w - - 0 1",
        "7k/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/K7 w - - 0 1",
    ],
)
def test_illegal_moves_draw_when_the_opponent_could_never_mate(fen: str) -> None:
    """FIDE 7.5.5: drawn if the opponent cannot checkmate by any series of legal moves."""
    game = replace(a_game(fen), white_strikes=2)

    assert decided(game, "a2h1").game.outcome == Outcome(Termination.ILLEGAL_MOVES, None)


def a_move(
    uci: str,
    *,
    made_at_ms: int = NOW_MS,
    received_at_ms: int = NOW_MS,
    answers: AnsweredState = AnsweredState.UNSAID,
) -> PlayMove:
    return PlayMove(
        player=ALICE.pubkey,
        uci=uci,
        made_at_ms=made_at_ms,
        received_at_ms=received_at_ms,
        answers=answers,
    )


def test_a_move_that_answers_an_older_state_is_stale_and_not_illegal() -> None:
    game = a_game()

    decision = decide(game, a_move("e2e5", answers=AnsweredState.OLDER), NOW_MS)

    assert decision.game is game
    assert reason(decision) is Reason.STALE


def test_a_move_signed_long_before_the_state_is_stale_unless_it_names_the_state() -> None:
    long_before = NOW_MS - STALE_AFTER_MS - 1000

    assert reason(decide(a_game(), a_move("e2e4", made_at_ms=long_before), NOW_MS)) is Reason.STALE
    named = decide(
        a_game(), a_move("e2e4", made_at_ms=long_before, answers=AnsweredState.LATEST), NOW_MS
    )
    assert named.game.ply == 1


def test_a_clock_a_little_slow_still_moves() -> None:
    a_little = NOW_MS - STALE_AFTER_MS + 1000

    assert decide(a_game(), a_move("e2e4", made_at_ms=a_little), NOW_MS).game.ply == 1


def test_an_illegal_move_signed_before_the_state_is_refused_and_not_counted() -> None:
    """A late copy of a move that was played: its author could not know this position."""
    decision = decide(a_game(), a_move("e2e5", made_at_ms=NOW_MS - 2000), NOW_MS)

    assert reason(decision) is Reason.ILLEGAL_MOVE
    assert decision.game.white_strikes == 0


def test_an_illegal_move_that_names_the_state_counts_however_slow_the_clock() -> None:
    named = a_move("e2e5", made_at_ms=NOW_MS - 2000, answers=AnsweredState.LATEST)

    assert decide(a_game(), named, NOW_MS).game.white_strikes == 1


def test_an_illegal_move_of_the_same_second_as_the_state_counts() -> None:
    """A date on the wire is whole seconds: half a second before the state it looks no older."""
    game = replace(a_game(), changed_at_ms=NOW_MS + 500)

    assert decide(game, a_move("e2e5", made_at_ms=NOW_MS), NOW_MS + 900).game.white_strikes == 1


def test_a_date_ahead_of_its_receipt_stays_refused_when_its_hour_has_come() -> None:
    ahead = a_move("e2e4", made_at_ms=NOW_MS + 16 * MINUTE_MS)

    assert reason(decide(a_game(), ahead, NOW_MS + 20 * MINUTE_MS)) is Reason.BAD_TIME


@pytest.mark.parametrize(
    "command",
    [
        Unrecognized(BOB.pubkey),
        replace(a_move("e7e5"), player=BOB.pubkey),
        a_move("e2e4", answers=AnsweredState.OLDER),
        a_move("e2e5"),
    ],
)
def test_what_a_player_is_refused_names_the_game(command: Command) -> None:
    """What a stranger is refused does not."""
    *_, refusal = decide(a_game(), command, NOW_MS).replies

    assert isinstance(refusal, Rejected)
    assert refusal.game is not None
    assert refusal.is_strike is (refusal.reason is Reason.ILLEGAL_MOVE)


def test_a_move_dated_in_the_far_future_is_refused() -> None:
    decision = decide(a_game(), a_move("e2e4", made_at_ms=NOW_MS + 16 * MINUTE_MS), NOW_MS)

    assert reason(decision) is Reason.BAD_TIME


def test_a_move_three_weeks_after_the_last_one_is_in_time() -> None:
    later = NOW_MS + 21 * 24 * 60 * MINUTE_MS

    assert (
        decide(a_game(), a_move("e2e4", made_at_ms=later, received_at_ms=later), later).game.ply
        == 1
    )


@pytest.mark.parametrize(
    "command", [move(a_game(), "e2e4"), Resign(BOB.pubkey), Abort(BOB.pubkey), Quit(ALICE.pubkey)]
)
def test_a_state_is_of_the_time_when_it_was_decided(command: Command) -> None:
    assert decide(a_game(), command, NOW_MS + 5000).game.changed_at_ms == NOW_MS + 5000


@pytest.mark.parametrize("command", [move(a_game(), "e2e4"), Resign(BOB.pubkey)])
def test_a_state_is_never_dated_before_the_one_it_follows(command: Command) -> None:
    """The worker that decided the state before may have a clock that is ahead."""
    behind = decide(a_game(), command, NOW_MS - 2500)

    assert behind.game.changed_at_ms == NOW_MS


def test_a_game_that_was_decided_on_still_shows_its_own_position() -> None:
    """The replayed board goes along with the newer game; the older one replays again."""
    game = after(a_game(), "e4")
    fen = game.board().fen()

    one, other = decided(game, "e7e5").game, decided(game, "c7c5").game

    assert game.board().fen() == fen
    assert [g.board().move_stack[-1].uci() for g in (one, other)] == ["e7e5", "c7c5"]
    assert replace(one, moves=game.moves).board().fen() == fen


def test_a_move_may_be_dated_as_far_ahead_as_clocks_are_wrong() -> None:
    game = a_game()
    dated = replace(move(game, "e2e4"), made_at_ms=NOW_MS + FUTURE_MS)
    later = replace(dated, made_at_ms=NOW_MS + FUTURE_MS + 1)

    assert decide(game, dated, NOW_MS).game.ply == 1
    assert reason(decide(game, later, NOW_MS)) is Reason.BAD_TIME


def test_whoever_comes_after_the_end_is_told_how_it_ended() -> None:
    over = decide(a_game(), Resign(BOB.pubkey), NOW_MS).game

    (refusal,) = decided(over, "e2e4").replies

    assert isinstance(refusal, Rejected)
    assert refusal.text == "the game is over: 1-0, resignation"
