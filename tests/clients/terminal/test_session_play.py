"""Moves out, states in, and the end of a game."""

import pytest

from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import Leave, Save, Subscribe
from clients.terminal.notices import (
    Asked,
    Ended,
    Moved,
    PgnWanted,
    Question,
    RecordCame,
    Refused,
    Remark,
    Source,
)
from clients.terminal.session import LEAVE_SECONDS, CaughtUp, ExitCode, InputOver, LinkUp, Phase
from clients.terminal.wire import ErrorAnswer, GameRecord
from tests.clients.terminal.scene import (
    GAME,
    OTHER_RELAY,
    RELAY,
    Scene,
    connected,
    playing,
    state,
)

WON = state("e4 e5", result="1-0", termination="resignation")
RECORD = GameRecord(GAME, "1. e4 e5 1-0", "1-0", "resignation")


def a_pending_move() -> Scene:
    scene = playing()
    scene.enter("e4")
    return scene


@pytest.mark.parametrize(
    ("scene", "typed", "code"),
    [
        (a_pending_move(), "d4", "move-pending"),
        (playing(), "e5", "illegal-move"),
        (playing(), "Ke2", "illegal-move"),
        (playing(), "hello", "unknown-command"),
        (playing("e4"), "e5", "not-your-turn"),
        (playing("e4 e5"), "new", "not-now"),
        *((connected(), typed, "no-game") for typed in ("e4", "board", "moves", "pgn", "resign")),
    ],
)
def test_what_can_only_be_refused_is_not_sent(scene: Scene, typed: str, code: str) -> None:
    before = scene.session.pending
    assert scene.refusal(typed) == code
    assert scene.session.pending == before


@pytest.mark.parametrize("again", ["e4", ""])
def test_a_played_move_is_shown_once_when_the_arbiter_shows_it(again: str) -> None:
    scene = a_pending_move()
    (moved,) = scene.hear(state("e4"))
    assert isinstance(moved, Moved)
    assert moved.san == "e4"
    assert scene.session.pending is None
    assert scene.hear(state(again)) == ()
    assert scene.line.ply == 1


def test_our_refused_move_is_shown_and_another_can_be_entered() -> None:
    scene = a_pending_move()
    about = scene.sends()[0].event_id
    refused = scene.hear(ErrorAnswer(about, GAME, "illegal-move: no (1 of 3)"))
    assert refused == (Refused(Source.ARBITER, "illegal-move", "no (1 of 3)", mine=True),)
    scene.enter("d4")
    assert scene.sent() == [(20303, "d2d4")]


def test_after_a_stale_move_the_state_is_asked_for() -> None:
    scene = a_pending_move()
    scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "stale: look"))
    assert scene.kinds() == [Refused, Subscribe]
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]


@pytest.mark.parametrize("accepted", [True, False])
def test_a_relay_s_refusal_is_shown_if_all_relays_have_refused(*, accepted: bool) -> None:
    scene = playing()
    scene.give(LinkUp(OTHER_RELAY))
    scene.enter("e4")
    sent = scene.sends()[0].event_id
    if accepted:
        scene.verdict(sent, PublishStatus.ACCEPTED)
    scene.verdict(sent, PublishStatus.GIVE_UP)
    assert not scene.effects
    scene.verdict(sent, PublishStatus.GIVE_UP, OTHER_RELAY, "blocked: \x1b]0;you\x07")
    refused = Refused(Source.RELAY, "relay-refused", "blocked: ]0;you")
    assert scene.effects == (() if accepted else (refused,))


@pytest.mark.parametrize("bare", [True, False])
def test_the_last_state_ends_the_game(*, bare: bool) -> None:
    scene = playing("f3 e5 g4")
    result, termination = (None, None) if bare else ("0-1", "checkmate")
    last = state("f3 e5 g4 Qh4", bare=bare, result=result, termination=termination)
    moved, ended = scene.hear(last)
    assert isinstance(moved, Moved)
    assert isinstance(ended, Ended)
    assert (ended.game.result, ended.game.termination) == ("0-1", "checkmate")
    assert scene.session.phase is Phase.OVER


def test_the_record_is_kept_for_the_pgn_command() -> None:
    scene = playing("e4 e5")
    assert scene.hear(GameRecord("f" * 32, "1-0", "1-0", None)) == ()
    (ended,) = scene.hear(WON)
    assert isinstance(ended, Ended)
    (came,) = scene.hear(RECORD)
    assert isinstance(came, RecordCame)
    assert scene.hear(GameRecord(GAME, "again", "1-0", None)) == ()
    assert scene.enter("pgn") == (PgnWanted(scene.game, "1. e4 e5 1-0\n"),)
    assert scene.enter("pgn a b.pgn") == (Save("a b.pgn", "1. e4 e5 1-0\n"),)


def test_a_game_that_the_arbiter_calls_over_is_over() -> None:
    scene = a_pending_move()
    scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "game-over: 1-0"))
    assert scene.kinds() == [Refused, Ended, Subscribe]
    assert scene.give(CaughtUp(RELAY)) == ()


def test_a_person_confirms_a_resignation_and_a_script_does_not() -> None:
    scene = playing("e4 e5", asks=True)
    assert scene.enter("resign") == (Asked(Question.RESIGN, scene.game),)
    assert [type(effect) for effect in scene.enter("")] == [Remark]
    scene.enter("resign")
    scene.enter("y")
    assert scene.sent() == [(20303, "quit")]
    scene = playing("e4")
    scene.enter("resign")
    assert scene.sent() == [(20303, "quit")]
    # Whatever was played meanwhile.
    scene.hear(state("e4 e5"))
    assert scene.sent() == [(20303, "quit")]


def leaving(answer: str) -> Scene:
    scene = playing("e4 e5", asks=True)
    assert scene.enter("quit") == (Asked(Question.LEAVE, scene.game),)
    scene.enter(answer)
    return scene


def test_a_person_who_leaves_keeps_the_game_or_gives_it_up_or_stays() -> None:
    for answer in ("k", "quit"):
        assert leaving(answer).effects == (Leave(ExitCode.ENDED),)
    staying = leaving("e4")
    assert (staying.session.phase, staying.sends()) == (Phase.PLAYING, [])
    scene = leaving("r")
    assert scene.sent() == [(20303, "quit")]
    assert scene.wait(LEAVE_SECONDS - 1) == ()
    assert scene.wait(1) == (Leave(ExitCode.ENDED),)
    ended, left = leaving("r").hear(state("e4 e5", result="0-1", termination="resignation"))
    assert isinstance(ended, Ended)
    assert left == Leave(ExitCode.ENDED)
    assert playing("e4", asks=True).give(InputOver()) == (Leave(ExitCode.ENDED),)


@pytest.mark.parametrize("input_ends_first", [True, False])
@pytest.mark.parametrize("record_comes", [True, False])
def test_a_script_that_ended_its_input_waits_for_the_end_and_a_while_for_the_record(
    *, input_ends_first: bool, record_comes: bool
) -> None:
    scene = playing("e4 e5")
    if input_ends_first:
        assert scene.give(InputOver()) == ()
    scene.hear(WON)
    if not input_ends_first:
        assert scene.give(InputOver()) == ()
    assert scene.wait(LEAVE_SECONDS - 1) == ()
    left = scene.hear(RECORD) if record_comes else scene.wait(1)
    assert left[-1] == Leave(ExitCode.ENDED)
