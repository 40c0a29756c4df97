"""Who plays is asked for when a game begins, and told when it comes."""

from typing import Any

import pytest

from clients.terminal.effects import LookUp
from clients.terminal.notices import Introduced
from clients.terminal.profiles import Profile, Rating
from clients.terminal.prompt import status
from clients.terminal.session import FromPeople, Phase
from clients.terminal.terms import Terms
from clients.terminal.wire import Challenged
from clients.terminal.writing import people_wanted
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import START, connected, full, playing, playing_full

BOB_S_NAME = Profile(BOB.pubkey, "Bob", 1)
BLITZ = Rating(BOB.pubkey, "blitz", 1523, False, 1)
TIMED: dict[str, Any] = {"time": "180+2", "clock_ms": (180_000, 180_000)}


def test_both_players_are_looked_up_once_when_the_game_begins() -> None:
    scene = playing_full()
    assert scene.looked_up == [LookUp((ALICE.pubkey, BOB.pubkey))]
    scene.hear(full("e4"))
    assert len(scene.looked_up) == 1


def test_profiles_are_asked_of_their_owners_and_ratings_of_the_arbiter() -> None:
    profiles, ratings = people_wanted(SERVER.pubkey, (ALICE.pubkey, BOB.pubkey))
    assert (profiles.kinds, profiles.authors) == ((0,), (ALICE.pubkey, BOB.pubkey))
    assert (ratings.kinds, ratings.authors) == ((30300,), (SERVER.pubkey,))
    assert ratings.tags == {"p": (ALICE.pubkey, BOB.pubkey)}


def test_a_name_and_a_rating_are_told_when_they_come_and_not_again() -> None:
    scene = playing_full("e4", **TIMED)
    (told,) = scene.give(FromPeople(BOB_S_NAME))
    assert told == Introduced(scene.game, BOB.pubkey)
    assert scene.game.called(BOB.pubkey) == "Bob"
    assert status(scene.session)[0] == "Bob to move"
    assert scene.give(FromPeople(BOB_S_NAME)) == ()
    (told,) = scene.give(FromPeople(BLITZ))
    assert scene.game.rating(BOB.pubkey) == "1523"
    assert scene.give(FromPeople(BLITZ)) == ()
    scene.hear(full("e4 e5", **TIMED))
    assert scene.game.called(BOB.pubkey) == "Bob"


def test_a_rating_at_another_speed_is_no_news() -> None:
    scene = playing("e4")
    assert scene.give(FromPeople(BLITZ)) == ()


@pytest.mark.parametrize(
    "told", [Profile(EVE.pubkey, "Eve", 1), Rating(EVE.pubkey, "b", 1, False, 1)]
)
def test_who_does_not_play_is_not_remembered(told: Profile | Rating) -> None:
    scene = playing_full()
    assert scene.give(FromPeople(told)) == ()
    assert scene.session.people == ()
    assert connected().give(FromPeople(told)) == ()


def test_who_challenged_and_went_is_forgotten() -> None:
    scene = playing_full()
    late = Challenged("c" * 32, EVE.pubkey, Terms(), expires_at=int(START) + 60)
    scene.hear(late)
    assert scene.looked_up[-1] == LookUp((ALICE.pubkey, BOB.pubkey, EVE.pubkey))
    scene.give(FromPeople(Profile(EVE.pubkey, "Eve", 1)))
    assert [person.name for person in scene.session.people] == ["Eve"]
    scene.enter("decline")
    scene.give(FromPeople(BOB_S_NAME))
    assert [person.name for person in scene.session.people] == ["Bob"]
    assert scene.session.phase is Phase.PLAYING
