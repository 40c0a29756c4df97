"""A game between two others."""

from typing import Any

import pytest

from clients.player import drafts
from clients.player.messages import State
from clients.terminal.board import Style
from clients.terminal.notices import Notice
from clients.terminal.picture import picture
from clients.terminal.prompt import status
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import GAME, Scene, a_spectator, state, watching


def between_others(moves: str = "", **tags: Any) -> State:
    return state(moves, white=BOB.pubkey, black=EVE.pubkey, **tags)


def watched_to_the_end() -> Scene:
    scene = watching()
    scene.hear(between_others("e4 e5", version=3, result="1-0", termination="timeout"))
    return scene


@pytest.mark.parametrize("scene", [a_spectator(), watching(), watched_to_the_end()])
def test_a_spectator_cannot_play(scene: Scene) -> None:
    words = "e4 resign draw abort rematch claim takeback flag new challenges cancel accept nonsense"
    for typed in (*words.split(), "new 3+2", "challenge open", "accept 1", "decline later"):
        assert scene.refusal(typed) == "spectator"
        assert scene.sent() == []


@pytest.mark.parametrize("typed", ["help", "help offers", "?"])
def test_a_spectator_s_help_offers_what_a_spectator_may_do(typed: str) -> None:
    scene = a_spectator()
    (wanted_help,) = scene.enter(typed)
    assert isinstance(wanted_help, Notice)
    page = wanted_help.text
    for word in ("draw", "resign", "new", "challenge", "accept", "takeback", "rematch", "cancel"):
        assert word not in page
    scene.hear(between_others("e4 e5"))
    for command in (line.split("  ")[0] for line in page.split("\n")):
        told = [effect for effect in scene.enter(command) if isinstance(effect, Notice)]
        assert "error" not in [notice.type for notice in told], command


def test_the_picture_shows_two_others_from_white_s_side() -> None:
    scene = a_spectator()
    started, _ = scene.hear(between_others("e4", rated=True))
    assert isinstance(started, Notice)
    assert started.text.startswith("You watch npub1")
    assert started.text.endswith("(rated)")
    lines = picture(scene.game, Style(color=False, unicode=False), flipped=False)
    assert lines[-1].split() == list("abcdefgh")
    assert [line for line in lines if "(you)" in line] == []
    assert status(scene.session)[0].endswith("to move")


def test_a_spectator_subscribes_to_the_game_and_to_errors_of_their_own() -> None:
    of_game, to_me = drafts.watching(SERVER.pubkey, ALICE.pubkey, GAME)
    assert of_game.tags == {"d": (GAME,)}
    assert 20302 in of_game.kinds
    assert (to_me.kinds, to_me.tags) == ((20304,), {"p": (ALICE.pubkey,)})
