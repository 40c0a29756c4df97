"""Offers, claims, flags and rematches, and states that are told apart by their version."""

from typing import Any

import chess
import pytest

from clients.terminal.clocks import FLAG_AFTER_MS
from clients.terminal.effects import Send, Subscribe
from clients.terminal.messages import sentence
from clients.terminal.notices import (
    Ended,
    Moved,
    MoveSent,
    OfferGone,
    OfferMade,
    Refused,
    Remark,
    Source,
    Started,
    TakenBack,
)
from clients.terminal.session import FLAG_SECONDS, MOVE_SECONDS, CaughtUp, FromArbiter, Phase
from clients.terminal.wire import ErrorAnswer, GameRecord, Offer, Paired
from tests.clients.terminal.scene import (
    GAME,
    RELAY,
    START,
    Scene,
    full,
    playing,
    playing_full,
)

NEXT = "f" * 32
DRAW_BY_BOB = Offer("draw", chess.BLACK)
START_MS = int(START) * 1000


def only(scene: Scene) -> Refused:
    (refused,) = scene.effects
    assert isinstance(refused, Refused)
    return refused


def an_ended_game() -> Scene:
    scene = playing_full("e4 e5")
    scene.hear(full("e4 e5", version=3, result="1-0", termination="resignation"))
    return scene


@pytest.mark.parametrize("word", ["draw", "claim", "takeback", "flag"])
def test_a_word_goes_out_once_and_names_the_state(word: str) -> None:
    scene = playing_full("e4 e5")
    scene.enter(word)
    assert scene.sent() == [(20303, word)]
    assert ("e", scene.game.state_id) in scene.sends()[0].template.tags
    assert scene.effects[1] == MoveSent(word, word, scene.sends()[0].event_id, again=False)
    assert scene.wait(MOVE_SECONDS) == ()


@pytest.mark.parametrize("word", ["draw", "claim", "takeback", "flag"])
def test_an_arbiter_of_version_2_is_not_bothered_with_words_it_does_not_know(word: str) -> None:
    scene = playing("e4 e5")
    scene.enter(word)
    assert only(scene).code == "not-known-here"


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("rematch", "not-now"),
        ("abort", "too-late"),
        ("decline", "no-offer"),
        ("accept", "no-offer"),
    ],
)
def test_a_word_that_can_only_be_refused_stays_here(word: str, code: str) -> None:
    scene = playing_full("e4 e5")
    scene.enter(word)
    assert only(scene).code == code


def test_there_are_no_takebacks_in_a_rated_game() -> None:
    scene = playing_full("e4 e5", rated=True)
    scene.enter("takeback")
    assert only(scene).code == "not-offered-here"


def test_without_a_relay_a_word_is_not_kept() -> None:
    scene = playing_full("e4 e5")
    scene.lose_the_relay()
    scene.enter("draw")
    assert only(scene).code == "no-relay"


def test_abort_cannot_become_a_resignation_where_the_arbiter_knows_the_word() -> None:
    scene = playing_full()
    scene.enter("abort")
    assert scene.sent() == [(20303, "abort")]
    old = playing()
    old.enter("abort")
    assert old.sent() == [(20303, "quit")]


@pytest.mark.parametrize(
    "days",
    [{"time": "14d", "clock_ms": (1_209_600_000, 1_209_600_000)}, {}],
    ids=["by days", "unlimited"],
)
def test_the_arbiter_judges_whether_an_opponent_was_silent_for_long(days: dict[str, Any]) -> None:
    waiting = playing_full("e4 e5 Nf3", **days)
    waiting.enter("abort")
    thinking = playing_full("e4 e5", **days)
    thinking.enter("abort")

    assert waiting.sent() == [(20303, "abort")]
    assert only(thinking).code == "too-late"


def test_notice_is_given_once_and_never_sent_again_by_itself() -> None:
    days: dict[str, Any] = {"time": "14d", "clock_ms": (1_209_600_000, 1_209_600_000)}
    scene = playing_full("e4 e5 Nf3", **days)
    scene.enter("abort")
    scene.hear(full("e4 e5 Nf3", version=4, offer=Offer("abort", chess.WHITE), **days))
    scene.wait(MOVE_SECONDS * 3)
    assert scene.sent() == []
    scene.enter("abort")
    assert scene.sent() == [(20303, "abort")]


@pytest.mark.parametrize(("answer", "word"), [("accept", "abort"), ("decline", "abort-decline")])
def test_notice_is_answered_by_the_player_who_thinks(answer: str, word: str) -> None:
    days: dict[str, Any] = {"time": "14d", "clock_ms": (1_209_600_000, 1_209_600_000)}
    scene = playing_full("e4 e5", **days)
    (made,) = scene.hear(full("e4 e5", version=3, offer=Offer("abort", chess.BLACK), **days))
    assert isinstance(made, OfferMade)
    scene.enter(answer)
    assert scene.sent() == [(20303, word)]


def test_an_offer_is_told_with_whose_it_is_and_answered() -> None:
    scene = playing_full("e4 e5")
    (made,) = scene.hear(full("e4 e5", version=3, offer=DRAW_BY_BOB))
    assert isinstance(made, OfferMade)
    assert made.game.offered == "draw"
    scene.enter("decline")
    assert scene.sent() == [(20303, "draw-decline")]
    scene.enter("accept")
    assert scene.sent() == [(20303, "draw")]
    (gone,) = scene.hear(full("e4 e5", version=4))
    assert gone == OfferGone(scene.game, DRAW_BY_BOB)


def test_our_own_offer_is_not_ours_to_accept_and_not_made_twice() -> None:
    scene = playing_full("e4 e5")
    (made,) = scene.hear(full("e4 e5", version=3, offer=Offer("draw", chess.WHITE)))
    assert isinstance(made, OfferMade)
    scene.enter("accept")
    assert only(scene).code == "no-offer"
    scene.enter("draw")
    assert only(scene).code == "rate-limited"


def test_an_offer_that_a_move_answers_is_gone() -> None:
    scene = playing_full("e4 e5", offer=DRAW_BY_BOB)
    moved, gone = scene.hear(full("e4 e5 Nf3"))
    assert isinstance(moved, Moved)
    assert isinstance(gone, OfferGone)


def test_an_accepted_offer_is_told_by_the_end_alone() -> None:
    scene = playing_full("e4 e5", offer=DRAW_BY_BOB)
    (ended,) = scene.hear(full("e4 e5", version=3, result="1/2-1/2", termination="agreement"))
    assert isinstance(ended, Ended)


def test_a_move_on_its_way_is_not_sent_again_because_an_offer_came() -> None:
    scene = playing_full("e4 e5")
    scene.enter("Nf3")
    assert [type(told) for told in scene.hear(full("e4 e5", version=3, offer=DRAW_BY_BOB))] == [
        OfferMade
    ]
    assert scene.session.pending is not None


def test_a_move_is_taken_back_although_there_are_fewer_plies() -> None:
    scene = playing_full("e4 e5 Nf3")
    (taken,) = scene.hear(full("e4 e5", version=5))
    assert isinstance(taken, TakenBack)
    assert scene.line.ply == 2
    assert scene.game.my_turn


def test_an_older_version_is_stale_although_it_has_more_plies() -> None:
    scene = playing_full("e4 e5 Nf3")
    scene.hear(full("e4 e5", version=5))
    assert scene.hear(full("e4 e5 Nf3", version=3)) == ()
    assert scene.hear(full("e4 e5 Nf3", version=4, offer=DRAW_BY_BOB)) == ()
    assert scene.line.ply == 2


def test_a_state_without_a_version_does_not_lead_a_numbered_game_on() -> None:
    scene = playing_full("e4")
    assert scene.hear(full("e4 e5", version=None)) == ()


def test_a_move_that_a_takeback_overtakes_is_dropped() -> None:
    scene = playing_full("e4 e5")
    scene.enter("Nf3")
    scene.hear(full("e4", version=4))
    assert scene.session.pending is None


def test_our_refused_word_is_told_and_the_opponent_s_is_not() -> None:
    scene = playing_full("e4 e5")
    scene.enter("claim")
    about = scene.sends()[0].event_id
    told = scene.hear(ErrorAnswer(about, GAME, "no-claim: not yet"))
    assert told == (Refused(Source.ARBITER, "no-claim", "not yet", mine=True),)
    assert scene.hear(ErrorAnswer("b" * 64, GAME, "no-claim: not yet")) == ()


def a_running_clock(alice: chess.Color) -> Scene:
    """White to move, with a second left."""
    return playing_full(
        "e4 e5",
        alice=alice,
        time="60+0",
        clock_ms=(1000, 60_000),
        deadline_ms=START_MS + 2000,
    )


def test_the_flag_is_called_when_the_opponent_s_time_has_been_up_for_three_seconds() -> None:
    scene = a_running_clock(chess.BLACK)
    assert scene.wait(2 + FLAG_AFTER_MS / 1000 - 0.1) == ()
    scene.wait(0.1)
    assert scene.sent() == [(20303, "flag")]
    assert [type(effect) for effect in scene.effects] == [Send]
    flag = scene.sends()[0].event_id
    assert scene.hear(ErrorAnswer(flag, GAME, "time-left: nobody")) == ()
    assert scene.wait(FLAG_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20303, "flag")]


def test_nobody_calls_his_own_flag() -> None:
    assert a_running_clock(chess.WHITE).wait(30) == ()


def test_a_known_game_is_asked_after_by_its_id_and_never_by_asking_for_another() -> None:
    scene = playing_full("e4")
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sent() == [(20303, "state")]
    assert scene.hear(Paired(GAME, int(START) + 1)) == ()
    (moved,) = scene.hear(full("e4 e5"))
    assert isinstance(moved, Moved)
    assert scene.session.request is None


def test_an_unanswered_move_is_looked_after_with_the_word_state() -> None:
    scene = playing_full()
    scene.enter("e4")
    assert scene.wait(MOVE_SECONDS) == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20303, "state")]
    scene.hear(full())
    assert scene.sent() == [(20303, "e2e4")]


def test_a_game_that_the_arbiter_forgot_is_over_and_no_other_asked_for() -> None:
    scene = playing_full("e4 e5")
    scene.lose_the_relay()
    scene.find_the_relay()
    asked = scene.sends()[0].event_id
    told = scene.hear(ErrorAnswer(asked, None, "unknown-game: none"))
    assert [type(effect) for effect in told] == [Refused, Ended]
    assert scene.wait(3600) == ()


def test_an_aborted_game_found_on_coming_back_does_not_queue_the_player() -> None:
    scene = playing_full("e4")
    scene.lose_the_relay()
    scene.find_the_relay()
    scene.hear(full("e4", version=2, result="*", termination="aborted"))
    assert scene.session.phase is Phase.OVER
    assert scene.wait(3600) == ()


def test_a_rematch_is_offered_and_followed_as_soon_as_it_begins() -> None:
    scene = an_ended_game()
    scene.enter("rematch")
    assert scene.sent() == [(20303, "rematch")]
    (made,) = scene.hear(
        full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.WHITE))
    )
    assert isinstance(made, OfferMade)
    assert scene.hear(Paired(NEXT, int(START) + 1)) == ()
    told = scene.hear(full(alice=chess.BLACK, game_id=NEXT, version=1))
    assert [type(effect) for effect in told] == [Started, Moved]
    assert scene.game.color == chess.BLACK


def test_the_opponent_s_rematch_is_accepted_or_declined() -> None:
    scene = an_ended_game()
    scene.hear(full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.BLACK)))
    scene.enter("decline")
    assert scene.sent() == [(20303, "rematch-decline")]
    scene.enter("accept")
    assert scene.sent() == [(20303, "rematch")]
    (gone,) = scene.hear(full("e4 e5", version=5, result="1-0"))
    assert isinstance(gone, OfferGone)


def test_a_rematch_whose_start_was_missed_is_found_in_the_old_game() -> None:
    scene = an_ended_game()
    scene.hear(full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.WHITE)))
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sent() == [(20303, "state")]
    scene.hear(full("e4 e5", version=5, result="1-0", rematch=NEXT))
    (ask,) = scene.sends()
    assert ask.template.content == "state"
    assert ("d", NEXT) in ask.template.tags
    told = scene.hear(full(alice=chess.BLACK, game_id=NEXT, version=1))
    assert [type(effect) for effect in told] == [Started, Moved]


def test_a_finished_game_named_again_starts_nothing() -> None:
    scene = an_ended_game()
    assert scene.hear(Paired(GAME, int(START) + 1)) == ()
    assert scene.session.phase is Phase.OVER


def test_a_stored_start_after_the_end_starts_nothing() -> None:
    scene = an_ended_game()
    assert scene.give(FromArbiter(Paired(NEXT, int(START)), stored=True)) == ()
    assert scene.session.phase is Phase.OVER


def test_a_record_ends_the_game_and_takes_its_offers_along() -> None:
    scene = playing_full("e4 e5", offer=DRAW_BY_BOB)
    scene.hear(GameRecord(GAME, "1. e4 e5 1-0", "1-0", "timeout"))
    assert scene.game.offer is None


def test_after_the_end_only_a_rematch_can_be_spoken_of() -> None:
    scene = an_ended_game()
    scene.enter("draw")
    assert only(scene).code == "game-over"
    assert not any(isinstance(effect, Remark) for effect in scene.effects)


DRAW = Offer("draw", chess.WHITE)


def test_a_draw_that_is_declined_in_words_is_told() -> None:
    scene = playing_full("e4 e5 Nf3", offer=DRAW, version=4)
    (gone,) = scene.hear(full("e4 e5 Nf3", version=5))
    assert gone == OfferGone(scene.game, DRAW)


def test_a_draw_that_is_declined_by_a_move_is_told() -> None:
    scene = playing_full("e4 e5 Nf3", offer=DRAW, version=4)
    moved, gone = scene.hear(full("e4 e5 Nf3 Nc6", version=5))
    assert isinstance(moved, Moved)
    assert gone == OfferGone(scene.game, DRAW)
    assert isinstance(gone, OfferGone)
    assert sentence(gone) == "Your opponent declines the draw"


def test_an_offer_that_ends_with_the_move_of_its_author_was_not_declined() -> None:
    takeback = Offer("takeback", chess.WHITE)
    scene = playing_full("e4 e5", offer=takeback, version=3)
    _, gone = scene.hear(full("e4 e5 Nf3", version=4))
    assert isinstance(gone, OfferGone)
    assert "decline" not in sentence(gone)
