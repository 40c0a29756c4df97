"""Offers, claims, flags and rematches, and states that are told apart by their version."""

from typing import Any

import chess
import pytest

from clients.terminal.clocks import FLAG_AFTER_MS
from clients.terminal.effects import Effect, Send, Subscribe
from clients.terminal.notices import (
    Ended,
    Moved,
    OfferGone,
    OfferMade,
    Refused,
    Source,
    Started,
)
from clients.terminal.session import FLAG_SECONDS, MOVE_SECONDS, CaughtUp, FromArbiter, Phase
from clients.terminal.wire import ErrorAnswer, Offer, Paired
from tests.clients.terminal.scene import (
    GAME,
    RELAY,
    START,
    Scene,
    ended,
    full,
    playing,
    playing_full,
)

NEXT = "f" * 32
WHITE_DRAW, BLACK_DRAW = Offer("draw", chess.WHITE), Offer("draw", chess.BLACK)
START_MS = int(START) * 1000
DAYS: dict[str, Any] = {"time": "14d", "clock_ms": (1_209_600_000, 1_209_600_000)}
WORDS = ["draw", "claim", "takeback", "flag"]


def kinds(effects: tuple[Effect, ...]) -> list[type[Effect]]:
    return [type(effect) for effect in effects]


def sent_by(scene: Scene, text: str) -> str:
    """The one word that this input sends."""
    scene.enter(text)
    ((kind, word),) = scene.sent()
    assert kind == 20303
    return word


def without_relay() -> Scene:
    scene = playing_full("e4 e5")
    scene.lose_the_relay()
    return scene


@pytest.mark.parametrize(
    ("scene", "word", "code"),
    [
        *((playing("e4 e5"), word, "not-known-here") for word in WORDS),
        (playing_full("e4 e5"), "rematch", "not-now"),
        (playing_full("e4 e5"), "abort", "too-late"),
        (playing_full("e4 e5"), "decline", "no-offer"),
        (playing_full("e4 e5"), "accept", "no-offer"),
        (playing_full("e4 e5", rated=True), "takeback", "not-offered-here"),
        (playing_full("e4 e5", offer=WHITE_DRAW), "accept", "no-offer"),
        (playing_full("e4 e5", offer=WHITE_DRAW), "draw", "rate-limited"),
        (playing_full("e4 e5", **DAYS), "abort", "too-late"),
        (without_relay(), "draw", "no-relay"),
        (ended(), "draw", "game-over"),
        (Scene(), "draw", "no-game"),
    ],
)
def test_a_word_that_can_only_be_refused_is_not_sent(scene: Scene, word: str, code: str) -> None:
    assert scene.refusal(word) == code


def test_abort_cannot_become_a_resignation_where_the_arbiter_knows_the_word() -> None:
    assert sent_by(playing_full(), "abort") == "abort"
    assert sent_by(playing(), "abort") == "quit"


@pytest.mark.parametrize("days", [DAYS, {}], ids=["by days", "unlimited"])
def test_a_slow_game_is_called_off_by_two_words_that_are_not_repeated(days: dict[str, Any]) -> None:
    scene = playing_full("e4 e5 Nf3", **days)
    assert sent_by(scene, "abort") == "abort"
    scene.hear(full("e4 e5 Nf3", version=4, offer=Offer("abort", chess.WHITE), **days))
    scene.wait(MOVE_SECONDS * 3)
    assert scene.sends() == []
    assert sent_by(scene, "abort") == "abort"


@pytest.mark.parametrize("kind", ["draw", "takeback", "abort"])
def test_an_offer_is_shown_and_answered(kind: str) -> None:
    scene = playing_full("e4 e5")
    offer = Offer(kind, chess.BLACK)
    (made,) = scene.hear(full("e4 e5", version=3, offer=offer))
    assert isinstance(made, OfferMade)
    assert made.game.offered == kind
    assert sent_by(scene, "decline") == f"{kind}-decline"
    assert sent_by(scene, "accept") == kind
    assert scene.hear(full("e4 e5", version=4)) == (OfferGone(scene.game, offer),)


def test_a_move_on_its_way_is_not_sent_again_because_an_offer_came() -> None:
    scene = playing_full("e4 e5")
    scene.enter("Nf3")
    assert kinds(scene.hear(full("e4 e5", version=3, offer=BLACK_DRAW))) == [OfferMade]
    assert scene.session.pending is not None
    # A takeback overtakes it.
    scene.hear(full("e4", version=4))
    assert scene.session.pending is None


def test_our_refused_word_is_shown_and_the_opponent_s_is_not() -> None:
    scene = playing_full("e4 e5")
    scene.enter("claim")
    refused = scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "no-claim: not yet"))
    assert refused == (Refused(Source.ARBITER, "no-claim", "not yet", mine=True),)
    assert scene.hear(ErrorAnswer("b" * 64, GAME, "no-claim: not yet")) == ()


def a_running_clock(alice: chess.Color) -> Scene:
    """White to move, with a second left."""
    tags: dict[str, Any] = {"time": "60+0", "clock_ms": (1000, 60_000)}
    return playing_full("e4 e5", alice=alice, deadline_ms=START_MS + 2000, **tags)


def test_the_flag_is_claimed_when_the_opponent_s_time_has_been_up_for_three_seconds() -> None:
    scene = a_running_clock(chess.BLACK)
    assert scene.wait(2 + FLAG_AFTER_MS / 1000 - 0.1) == ()
    scene.wait(0.1)
    assert scene.sent() == [(20303, "flag")]
    assert scene.kinds() == [Send]
    assert scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "time-left: no")) == ()
    assert scene.wait(FLAG_SECONDS - 1) == ()
    scene.wait(1)
    assert scene.sent() == [(20303, "flag")]
    assert a_running_clock(chess.WHITE).wait(30) == ()


def reconnected(moves: str) -> Scene:
    scene = playing_full(moves)
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sent() == [(20303, "state")]
    return scene


def test_a_known_game_is_asked_about_by_its_id_and_never_by_asking_for_another() -> None:
    scene = reconnected("e4")
    assert scene.hear(Paired(GAME, int(START) + 1)) == ()
    assert kinds(scene.hear(full("e4 e5"))) == [Moved]
    assert scene.session.request is None
    scene = playing_full()
    scene.enter("e4")
    assert scene.wait(MOVE_SECONDS) == (Subscribe(),)
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20303, "state")]
    scene.hear(full())
    assert scene.sent() == [(20303, "e2e4")]


@pytest.mark.parametrize("code", ["unknown-game", "aborted", "rate-limited"])
def test_a_game_that_is_gone_is_over_and_no_other_asked_for(code: str) -> None:
    scene = reconnected("e4")
    if code == "aborted":
        scene.hear(full("e4", version=2, result="*", termination=code))
    else:
        scene.hear(ErrorAnswer(scene.sends()[0].event_id, None, f"{code}: none"))
        assert scene.kinds() == ([Refused, Ended] if code == "unknown-game" else [Refused])
    over = code != "rate-limited"
    assert (scene.session.phase is Phase.OVER) is over
    assert bool(scene.wait(3600)) is not over


def test_a_rematch_is_offered_and_followed_as_soon_as_it_begins() -> None:
    scene = ended()
    assert sent_by(scene, "rematch") == "rematch"
    offered = full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.WHITE))
    assert kinds(scene.hear(offered)) == [OfferMade]
    assert scene.hear(offered) == ()
    assert scene.hear(full("e4 e5", version=3, result="1-0")) == ()
    assert scene.hear(Paired(NEXT, int(START) + 1)) == ()
    begun = full(alice=chess.BLACK, game_id=NEXT, version=1)
    assert kinds(scene.hear(begun)) == [Started, Moved]
    assert scene.game.color == chess.BLACK


def test_the_opponent_s_rematch_is_accepted_or_declined() -> None:
    scene = ended()
    scene.hear(full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.BLACK)))
    assert sent_by(scene, "decline") == "rematch-decline"
    assert sent_by(scene, "accept") == "rematch"
    assert kinds(scene.hear(full("e4 e5", version=5, result="1-0"))) == [OfferGone]


def test_a_rematch_whose_start_was_missed_is_found_in_the_old_game() -> None:
    scene = ended()
    scene.hear(full("e4 e5", version=4, result="1-0", offer=Offer("rematch", chess.WHITE)))
    scene.lose_the_relay()
    scene.find_the_relay()
    assert scene.sent() == [(20303, "state")]
    scene.hear(full("e4 e5", version=5, result="1-0", rematch=NEXT))
    (ask,) = scene.sends()
    assert ask.template.content == "state"
    assert ("d", NEXT) in ask.template.tags
    begun = full(alice=chess.BLACK, game_id=NEXT, version=1)
    assert kinds(scene.hear(begun)) == [Started, Moved]


def test_an_old_start_after_the_end_starts_nothing() -> None:
    scene = ended()
    assert scene.hear(Paired(GAME, int(START) + 1)) == ()
    assert scene.give(FromArbiter(Paired(NEXT, int(START)), stored=True)) == ()
    assert scene.session.phase is Phase.OVER
