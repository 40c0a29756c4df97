"""Names and ratings: how they are read, asked for and shown, and what a hostile name becomes."""

from typing import Any

import pytest

from arbiter.nostr.nip19 import encode_npub
from clients.player.drafts import people_wanted
from clients.player.messages import Challenged
from clients.player.people import Profile, Rating
from clients.player.terms import Terms, TimeControl
from clients.terminal.game_notices import introduced
from clients.terminal.profiles import MAX_NAME_CELLS, Person, learn, shown_name
from clients.terminal.prompt import status
from clients.terminal.text import cells
from tests.builders import ALICE, BOB, EVE, SERVER
from tests.clients.terminal.scene import START, Scene, connected, playing, state, with_wire

BOB_S_NAME = Profile(BOB.pubkey, "Bob", 1)
BLITZ = Rating(BOB.pubkey, "blitz", 1523, False, 1)
TIMED: dict[str, Any] = {"time": TimeControl(180, 2), "clock": (180_000, 180_000)}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[2J\x1b]0;t\x07Bob", "[2J]0;tBob"),
        ("Bob\u202e1-0\u202c", "Bob1-0"),
        ("\u2067Bob\u2069\u200b\u200f", "Bob"),
        ("B\u0336\u0337\u0338\u0339o\u0301b", "B\u0336\u0337o\u0301b"),
        ("\x00\x9b31m", "31m"),
        ("Jörg 漢", "Jörg 漢"),
        ("\u3164\u2800\u115f", ""),
        ("you", ""),
        ("YOU", ""),
        (encode_npub(ALICE.pubkey), ""),
        ("NPUB1v6rfl…dawz", ""),
    ],
)
def test_a_name_is_text_that_no_terminal_obeys(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@pytest.mark.parametrize("name", ["x" * 100_000, "漢" * 100, "é" * 100, "e\u0301" * 1_000])
def test_a_long_name_is_cut_by_the_columns_it_takes(name: str) -> None:
    shown = shown_name(name)
    assert shown.endswith("…")
    assert MAX_NAME_CELLS - 1 <= cells(shown) <= MAX_NAME_CELLS
    assert len(shown) <= 3 * MAX_NAME_CELLS


def test_the_newest_profile_and_the_newest_rating_count() -> None:
    people: tuple[Person, ...] = ()
    for known in (
        Profile(BOB.pubkey, "Bob", 10),
        Profile(BOB.pubkey, "Old Bob", 9),
        Rating(BOB.pubkey, "blitz", 1500, True, 10),
        Rating(BOB.pubkey, "blitz", 1400, True, 10),
        Rating(BOB.pubkey, "rapid", 1600, False, 1),
    ):
        people = learn(people, known)
    (bob,) = people
    assert bob.name == "Bob"
    assert [(each.speed, each.value) for each in bob.ratings] == [("blitz", 1500), ("rapid", 1600)]
    (renamed,) = learn(people, Profile(BOB.pubkey, "", 11))
    assert (renamed.name, renamed.rating("rapid")) == ("", bob.rating("rapid"))


def test_both_players_are_looked_up_once_at_their_own_keys_and_the_arbiter_s() -> None:
    scene = playing()
    both = (ALICE.pubkey, BOB.pubkey)
    assert scene.looked_up == [both]
    scene.hear(state("e4"))
    assert len(scene.looked_up) == 1
    profiles, ratings = people_wanted(SERVER.pubkey, both)
    assert (profiles.kinds, profiles.authors) == ((0,), both)
    assert (ratings.kinds, ratings.authors, ratings.tags) == (
        (30300,),
        (SERVER.pubkey,),
        {"p": both},
    )


def test_a_name_and_a_rating_are_shown_when_they_come_and_not_again() -> None:
    scene = playing("e4", **TIMED)
    assert scene.give(BOB_S_NAME) == (introduced(scene.game, BOB.pubkey),)
    assert status(scene.session)[0] == "Bob to move"
    assert scene.give(BOB_S_NAME) == ()
    assert len(scene.give(BLITZ)) == 1
    assert scene.game.rating(BOB.pubkey) == "1523"
    assert scene.give(BLITZ) == ()
    scene.hear(state("e4 e5", **TIMED))
    assert scene.game.called(BOB.pubkey) == "Bob"
    # A rating at another speed changes nothing that is shown.
    assert playing("e4").give(BLITZ) == ()


def test_other_players_are_not_remembered_and_challengers_while_they_wait() -> None:
    scene = playing()
    for known in (Profile(EVE.pubkey, "Eve", 1), Rating(EVE.pubkey, "b", 1, False, 1)):
        assert scene.give(known) == connected().give(known) == ()
        assert scene.session.people == ()
    scene.hear(Challenged("c" * 32, EVE.pubkey, Terms(), expires_at=int(START) + 60))
    assert scene.looked_up[-1] == (ALICE.pubkey, BOB.pubkey, EVE.pubkey)
    scene.give(Profile(EVE.pubkey, "Eve", 1))
    assert [person.name for person in scene.session.people] == ["Eve"]
    scene.enter("decline")
    scene.give(BOB_S_NAME)
    assert [person.name for person in scene.session.people] == ["Bob"]


def test_a_name_that_the_arbiter_tells_is_shown_until_a_profile_comes() -> None:
    scene = playing(names=("", "\x1b[31mBobby"), **TIMED)
    assert scene.game.called(BOB.pubkey) == "[31mBobby"
    assert scene.game.name(ALICE.pubkey) == ""
    scene.give(BOB_S_NAME)
    scene.hear(state("e4", names=("", "Robert"), **TIMED))
    assert scene.game.called(BOB.pubkey) == "Bob"


def test_a_challenger_is_called_as_they_said_unless_it_looks_like_a_key() -> None:
    for name, shown in (("Eve", ["Eve"]), ("npub1eve", [])):
        scene = connected()
        scene.hear(Challenged("c" * 32, EVE.pubkey, Terms(), int(START) + 60, name))
        assert [person.name for person in scene.session.people] == shown


def test_our_own_name_goes_with_what_asks_to_play_alone() -> None:
    scene = Scene()
    scene.session = with_wire(scene.session, name="Al")
    scene.find_the_relay()
    asked = {sent.draft.content: ("name", "Al") in sent.draft.tags for sent in scene.sends()}
    assert asked == {"": True}
    scene.hear(Challenged("c" * 32, EVE.pubkey, Terms(), int(START) + 60))
    scene.enter("decline")
    assert [("name", "Al") in sent.draft.tags for sent in scene.sends()] == [False]
