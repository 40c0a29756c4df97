"""Between games: what the bot asks, accepts and declines."""

import pytest

from clients.bot.config import Config
from clients.bot.events import with_work, work_of
from clients.bot.model import Mine, Mined, Phase, Ready, Send, StopThinking, Think, Tick
from clients.bot.session import begin, leave, reduce
from tests.clients.bot.scene import (
    ARBITER,
    GAME,
    ME,
    NOW,
    OTHER,
    SECOND_GAME,
    Scene,
    state,
    tag,
    told,
)

MATCHMAKING = """
[matchmaking]
allow_matchmaking = true
challenge_initial_time = [60, 180]
challenge_increment = [0]
challenge_mode = "rated"
"""


def challenge(scene: Scene, number: int = 1, *terms: tuple[str, ...]) -> None:
    tags = terms or (("time", "180+2"),)
    scene.give(told(20301, f"challenged:{number:032x}:{OTHER}", *tags, at=scene.now))


def test_before_a_relay_is_ready_nothing_is_sent() -> None:
    _, effects = reduce(begin(Config(), ME, ARBITER), Tick(), NOW)

    assert effects == ()


def test_an_unanswered_question_is_asked_again_as_another_event() -> None:
    scene = Scene()
    first = scene.sent[0]

    assert scene.later(9) == ()
    scene.later(1)
    assert scene.said == ["state"]
    assert scene.sent[0].id != first.id


def test_a_bot_that_waits_for_challenges_leaves_a_pool_that_it_was_in() -> None:
    scene = Scene()
    scene.answer("queued")

    assert scene.said == ["cancel"]


def test_matchmaking_asks_for_each_time_in_turn() -> None:
    scene = Scene(MATCHMAKING)
    scene.answer("error:unknown-game: none")
    scene.later(0.2)

    (first,) = scene.sent
    assert (first.kind, first.content) == (20300, "")
    assert [tag(first, name) for name in ("time", "mode", "bot", "bots")] == [
        ("60+0",), ("rated",), ("true",), ("welcome",),
    ]  # fmt: skip
    scene.answer("queued")
    assert scene.later(24 * 60) == ()
    scene.later(60)
    scene.later(0.2)
    assert tag(scene.sent[0], "time") == ("180+0",)


def test_a_declined_challenge_is_made_again_after_a_pause() -> None:
    scene = Scene(MATCHMAKING + f'opponents = ["{OTHER}"]')
    scene.answer("error:unknown-game: none")
    scene.later(0.2)
    scene.answer("queued", ("challenge", "c" * 32))
    scene.give(told(20301, "error:declined: later", at=scene.now))

    assert scene.later(4) == ()
    scene.later(1)
    assert tag(scene.sent[0], "challenge") == (OTHER,)


def test_a_refused_request_waits_as_long_as_the_text_says() -> None:
    scene = Scene(MATCHMAKING)
    scene.answer("error:unknown-game: none")
    scene.later(0.2)
    scene.answer("error:rate-limited: games that hardly began: ask again in 240 seconds")

    assert scene.later(239) == ()
    scene.later(1)
    assert scene.said == [""]


def test_work_is_done_for_the_request_that_wants_it() -> None:
    scene = Scene(MATCHMAKING)
    scene.answer("error:unknown-game: none")
    scene.later(0.2)
    scene.answer("error:pow: 8")
    mine = next(effect for effect in scene.effects if isinstance(effect, Mine))
    mined = with_work(mine.draft, mine.bits)
    scene.give(Mined(mined))

    assert scene.sent == [mined]
    assert work_of(mined.id) >= 8
    assert tag(mined, "time") == ("60+0",)
    scene.answer("queued")
    assert scene.session.phase is Phase.WAITING


@pytest.mark.parametrize("text", ["99", "", "many", "-1", "9" * 90, "²"])
def test_too_much_work_is_not_begun(text: str) -> None:
    scene = Scene()
    scene.answer(f"error:pow: {text}")

    assert not any(isinstance(effect, Mine) for effect in scene.effects)


def test_requests_of_a_clock_that_is_off_are_dated_by_the_arbiters() -> None:
    scene = Scene()
    scene.now += 3_600_000
    scene.give(Ready())
    draft, _ = scene.session.requests[-1]
    scene.give(told(20301, "error:stale: an hour ahead", ("e", draft.id), at=NOW))
    scene.give(Ready())

    assert abs(scene.sent[0].created_at - NOW // 1000) <= 2


def test_a_challenge_in_the_configured_terms_is_accepted_as_a_bot() -> None:
    scene = Scene()
    scene.answer("error:unknown-game: none")
    challenge(scene)
    scene.later(0.2)

    assert scene.said == [f"accept:{1:032x}"]
    assert tag(scene.sent[0], "bot") == ("true",)


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ((("time", "7200+0"),), "tooSlow"),
        ((("time", "60+0"),), "tooFast"),
        ((("time", "3d"),), "timeControl"),
        ((("mode", "casual"),), "timeControl"),
        ((("time", "180+2"), ("mode", "rated")), "casual"),
        ((("time", "180+2"), ("variant", "chess960")), "variant"),
        ((("time", "180+2"), ("variant", "atomic")), "variant"),
        ((("time", "180+2"), ("start", "8/8/8/8/8/8/8/8 w - - 0 1")), "variant"),
        ((("time", "180+2"), ("bot", "true")), "noBot"),
    ],
)
def test_another_challenge_is_declined_with_the_reason(
    terms: tuple[tuple[str, ...], ...], reason: str
) -> None:
    scene = Scene(
        """
        [challenge]
        min_base = 120
        accept_bot = false
        variants = ["standard"]
        modes = ["casual"]
        """
    )
    scene.answer("error:unknown-game: none")
    challenge(scene, 1, *terms)

    assert scene.said == [f"decline:{1:032x}:{reason}"]


def test_a_blocked_player_is_declined() -> None:
    scene = Scene(f'[challenge]\nblock_list = ["{OTHER}"]')
    challenge(scene)

    assert scene.said == [f"decline:{1:032x}:generic"]


def test_a_challenge_during_a_game_waits_for_its_end_and_the_ninth_is_declined() -> None:
    scene = Scene()
    scene.start()
    for number in range(8):
        challenge(scene, number)
        assert scene.said == []
    challenge(scene, 8)
    assert scene.said == [f"decline:{8:032x}:later"]

    scene.sees([], ("result", "*"), ("termination", "aborted"), version=2)
    scene.later(0.2)
    assert scene.said == [f"accept:{0:032x}"]


def test_an_expired_challenge_is_forgotten() -> None:
    scene = Scene()
    scene.answer("error:unknown-game: none")
    challenge(scene, 1, ("time", "180+2"), ("expiration", str(NOW // 1000 + 1)))

    assert scene.later(5) == ()
    assert scene.later(5) == ()


def test_a_challenge_that_was_taken_back_is_forgotten() -> None:
    scene = Scene()
    scene.answer("error:unknown-game: none")
    challenge(scene)
    scene.later(0.2)
    scene.answer("error:unknown-challenge: it is gone")

    assert scene.session.phase is Phase.IDLE
    assert scene.later(60) == ()


def test_a_game_begins_with_its_state_in_either_order() -> None:
    first, second = Scene(), Scene()
    first.start()
    second.give(state())
    second.give(told(20301, f"started:{GAME}:{OTHER}:w"))

    for scene in (first, second):
        assert scene.session.phase is Phase.PLAYING
        assert any(isinstance(effect, Think) for effect in scene.effects)


def test_a_game_whose_state_does_not_come_is_asked_for() -> None:
    scene = Scene()
    scene.give(told(20301, f"started:{GAME}:{OTHER}:w"))

    scene.later(5)
    assert scene.said == ["state"]


def test_a_state_whose_started_does_not_come_is_asked_about() -> None:
    scene = Scene()
    scene.answer("error:unknown-game: none")
    scene.give(state())

    assert scene.later(4) == ()
    scene.later(1)
    assert scene.said == ["state"]


def test_an_old_started_does_not_leave_the_game() -> None:
    scene = Scene()
    scene.start()
    scene.give(told(20301, f"started:{SECOND_GAME}:{OTHER}:b"))

    assert scene.said == ["state"]
    assert scene.session.game is not None
    assert scene.session.game.state.game == GAME


def test_the_arbiters_answer_which_game_goes_on_is_believed() -> None:
    scene = Scene()
    scene.start()
    scene.give(told(20301, f"started:{SECOND_GAME}:{OTHER}:b"))
    scene.answer(f"started:{SECOND_GAME}:{OTHER}:b")
    scene.give(state(game=SECOND_GAME, white=OTHER, black=ME))

    assert scene.session.game is not None
    assert scene.session.game.state.game == SECOND_GAME


def test_a_late_answer_to_a_question_before_the_game_does_not_end_it() -> None:
    scene = Scene()
    early, _ = scene.session.requests[-1]
    scene.now += 1000
    scene.start()
    scene.give(told(20301, "error:unknown-game: none", ("e", early.id)))

    assert scene.session.game is not None


def test_a_game_that_the_arbiter_does_not_know_any_more_is_left() -> None:
    scene = Scene()
    scene.start()
    scene.now += 1000
    scene.give(told(20301, f"started:{SECOND_GAME}:{OTHER}:b"))
    scene.answer("error:unknown-game: none")

    assert scene.session.game is None
    assert StopThinking() in scene.effects


def test_a_state_of_two_others_is_not_ours() -> None:
    scene = Scene()
    scene.answer("error:unknown-game: none")
    scene.give(state(white=OTHER, black=ARBITER))

    assert scene.later(60) == ()


def over(scene: Scene, *extra: tuple[str, ...], version: int = 9) -> None:
    ends = (("result", "1-0"), ("termination", "resignation"))
    scene.sees(["e2e4", "e7e5"], *ends, *extra, version=version)


def test_one_rematch_is_accepted() -> None:
    scene = Scene()
    scene.start()
    over(scene)
    over(scene, ("offer", "rematch", "b"), version=10)
    assert scene.said == ["rematch"]

    scene.start(game=SECOND_GAME)
    ends = (("result", "1-0"), ("termination", "resignation"))
    scene.sees(["e2e4", "e7e5"], *ends, version=9, game=SECOND_GAME)
    offer = ("offer", "rematch", "b")
    scene.sees(["e2e4", "e7e5"], *ends, offer, version=10, game=SECOND_GAME)
    assert scene.said == ["rematch-decline"]


def test_an_offer_of_a_rematch_is_answered_once() -> None:
    scene = Scene()
    scene.start()
    over(scene)
    over(scene, ("offer", "rematch", "b"), version=10)
    over(scene, ("offer", "rematch", "b"), version=10)

    assert scene.said == []


MATCHMAKER = "[matchmaking]\nallow_matchmaking = true\n"


def left(scene: Scene) -> list[str]:
    """What a bot says whose program ends."""
    scene.session, effects = leave(scene.session, scene.now)
    return [effect.draft.content for effect in effects if isinstance(effect, Send)]


def test_a_bot_that_waits_for_an_opponent_takes_that_back_when_its_program_ends() -> None:
    for answers in ((), ("queued",)):
        scene = Scene(MATCHMAKER)
        scene.answer("error:unknown-game: none")
        scene.later(0.2)
        for answer in answers:
            scene.answer(answer)
        assert left(scene) == ["cancel"]


def test_a_bot_that_plays_or_only_takes_challenges_leaves_without_a_word() -> None:
    scene = Scene(MATCHMAKER)
    scene.answer("error:unknown-game: none")
    assert left(scene) == []
    scene.later(0.2)
    scene.start()
    assert left(scene) == []
    assert left(Scene()) == []
