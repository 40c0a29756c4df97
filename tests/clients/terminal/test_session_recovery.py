"""What was lost on the way is found again, and nothing is sent twice blindly."""

import pytest

from clients.terminal.effects import (
    Ended,
    Kept,
    Moved,
    MoveSent,
    NoAnswer,
    Queued,
    RecordCame,
    Refused,
    RelayFound,
    RelayLost,
    Remark,
    Send,
    Started,
    Subscribe,
)
from clients.terminal.session import (
    ANSWER_SECONDS,
    MOVE_SECONDS,
    MOVE_TRIES,
    QUIET_SECONDS,
    RECALL_SECONDS,
    CaughtUp,
    FromArbiter,
    LinkUp,
    Phase,
)
from clients.terminal.wire import ErrorAnswer, GameRecord, Heard, Paired, Waiting
from tests.clients.terminal.scene import GAME, RELAY, START, Scene, playing, state


def an_unanswered_move() -> Scene:
    """Alice played e4, and nothing was heard of it; the state was asked for."""
    scene = playing()
    scene.enter("e4")
    scene.wait(MOVE_SECONDS)
    scene.give(CaughtUp(RELAY))
    return scene


def test_the_loss_of_the_last_relay_and_its_return_are_told() -> None:
    scene = playing("e4")
    assert scene.lose_the_relay() == (RelayLost(RELAY, "gone", 0),)
    assert scene.find_the_relay()[0] == RelayFound(RELAY, 1, back=True)


def test_a_relay_that_comes_back_is_asked_where_the_game_stands() -> None:
    scene = playing("e4")
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sent() == [(20300, "")]
    assert scene.hear(Paired(GAME, int(START))) == ()
    (moved,) = scene.hear(state("e4 e5"))
    assert isinstance(moved, Moved)
    assert scene.session.request is None


def test_an_unanswered_move_is_looked_after_before_it_is_sent_again() -> None:
    scene = playing()
    scene.enter("e4")
    assert scene.wait(MOVE_SECONDS - 1) == ()
    assert scene.wait(1) == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]


def test_a_move_that_was_played_after_all_is_not_sent_again() -> None:
    scene = an_unanswered_move()
    assert [type(effect) for effect in scene.hear(state("e4"))] == [Moved]
    assert scene.session.pending is None


def test_a_move_that_was_not_played_is_sent_again_and_names_the_state_that_shows_it() -> None:
    scene = an_unanswered_move()
    scene.hear(state(salt="a"))
    (send,) = scene.sends()
    assert send.template.content == "e2e4"
    assert ("e", state(salt="a").event_id) in send.template.tags
    assert isinstance(scene.effects[1], MoveSent)
    assert scene.effects[1].again


def test_a_state_asked_for_before_the_move_does_not_send_it_twice() -> None:
    scene = playing()
    scene.wait(QUIET_SECONDS)
    scene.give(CaughtUp(RELAY))
    scene.now += 1
    scene.enter("e4")
    assert scene.hear(state(salt="a")) == ()


def test_the_late_refusal_of_our_own_first_copy_is_nobody_s_news() -> None:
    scene = playing()
    scene.enter("e4")
    first = scene.sends()[0].event_id
    scene.now += 1
    scene.wait(MOVE_SECONDS)
    scene.give(CaughtUp(RELAY))
    scene.hear(state(salt="a"))
    scene.hear(state("e4"))
    assert scene.hear(ErrorAnswer(first, GAME, "stale: late")) == ()


def test_a_move_that_is_never_answered_is_given_back_to_the_player() -> None:
    scene = playing()
    scene.enter("e4")
    for _ in range(MOVE_TRIES):
        scene.wait(MOVE_SECONDS)
        scene.give(CaughtUp(RELAY))
        scene.hear(state(salt="a"))
    (refused,) = scene.effects
    assert isinstance(refused, Refused)
    assert refused.code == "no-answer"
    assert scene.session.pending is None


def test_a_move_entered_without_a_relay_goes_out_when_the_game_still_stands_there() -> None:
    scene = playing()
    scene.lose_the_relay()
    assert scene.enter("e4") == (Kept("e4"),)
    scene.find_the_relay()
    assert scene.sent() == [(20300, "")]
    scene.hear(state())
    assert scene.sent() == [(20303, "e2e4")]


def test_a_move_entered_without_a_relay_is_dropped_when_the_game_went_on() -> None:
    scene = playing()
    scene.lose_the_relay()
    scene.enter("e4")
    scene.find_the_relay()
    scene.hear(state("d4 d5"))
    assert scene.sends() == []
    assert scene.session.pending is None


def test_a_quiet_game_is_looked_after_ever_more_rarely() -> None:
    scene = playing("e4")
    assert scene.wait(QUIET_SECONDS) == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    scene.hear(Paired(GAME, int(START)))
    assert scene.hear(state("e4", salt="a")) == ()
    assert scene.wait(QUIET_SECONDS) == (Subscribe(),)


def test_a_game_that_ended_meanwhile_is_learnt_from_its_record_and_none_is_asked_for() -> None:
    scene = playing("e4 e5")
    scene.lose_the_relay()
    scene.give(LinkUp(RELAY))
    told = scene.hear(GameRecord(GAME, "1. e4 e5 1-0", "1-0", "resignation"))
    assert [type(effect) for effect in told] == [Ended, RecordCame]
    assert scene.give(CaughtUp(RELAY)) == ()
    assert scene.wait(3600) == ()


def test_a_relay_that_comes_back_after_the_game_is_asked_for_nothing() -> None:
    scene = playing("e4 e5")
    scene.hear(state("e4 e5", result="1-0", termination="resignation"))
    scene.lose_the_relay()
    assert scene.find_the_relay() == (RelayFound(RELAY, 1, back=True),)
    scene.lose_the_relay()
    scene.give(LinkUp(RELAY))
    assert scene.wait(3600) == ()


def stored(*heard: Heard) -> Scene:
    """Alice comes back: the relay had these stored, newest first, and the arbiter was asked."""
    scene = Scene()
    scene.give(LinkUp(RELAY))
    for each in heard:
        assert scene.give(FromArbiter(each, stored=True)) == ()
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]
    return scene


AN_OLD_GAME = (state("e4 e5"), state("e4"), state(), Paired(GAME, int(START)))


def test_the_newest_of_the_stored_states_is_the_one_that_counts() -> None:
    scene = stored(*AN_OLD_GAME)
    scene.hear(Paired(GAME, int(START) + 60))
    assert scene.line.ply == 2


def test_a_stored_start_begins_no_game_that_the_arbiter_does_not_confirm() -> None:
    scene = stored(*AN_OLD_GAME)
    scene.hear(Waiting())
    assert scene.session.phase is Phase.QUEUED
    assert scene.wait(RECALL_SECONDS) == ()


def test_an_answer_that_the_relay_dropped_for_a_repetition_is_made_do_without() -> None:
    scene = stored(*AN_OLD_GAME)
    assert scene.wait(RECALL_SECONDS - 1) == ()
    assert [type(effect) for effect in scene.wait(1)] == [Started, Moved]
    assert scene.line.ply == 2


@pytest.mark.parametrize(
    "heard",
    [
        (state("e4 e5", result="1-0"), *AN_OLD_GAME[1:]),
        (GameRecord(GAME, "1. e4 e5 1-0", "1-0", None), *AN_OLD_GAME),
        AN_OLD_GAME[:-1],
        AN_OLD_GAME[-1:],
        (Paired("f" * 32, int(START) + 1), *AN_OLD_GAME),
    ],
)
def test_a_stored_game_that_may_be_over_is_not_resumed(heard: tuple[Heard, ...]) -> None:
    scene = stored(*heard)
    assert scene.wait(RECALL_SECONDS) == ()
    assert scene.session.phase is Phase.ASKING


def test_a_finished_game_is_not_recalled_when_another_is_asked_for() -> None:
    scene = playing("e4")
    scene.hear(state("e4", result="*", termination="aborted"))
    scene.enter("new")
    scene.give(FromArbiter(state("e4", bare=True), stored=True))
    scene.give(FromArbiter(Paired(GAME, int(START)), stored=True))
    scene.give(CaughtUp(RELAY))
    assert scene.wait(RECALL_SECONDS) == ()


def test_our_game_named_without_a_state_stands_where_we_know_it() -> None:
    scene = an_unanswered_move()
    assert scene.hear(Paired(GAME, int(START))) == ()
    assert scene.wait(RECALL_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20303, "e2e4")]


def test_a_stored_state_is_no_proof_that_a_move_was_not_played() -> None:
    scene = an_unanswered_move()
    assert scene.give(FromArbiter(state(salt="a"), stored=True)) == ()
    assert scene.session.request is not None


def test_the_first_silence_in_a_game_is_not_told() -> None:
    scene = playing("e4")
    scene.lose_the_relay()
    scene.find_the_relay()
    scene.wait(ANSWER_SECONDS)
    assert [type(effect) for effect in scene.effects] == [Send]
    scene.wait(2 * ANSWER_SECONDS)
    assert [type(effect) for effect in scene.effects] == [NoAnswer, Send]


def test_a_game_the_arbiter_knows_no_more_is_over() -> None:
    scene = playing("e4 e5")
    scene.lose_the_relay()
    scene.find_the_relay()
    assert [type(effect) for effect in scene.hear(Waiting())] == [Remark, Ended, Queued]
    assert scene.session.phase is Phase.QUEUED


def test_a_new_game_in_place_of_ours_is_begun_and_the_old_one_over() -> None:
    scene = playing("e4 e5")
    scene.lose_the_relay()
    scene.find_the_relay()
    told = scene.hear(Paired("f" * 32, int(START)))
    assert [type(effect) for effect in told] == [Remark, Ended]
    told = scene.hear(state(game_id="f" * 32))
    assert [type(effect) for effect in told] == [Started, Moved]


def test_a_state_that_cannot_be_read_changes_nothing() -> None:
    scene = playing("e4")
    before = scene.session
    for fen in ("", "\x1b[2J", "8/8/8/8/8/8/8/8 w - - 0 1", "not a fen at all", "9" * 10_000):
        assert scene.hear(state("e4 e5", fen=fen)) == ()
    assert scene.session == before
