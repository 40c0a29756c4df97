"""A game: moves, words, errors and what goes wrong on the way."""

import pytest

from clients.bot.model import (
    Chat,
    EngineFailed,
    EngineMoved,
    Ready,
    RestartEngine,
    StopThinking,
    Think,
)
from tests.clients.bot.scene import ARBITER, GAME, ME, OTHER, Scene, state, tag

SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def playing(config: str = "") -> Scene:
    """A game in which we are White, to make the first move."""
    scene = Scene(config)
    scene.start()
    return scene


def thoughts(scene: Scene) -> list[Think]:
    return [effect for effect in scene.effects if isinstance(effect, Think)]


def test_a_move_names_the_state_that_it_answers() -> None:
    scene = playing()
    scene.think("e2e4")

    (move,) = scene.sent
    assert (move.kind, move.content) == (20303, "e2e4")
    assert tag(move, "e") == (state().event,)
    assert tag(move, "d") == (GAME,)
    assert [values[1] for values in move.tags if values[0] == "p"] == [ARBITER, ME, OTHER]


def test_a_later_state_that_comes_first_is_kept() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.sees(["e2e4", "e7e5"], version=3)
    assert len(thoughts(scene)) == 1

    assert scene.sees(["e2e4"], version=2) == ()
    assert scene.session.game is not None
    assert scene.session.game.state.ply == 2


def test_an_offer_while_the_engine_thinks_does_not_disturb_it() -> None:
    scene = playing()
    scene.sees([], ("offer", "takeback", "b"), version=2)

    assert scene.said == ["takeback-decline"]
    assert thoughts(scene) == []
    scene.think("e2e4")
    assert scene.said == ["e2e4"]


def test_what_the_engine_says_of_another_position_is_dropped() -> None:
    scene = playing()

    assert scene.give(EngineMoved(GAME, "another", "e2e4")) == ()
    assert scene.give(EngineMoved("f" * 32, state().position, "e2e4")) == ()
    assert scene.give(EngineFailed(GAME, "another", "late")) == ()


@pytest.mark.parametrize("move", ["e2e5", "", "0000", "resign", "e7e8q", "\ud800", "a" * 10_000])
def test_an_engine_that_answers_no_legal_move_is_started_anew(move: str) -> None:
    scene = playing()
    scene.think(move)

    assert RestartEngine() in scene.effects
    assert scene.sent == []
    assert [thought.by_fallback for thought in thoughts(scene)] == [False]
    scene.think(move)
    assert [thought.by_fallback for thought in thoughts(scene)] == [True]
    scene.think("e2e4")
    assert scene.said == ["e2e4"]


def test_an_engine_that_hangs_is_started_anew_before_the_time_is_up() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.sees(["e2e4", "e7e5"], clock=(4_000, 4_000))
    (thought,) = thoughts(scene)
    assert thought.limits.give_up_ms < 4_000
    assert thought.limits.white_ms is not None

    scene.later(thought.limits.give_up_ms / 1000)
    assert RestartEngine() in scene.effects
    assert len(thoughts(scene)) == 1


def test_a_move_without_an_answer_is_signed_anew_with_the_same_state() -> None:
    scene = playing()
    scene.think("e2e4")
    (first,) = scene.sent
    scene.later(9)
    assert "e2e4" not in scene.said
    scene.later(1)

    (second,) = (draft for draft in scene.sent if draft.content == "e2e4")
    assert second.id != first.id
    assert tag(second, "e") == tag(first, "e")


def test_the_way_is_measured_by_moves_that_were_sent_once() -> None:
    scene = playing()
    before = scene.session.timing.round_trips
    scene.think("e2e4")
    scene.now += 11_000
    scene.later(0)
    scene.sees(["e2e4"])
    assert scene.session.timing.round_trips == before

    scene.sees(["e2e4", "e7e5"])
    scene.think("g1f3")
    scene.now += 70
    scene.sees(["e2e4", "e7e5", "g1f3"])
    assert scene.session.timing.round_trips == (*before, 70)


def test_a_move_that_a_lost_relay_may_have_lost_is_sent_as_soon_as_it_is_back() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.now += 2_000
    scene.give(Ready())

    assert scene.said == ["e2e4", "state"]


def test_a_stale_move_is_decided_by_the_state_that_the_arbiter_has() -> None:
    scene = playing()
    scene.think("e2e4")
    (move,) = scene.sent
    scene.now += 2_000
    scene.error("stale: it answers an earlier state", move)
    assert scene.said == ["state"]

    scene.sees(["d2d4", "d7d5"], version=3)
    assert len(thoughts(scene)) == 1


def test_a_stale_move_whose_position_is_still_there_is_sent_again() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.now += 2_000
    scene.error("stale: signed long before", scene.sent[0])
    scene.give(state(at=scene.now))

    assert scene.said == ["e2e4"]


def test_a_strike_is_not_repeated() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.error("illegal-move: e2e4 is not legal here (1 of 3)", scene.sent[0])

    (thought,) = thoughts(scene)
    assert thought.excluded == {"e2e4"}


def test_the_opponents_errors_are_not_ours() -> None:
    scene = playing()
    theirs = scene.session.requests[-1][0]

    assert scene.error("illegal-move: d8h5 is not legal here (1 of 3)", theirs) == ()


def test_a_game_that_the_arbiter_does_not_know_is_asked_for() -> None:
    scene = playing()
    scene.now += 2_000
    scene.give(Ready())
    scene.error("unknown-game: no game has this d", scene.sent[0])

    assert [(draft.kind, draft.content) for draft in scene.sent] == [(20300, "state")]


def test_a_takeback_that_was_granted_makes_the_engine_think_again() -> None:
    scene = playing("max_takebacks_accepted = 1")
    scene.think("e2e4")
    scene.sees(["e2e4", "e7e5"])
    scene.sees(["e2e4", "e7e5"], ("offer", "takeback", "b"), version=4)
    assert scene.said == ["takeback"]
    scene.sees(["e2e4"], version=5)
    assert StopThinking() in scene.effects
    scene.sees(["e2e4", "c7c5"], version=6)
    assert len(thoughts(scene)) == 1
    scene.sees(["e2e4", "c7c5"], ("offer", "takeback", "b"), version=7)
    assert scene.said == ["takeback-decline"]


LEVEL = """
[engine.draw_or_resign]
offer_draw_score = 10
offer_draw_moves = 1
offer_draw_pieces = 32
"""


def test_a_draw_is_offered_on_the_state_that_shows_the_move() -> None:
    scene = playing(LEVEL)
    scene.think("e2e4", score=5)
    assert scene.said == ["e2e4"]
    scene.sees(["e2e4"])

    assert scene.said == ["draw"]
    assert tag(scene.sent[0], "e") == (state(["e2e4"], at=scene.now).event,)


def test_a_draw_is_offered_once_in_twenty_plies() -> None:
    scene = playing(LEVEL)
    scene.think("e2e4", score=5)
    scene.sees(["e2e4"])
    scene.sees(["e2e4", "e7e5"])
    scene.think("g1f3", score=5)
    scene.sees(["e2e4", "e7e5", "g1f3"])

    assert scene.said == []


@pytest.mark.parametrize(("score", "answer"), [(10, "draw"), (11, "draw-decline")])
def test_an_offered_draw_is_answered_by_the_score(score: int, answer: str) -> None:
    scene = playing(LEVEL)
    scene.think("e2e4", score=score)
    scene.sees(["e2e4"], ("offer", "draw", "b"), version=3)

    assert scene.said == [answer]


def test_a_lost_game_is_resigned_after_so_many_moves() -> None:
    scene = playing("[engine.draw_or_resign]\nresign_enabled = true\nresign_moves = 2")
    scene.think("e2e4", score=-1000)
    assert scene.said == ["e2e4"]
    scene.sees(["e2e4", "e7e5"])
    scene.think("g1f3", score=-2000)

    assert scene.said == ["resign"]
    assert "g1f3" not in [draft.content for draft in scene.sent]
    scene.later(1)
    assert scene.said == []


@pytest.mark.parametrize(("score", "claims"), [(-300, True), (0, True), (300, False)])
def test_a_third_repetition_is_claimed_unless_we_are_better(score: int, *, claims: bool) -> None:
    scene = playing()
    scene.think("g1f3", score=score)
    scene.sees([*SHUFFLE, *SHUFFLE], version=9)

    assert ("claim" in scene.said) is claims


def test_a_claim_is_made_once_in_a_position() -> None:
    scene = playing()
    scene.think("g1f3", score=0)
    scene.sees([*SHUFFLE, *SHUFFLE], version=9)
    scene.error("no-claim: neither", scene.sent[0])
    scene.sees([*SHUFFLE, *SHUFFLE], version=10)

    assert scene.said == []


def test_the_opponent_is_flagged_after_the_deadline_and_not_before() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.sees(["e2e4"])
    said = [word for _ in range(31) for word in (scene.later(1), scene.said)[1]]
    assert "flag" not in said

    said = [word for _ in range(3) for word in (scene.later(1), scene.said)[1]]
    assert said.count("flag") == 1


def test_time_that_is_left_after_all_is_waited_for() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.sees(["e2e4"])
    scene.later(33)
    flag = next(draft for draft in scene.sent if draft.content == "flag")
    scene.error("time-left: there is time", flag)

    assert "flag" not in scene.said
    said = [word for _ in range(11) for word in (scene.later(1), scene.said)[1]]
    assert said.count("flag") == 1


def test_an_opponent_who_does_not_begin_an_unlimited_game_ends_it() -> None:
    scene = Scene("abort_time = 30")
    scene.start(state(time=""))
    scene.think("e2e4")
    scene.sees(["e2e4"], time="")
    scene.later(29)
    assert scene.said == []
    scene.later(1)
    assert scene.said == ["abort"]


def test_silence_is_asked_about() -> None:
    scene = playing()
    scene.think("e2e4")
    scene.sees(["e2e4"])
    scene.later(12)

    assert scene.said == ["state"]


def test_the_lines_of_greeting_go_to_the_opponent_and_to_those_who_watch() -> None:
    scene = Scene(
        'name = "Fish"\n[greeting]\nhello = "Hi, I am {me}"\nhello_spectators = "Hi"\n'
        'goodbye = "Bye"'
    )
    scene.start()
    assert [effect for effect in scene.effects if isinstance(effect, Chat)] == [
        Chat(GAME, OTHER, "Hi, I am Fish"),
        Chat(GAME, None, "Hi"),
    ]
    scene.sees(["e2e4", "e7e5"], ("result", "1-0"), ("termination", "resignation"), version=4)
    assert Chat(GAME, OTHER, "Bye") in scene.effects


def test_a_game_that_is_taken_up_again_is_not_greeted() -> None:
    scene = Scene('[greeting]\nhello = "Hi"')
    scene.start(state(["e2e4", "e7e5"]))

    assert not any(isinstance(effect, Chat) for effect in scene.effects)


def test_lines_for_a_player_without_a_key_go_to_the_arbiter() -> None:
    scene = Scene('[greeting]\nhello = "Hi"')
    scene.start(state([], ("stand-in", OTHER)))

    assert Chat(GAME, ARBITER, "Hi") in scene.effects
