"""A game between two others."""

from dataclasses import replace
from typing import Any

import pytest

from clients.terminal.board import Style
from clients.terminal.effects import (
    Ended,
    HelpWanted,
    Leave,
    Moved,
    RecordCame,
    Refused,
    Send,
    Started,
)
from clients.terminal.json_lines import as_json
from clients.terminal.messages import ending, sentence, standing
from clients.terminal.picture import picture
from clients.terminal.session import (
    ANSWER_SECONDS,
    RECALL_SECONDS,
    ExitCode,
    FromArbiter,
    InputOver,
    LinkUp,
)
from clients.terminal.wire import ErrorAnswer, GameRecord, StateClaim
from clients.terminal.writing import wanted
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, RELAY, Scene, full


def a_spectator() -> Scene:
    scene = Scene()
    scene.session = replace(scene.session, watching=GAME)
    return scene


def between_others(moves: str = "", **tags: Any) -> StateClaim:
    return replace(full(moves, **tags), white=BOB.pubkey, black=EVE.pubkey)


def test_a_spectator_asks_for_the_state_and_is_never_queued() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    (send,) = scene.sends()
    assert (send.template.kind, send.template.content) == (20303, "state")
    assert send.template.tags == (("d", GAME), ("p", SERVER.pubkey))
    assert [type(told) for told in scene.hear(between_others("e4"))] == [Started, Moved]
    assert [type(told) for told in scene.hear(between_others("e4 e5"))] == [Moved]


def test_a_stored_state_is_shown_and_its_missing_answer_not_waited_for() -> None:
    scene = a_spectator()
    scene.give(LinkUp(RELAY))
    told = scene.give(FromArbiter(between_others("e4"), stored=True))
    assert [type(effect) for effect in told] == [Started, Moved]
    scene.find_the_relay()
    assert scene.sent() == [(20303, "state")]
    scene.wait(RECALL_SECONDS)
    assert scene.wait(ANSWER_SECONDS) == ()


def test_a_game_of_two_others_is_followed_to_its_end() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    scene.hear(between_others("e4 e5"))
    told = scene.hear(between_others("e4 e5", version=3, result="1-0", termination="timeout"))
    assert [type(effect) for effect in told] == [Ended]
    assert ending(scene.game) == "White wins on time, 1-0"
    assert as_json(Ended(scene.game))["outcome"] == "none"
    assert [type(t) for t in scene.hear(GameRecord(GAME, "1. e4 e5 1-0", "1-0", None))] == [
        RecordCame
    ]


@pytest.mark.parametrize(
    "typed",
    [
        *("e4", "resign", "draw", "abort", "rematch", "claim", "takeback", "flag"),
        *("new", "new 3+2", "challenge open", "challenges", "cancel"),
        *("accept", "accept x", "accept 1", "decline", "decline later", "nonsense"),
    ],
)
@pytest.mark.parametrize("seen", ["nothing", "a game", "its end"])
def test_a_spectator_does_not_play_and_is_told_so(typed: str, seen: str) -> None:
    scene = a_spectator()
    scene.find_the_relay()
    if seen != "nothing":
        scene.hear(between_others("e4 e5"))
    if seen == "its end":
        scene.hear(between_others("e4 e5", version=3, result="1-0", termination="timeout"))
    (refused,) = scene.enter(typed)
    assert isinstance(refused, Refused)
    assert (refused.code, scene.sent()) == ("spectator", [])
    assert refused.text.startswith("You watch this game")


@pytest.mark.parametrize("typed", ["help", "help offers", "?"])
def test_a_spectator_s_help_offers_what_a_spectator_may_do(typed: str) -> None:
    scene = a_spectator()
    scene.find_the_relay()
    (wanted_help,) = scene.enter(typed)
    assert isinstance(wanted_help, HelpWanted)
    page = sentence(wanted_help)
    for word in ("draw", "resign", "new", "challenge", "accept", "takeback", "rematch", "cancel"):
        assert word not in page
    scene.hear(between_others("e4 e5"))
    for command in (line.split("  ")[0] for line in page.split("\n")):
        told = scene.enter(command)
        assert not any(isinstance(effect, Refused) for effect in told), command


def test_a_spectator_is_offered_no_game_by_the_prompt() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    assert standing(scene.session)[0] == "setting up the board"
    scene.hear(between_others("e4 e5"))
    scene.hear(between_others("e4 e5", version=3, result="1-0", termination="timeout"))
    assert standing(scene.session) == ("quit leaves", False)


def test_a_spectator_leaves_without_being_asked() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    scene.hear(between_others())
    assert scene.enter("quit") == (Leave(ExitCode.ENDED),)


def test_a_game_that_nobody_knows_cannot_be_watched() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    asked = scene.sends()[0].event_id
    scene.give(InputOver())
    told = scene.hear(ErrorAnswer(asked, None, "unknown-game: no game has this id"))
    assert [type(effect) for effect in told] == [Refused, Leave]
    assert standing(scene.session) == ("quit leaves", False)


def test_a_spectator_who_was_away_asks_again() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    scene.hear(between_others("e4"))
    scene.lose_the_relay()
    scene.find_the_relay()
    assert any(isinstance(effect, Send) for effect in scene.effects)
    assert [type(told) for told in scene.hear(between_others("e4 e5 Nf3"))] == [Moved]


def test_the_picture_shows_two_others_from_white_s_side() -> None:
    scene = a_spectator()
    scene.find_the_relay()
    started, _ = scene.hear(between_others("e4", rated=True))
    assert isinstance(started, Started)
    assert sentence(started).startswith("You watch npub1")
    assert sentence(started).endswith("(rated)")
    lines = picture(scene.game, Style(color=False, unicode=False), flipped=False)
    assert lines[-1].split() == list("abcdefgh")
    assert [line for line in lines if "(you)" in line] == []
    assert standing(scene.session)[0].endswith("to move")


def test_a_spectator_subscribes_to_the_game_and_to_errors_about_himself() -> None:
    of_game, to_me = wanted(SERVER.pubkey, ALICE.pubkey, GAME)
    assert of_game.tags == {"d": (GAME,)}
    assert 20302 in of_game.kinds
    assert (to_me.kinds, to_me.tags) == ((20304,), {"p": (ALICE.pubkey,)})
