"""What was lost on the way is found again, and no move is sent twice blindly."""

import pytest

from clients.terminal.effects import Send, Subscribe
from clients.terminal.notices import (
    Ended,
    Kept,
    Moved,
    NoAnswer,
    Queued,
    RecordCame,
    RelayFound,
    RelayLost,
    Remark,
    Started,
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
from clients.terminal.wire import ArbiterMessage, ErrorAnswer, GameRecord, Paired, Waiting
from tests.clients.terminal.scene import GAME, RELAY, START, Scene, playing, state

REQUEST = (20300, "")
RECORD = GameRecord(GAME, "1. e4 e5 1-0", "1-0", "resignation")


def reconnected(moves: str = "e4 e5") -> Scene:
    """The relay was lost and came back; the state was asked for."""
    scene = playing(moves)
    assert scene.lose_the_relay() == (RelayLost(RELAY, "gone", 0),)
    assert scene.find_the_relay()[0] == RelayFound(RELAY, 1, back=True)
    assert scene.sent() == [REQUEST]
    return scene


def an_unanswered_move() -> Scene:
    """Alice played e4 and received nothing; the state was asked for."""
    scene = playing()
    scene.enter("e4")
    assert scene.wait(MOVE_SECONDS - 1) == ()
    assert scene.wait(1) == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [REQUEST]
    return scene


def test_a_state_that_does_not_answer_our_question_does_not_send_a_move_again() -> None:
    scene = playing()
    scene.wait(QUIET_SECONDS)
    scene.give(CaughtUp(RELAY))
    scene.now += 1
    scene.enter("e4")
    assert scene.hear(state(salt="asked for before the move")) == ()
    scene = an_unanswered_move()
    assert scene.give(FromArbiter(state(salt="a"), stored=True)) == ()
    assert scene.session.request is not None


def test_the_late_refusal_of_our_own_first_copy_is_not_shown() -> None:
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
    assert [effect.code for effect in scene.effects] == ["no-answer"]  # type: ignore[union-attr]
    assert scene.session.pending is None


@pytest.mark.parametrize(("moves", "sent"), [("", [(20303, "e2e4")]), ("d4 d5", [])])
def test_a_move_entered_without_a_relay_goes_out_if_the_game_has_not_gone_on(
    moves: str, sent: list[tuple[int, str]]
) -> None:
    scene = playing()
    scene.lose_the_relay()
    assert scene.enter("e4") == (Kept("e4"),)
    scene.find_the_relay()
    assert scene.sent() == [REQUEST]
    scene.hear(state(moves))
    assert scene.sent() == sent
    assert bool(scene.session.pending) is bool(sent)


def test_a_game_that_ended_meanwhile_is_known_from_its_record_and_none_is_asked_for() -> None:
    scene = playing("e4 e5")
    scene.lose_the_relay()
    scene.give(LinkUp(RELAY))
    assert [type(effect) for effect in scene.hear(RECORD)] == [Ended, RecordCame]
    assert scene.give(CaughtUp(RELAY)) == ()
    scene.lose_the_relay()
    assert scene.find_the_relay() == (RelayFound(RELAY, 1, back=True),)
    scene.lose_the_relay()
    scene.give(LinkUp(RELAY))
    assert scene.wait(3600) == ()


def stored(*messages: ArbiterMessage) -> Scene:
    """Alice comes back: the relay had these stored, newest first, and the arbiter was asked."""
    scene = Scene()
    scene.give(LinkUp(RELAY))
    for each in messages:
        assert scene.give(FromArbiter(each, stored=True)) == ()
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [REQUEST]
    return scene


AN_OLD_GAME = (state("e4 e5"), state("e4"), state(), Paired(GAME, int(START)))


def test_the_newest_of_the_stored_states_counts_once_the_arbiter_confirms_the_game() -> None:
    scene = stored(*AN_OLD_GAME)
    scene.hear(Paired(GAME, int(START) + 60))
    assert scene.line.ply == 2
    scene = stored(*AN_OLD_GAME)
    scene.hear(Waiting())
    assert scene.session.phase is Phase.QUEUED
    assert scene.wait(RECALL_SECONDS) == ()


def test_an_answer_that_the_relay_dropped_as_a_copy_is_replaced_by_what_was_stored() -> None:
    scene = stored(*AN_OLD_GAME)
    assert scene.wait(RECALL_SECONDS - 1) == ()
    assert [type(effect) for effect in scene.wait(1)] == [Started, Moved]
    assert scene.line.ply == 2
    scene = an_unanswered_move()
    assert scene.hear(Paired(GAME, int(START))) == ()
    assert scene.wait(RECALL_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20303, "e2e4")]


@pytest.mark.parametrize(
    "messages",
    [
        (state("e4 e5", result="1-0"), *AN_OLD_GAME[1:]),
        (RECORD, *AN_OLD_GAME),
        AN_OLD_GAME[:-1],
        AN_OLD_GAME[-1:],
        (Paired("f" * 32, int(START) + 1), *AN_OLD_GAME),
    ],
    ids=["ended", "recorded", "not started", "no state", "another started"],
)
def test_a_stored_game_that_may_be_over_is_not_resumed(
    messages: tuple[ArbiterMessage, ...],
) -> None:
    scene = stored(*messages)
    assert scene.wait(RECALL_SECONDS) == ()
    assert scene.session.phase is Phase.ASKING


def test_a_finished_game_is_not_resumed_when_another_is_asked_for() -> None:
    scene = playing("e4")
    scene.hear(state("e4", result="*", termination="aborted"))
    scene.enter("new")
    scene.give(FromArbiter(state("e4", bare=True), stored=True))
    scene.give(FromArbiter(Paired(GAME, int(START)), stored=True))
    scene.give(CaughtUp(RELAY))
    assert scene.wait(RECALL_SECONDS) == ()


def test_the_first_missing_answer_in_a_game_is_not_shown() -> None:
    scene = reconnected()
    scene.wait(ANSWER_SECONDS)
    assert scene.kinds() == [Send]
    scene.wait(2 * ANSWER_SECONDS)
    assert scene.kinds() == [NoAnswer, Send]


def test_a_game_that_the_arbiter_no_longer_has_is_over() -> None:
    scene = reconnected()
    assert [type(effect) for effect in scene.hear(Waiting())] == [Remark, Ended, Queued]
    assert scene.session.phase is Phase.QUEUED
    scene = reconnected()
    news = scene.hear(Paired("f" * 32, int(START)))
    assert [type(effect) for effect in news] == [Remark, Ended]
    news = scene.hear(state(game_id="f" * 32))
    assert [type(effect) for effect in news] == [Started, Moved]


def test_a_state_that_cannot_be_read_changes_nothing() -> None:
    scene = playing("e4")
    before = scene.session
    for fen in ("", "\x1b[2J", "8/8/8/8/8/8/8/8 w - - 0 1", "not a fen at all", "9" * 10_000):
        assert scene.hear(state("e4 e5", fen=fen)) == ()
    assert scene.session == before
