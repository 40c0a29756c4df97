"""Moves out, states in, and the end of a game."""

import pytest

from arbiter.nostr.relay_messages import PublishStatus
from clients.terminal.effects import (
    Asked,
    BoardWanted,
    Ended,
    HelpWanted,
    Leave,
    Moved,
    MoveSent,
    MovesWanted,
    PgnWanted,
    Question,
    RecordCame,
    Refused,
    Remark,
    Save,
    Source,
    Subscribe,
)
from clients.terminal.session import (
    LEAVE_SECONDS,
    CaughtUp,
    ExitCode,
    InputOver,
    LinkUp,
    Phase,
)
from clients.terminal.wire import ErrorAnswer, GameRecord
from tests.builders import ALICE, BOB, SERVER
from tests.clients.terminal.scene import GAME, OTHER_RELAY, RELAY, connected, playing, state


def test_a_move_names_the_state_it_answers() -> None:
    scene = playing()
    scene.enter("e4")
    (send,) = scene.sends()
    assert (send.template.kind, send.template.content) == (20303, "e2e4")
    assert send.template.tags == (
        ("d", GAME),
        ("e", scene.game.state_id),
        ("p", SERVER.pubkey),
        ("p", ALICE.pubkey),
        ("p", BOB.pubkey),
    )
    assert scene.effects[1] == MoveSent("e2e4", "e4", send.event_id, again=False)


def test_the_id_foretold_is_the_id_that_signing_gives() -> None:
    scene = playing()
    scene.enter("e4")
    (send,) = scene.sends()
    assert ALICE.sign(send.template).id == send.event_id


def test_one_move_is_on_its_way_at_a_time() -> None:
    scene = playing()
    scene.enter("e4")
    (refused,) = scene.enter("d4")
    assert isinstance(refused, Refused)
    assert refused.code == "move-pending"


def test_a_played_move_is_shown_when_the_arbiter_shows_it() -> None:
    scene = playing()
    scene.enter("e4")
    (moved,) = scene.hear(state("e4"))
    assert isinstance(moved, Moved)
    assert moved.san == "e4"
    assert scene.session.pending is None


@pytest.mark.parametrize("again", ["e4", ""])
def test_a_state_seen_before_or_older_changes_nothing(again: str) -> None:
    scene = playing("e4")
    assert scene.hear(state(again)) == ()
    assert scene.line.ply == 1


def test_a_newer_copy_of_the_same_state_is_the_one_to_answer() -> None:
    scene = playing()
    scene.hear(state(salt="a"))
    scene.enter("e4")
    assert scene.sends()[0].template.tags[1] == ("e", state(salt="a").event_id)


@pytest.mark.parametrize(
    ("typed", "code"),
    [("e5", "illegal-move"), ("Ke2", "illegal-move"), ("hello", "unknown-command")],
)
def test_what_is_no_move_stays_here(typed: str, code: str) -> None:
    scene = playing()
    (refused,) = scene.enter(typed)
    assert isinstance(refused, Refused)
    assert (refused.source, refused.code) == (Source.CLIENT, code)
    assert scene.session.pending is None


def test_out_of_turn_stays_here() -> None:
    scene = playing("e4")
    (refused,) = scene.enter("e5")
    assert isinstance(refused, Refused)
    assert refused.code == "not-your-turn"


def test_our_refused_move_is_told_and_another_can_be_entered() -> None:
    scene = playing()
    scene.enter("e4")
    about = scene.sends()[0].event_id
    (refused,) = scene.hear(ErrorAnswer(about, GAME, "illegal-move: no (1 of 3)"))
    assert refused == Refused(Source.ARBITER, "illegal-move", "no (1 of 3)", mine=True)
    scene.enter("d4")
    assert scene.sent() == [(20303, "d2d4")]


def test_the_opponent_s_refused_move_is_told_as_his() -> None:
    scene = playing("e4")
    (refused,) = scene.hear(ErrorAnswer("b" * 64, GAME, "illegal-move: no"))
    assert refused == Refused(Source.ARBITER, "illegal-move", "no", mine=False)


def test_an_error_about_another_game_is_not_told() -> None:
    scene = playing()
    assert scene.hear(ErrorAnswer("b" * 64, "f" * 32, "illegal-move: no")) == ()


def test_a_stale_move_makes_us_look_where_the_game_stands() -> None:
    scene = playing()
    scene.enter("e4")
    scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "stale: look"))
    assert scene.kinds() == [Refused, Subscribe]
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]


def test_a_relay_s_refusal_is_told_when_every_relay_has_refused() -> None:
    scene = playing()
    scene.give(LinkUp(OTHER_RELAY))
    scene.enter("e4")
    sent = scene.sends()[0].event_id
    scene.verdict(sent, PublishStatus.GIVE_UP)
    assert not scene.effects
    scene.verdict(sent, PublishStatus.GIVE_UP, OTHER_RELAY, "blocked: \x1b]0;you\x07")
    (refused,) = scene.effects
    assert refused == Refused(Source.RELAY, "relay-refused", "blocked: ]0;you")


def test_one_relay_that_takes_it_is_enough() -> None:
    scene = playing()
    scene.give(LinkUp(OTHER_RELAY))
    scene.enter("e4")
    sent = scene.sends()[0].event_id
    scene.verdict(sent, PublishStatus.ACCEPTED)
    scene.verdict(sent, PublishStatus.GIVE_UP, OTHER_RELAY)
    scene.verdict(sent, PublishStatus.GIVE_UP)
    assert scene.effects == ()


def test_the_last_state_ends_the_game() -> None:
    scene = playing("f3 e5 g4")
    moved, ended = scene.hear(state("f3 e5 g4 Qh4", result="0-1", termination="checkmate"))
    assert isinstance(moved, Moved)
    assert isinstance(ended, Ended)
    assert (ended.game.result, ended.game.termination) == ("0-1", "checkmate")
    assert scene.session.phase is Phase.OVER


def test_a_resignation_ends_the_game_without_a_move() -> None:
    scene = playing("e4 e5")
    (ended,) = scene.hear(state("e4 e5", result="1-0", termination="resignation"))
    assert isinstance(ended, Ended)


def test_mate_is_seen_where_the_server_has_no_word_for_it() -> None:
    scene = playing("f3 e5 g4")
    ended = scene.hear(state("f3 e5 g4 Qh4", bare=True))[-1]
    assert isinstance(ended, Ended)
    assert (ended.game.result, ended.game.termination) == ("0-1", "checkmate")


def test_the_record_is_kept_for_the_pgn_command() -> None:
    scene = playing("e4 e5")
    scene.hear(state("e4 e5", result="1-0", termination="resignation"))
    (came,) = scene.hear(GameRecord(GAME, "1. e4 e5 1-0", "1-0", "resignation"))
    assert isinstance(came, RecordCame)
    assert scene.hear(GameRecord(GAME, "again", "1-0", None)) == ()
    assert scene.enter("pgn") == (PgnWanted(scene.game, "1. e4 e5 1-0\n"),)
    assert scene.enter("pgn a b.pgn") == (Save("a b.pgn", "1. e4 e5 1-0\n"),)


def test_a_record_of_another_game_is_not_ours() -> None:
    scene = playing("e4")
    assert scene.hear(GameRecord("f" * 32, "1-0", "1-0", None)) == ()


def test_a_game_that_the_arbiter_calls_over_is_over() -> None:
    scene = playing()
    scene.enter("e4")
    scene.hear(ErrorAnswer(scene.sends()[0].event_id, GAME, "game-over: 1-0"))
    assert scene.kinds() == [Refused, Ended, Subscribe]
    assert scene.give(CaughtUp(RELAY)) == ()


def test_resigning_is_asked_once_more() -> None:
    scene = playing("e4 e5", asks=True)
    assert scene.enter("resign") == (Asked(Question.RESIGN, scene.game),)
    assert [type(effect) for effect in scene.enter("")] == [Remark]
    scene.enter("resign")
    scene.enter("y")
    assert scene.sent() == [(20303, "quit")]


def test_a_script_resigns_without_being_asked() -> None:
    scene = playing("e4 e5")
    scene.enter("resign")
    assert scene.sent() == [(20303, "quit")]


def test_resigning_is_meant_whatever_was_played_meanwhile() -> None:
    scene = playing("e4")
    scene.enter("resign")
    scene.hear(state("e4 e5"))
    assert scene.sent() == [(20303, "quit")]


def test_leaving_keeps_the_game_if_that_is_wanted() -> None:
    scene = playing("e4", asks=True)
    scene.enter("quit")
    assert scene.enter("k") == (Leave(ExitCode.ENDED),)


def test_leaving_gives_the_game_up_if_that_is_wanted_and_waits_for_the_last_word() -> None:
    scene = playing("e4 e5", asks=True)
    scene.enter("quit")
    scene.enter("r")
    assert scene.sent() == [(20303, "quit")]
    assert scene.wait(LEAVE_SECONDS - 1) == ()
    assert scene.wait(1) == (Leave(ExitCode.ENDED),)


def test_leaving_by_resigning_is_done_when_the_game_has_ended() -> None:
    scene = playing("e4 e5", asks=True)
    scene.enter("quit")
    scene.enter("r")
    ended, left = scene.hear(state("e4 e5", result="0-1", termination="resignation"))
    assert isinstance(ended, Ended)
    assert left == Leave(ExitCode.ENDED)


def test_a_script_that_ended_its_input_leaves_when_the_record_has_come() -> None:
    scene = playing("e4 e5")
    scene.give(InputOver())
    scene.hear(state("e4 e5", result="0-1", termination="resignation"))
    told = scene.hear(GameRecord(GAME, "0-1", "0-1", None))
    assert told[-1] == Leave(ExitCode.ENDED)


def test_a_script_whose_input_ends_after_the_game_waits_for_the_record_too() -> None:
    scene = playing("e4 e5")
    scene.hear(state("e4 e5", result="0-1", termination="resignation"))

    assert scene.give(InputOver()) == ()
    told = scene.hear(GameRecord(GAME, "0-1", "0-1", None))
    assert told[-1] == Leave(ExitCode.ENDED)


def test_a_record_that_does_not_come_is_waited_for_no_longer_than_that() -> None:
    scene = playing("e4 e5")
    scene.hear(state("e4 e5", result="0-1", termination="resignation"))
    scene.give(InputOver())

    assert scene.wait(LEAVE_SECONDS - 1) == ()
    assert scene.wait(1) == (Leave(ExitCode.ENDED),)


def test_staying_is_the_answer_to_anything_else() -> None:
    scene = playing("e4 e5", asks=True)
    scene.enter("quit")
    scene.enter("e4")
    assert scene.session.phase is Phase.PLAYING
    assert scene.sends() == []


def test_a_script_that_ends_its_input_sees_the_game_to_its_end() -> None:
    scene = playing("e4 e5")
    assert scene.give(InputOver()) == ()
    scene.hear(state("e4 e5", result="1-0", termination="resignation"))
    assert scene.wait(LEAVE_SECONDS) == (Leave(ExitCode.ENDED),)


def test_a_person_who_ends_the_input_leaves() -> None:
    assert playing("e4", asks=True).give(InputOver()) == (Leave(ExitCode.ENDED),)


def test_another_game_can_be_asked_for_after_the_end_and_not_before() -> None:
    scene = playing("e4 e5")
    (refused,) = scene.enter("new")
    assert isinstance(refused, Refused)
    scene.hear(state("e4 e5", result="1-0", termination="resignation"))
    scene.enter("new")
    scene.give(CaughtUp(RELAY))
    assert scene.sent() == [(20300, "")]
    assert scene.session.game is None


def test_the_board_can_be_turned_and_turned_back() -> None:
    scene = playing("e4")
    assert scene.enter("flip") == (BoardWanted(scene.game),)
    assert scene.session.flipped
    scene.enter("board")
    assert scene.session.flipped
    scene.enter("flip")
    assert not scene.session.flipped


def test_lists_and_help_are_shown() -> None:
    scene = playing("e4")
    assert scene.enter("moves") == (MovesWanted(scene.game),)
    assert scene.enter("help") == (HelpWanted(),)


@pytest.mark.parametrize("typed", ["e4", "board", "moves", "pgn", "resign"])
def test_before_the_game_a_command_says_that_there_is_none(typed: str) -> None:
    (refused,) = connected().enter(typed)
    assert isinstance(refused, Refused)
    assert refused.code == "no-game"
