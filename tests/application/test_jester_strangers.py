"""Strangers who write into a game of kind 30 that the arbiter judges: named, a few, each once."""

import pytest

from arbiter.application.strangers import NAMED_SECONDS, NAMED_STRANGERS
from arbiter.nostr.event import all_tags
from arbiter.nostr.nip19 import encode_npub
from tests.application.jester_player import JesterPlayer
from tests.application.test_jester_games import against_bob, play, refereed
from tests.builders import ALICE, BOB, EVE, a_key, an_event


def named(pubkey: str) -> str:
    npub = encode_npub(pubkey)
    return f"Arbiter: {npub} has no seat here: nothing that they write in this game counts."


def stranger(alice: JesterPlayer, name: str = "eve") -> JesterPlayer:
    """One who has read the game."""
    eve = JesterPlayer(alice.world, a_key(name))
    eve.start, eve.head, eve.history = alice.start, alice.head, [*alice.history]
    return eve


def test_a_stranger_is_named_once_to_both_players_and_the_game_goes_on() -> None:
    alice, bob = refereed()
    play((alice, bob), "f2f3 e7e5")
    eve = stranger(alice)

    for uci in ("g2g4", "e2e4", "g2g4"):
        eve.world.hear(eve.move_event(uci))
    eve.resign()
    play((alice, bob), "g2g4 d8h4")

    assert alice.notes() == [named(EVE.pubkey)]
    (note,) = {event for event in alice.world.publisher.taken_events if event.kind == 1}
    assert all_tags(note, "e") == (("e", alice.start),)
    assert all_tags(note, "p") == (("p", ALICE.pubkey), ("p", BOB.pubkey))
    assert alice.game.result == "0-1"


def test_of_many_strangers_a_few_are_named() -> None:
    alice, _ = refereed()
    for number in range(50):
        eve = stranger(alice, f"eve{number}")
        eve.world.hear(eve.move_event("e2e4"))

    assert len(alice.notes()) == NAMED_STRANGERS
    counted = alice.world.rate_limits.counts
    # The few, and the game: for the rest nothing of their own is kept.
    assert len([key for key, *_ in counted if key.startswith("stranger")]) == NAMED_STRANGERS + 1


def test_one_stranger_leaves_room_for_another() -> None:
    alice, _ = refereed()
    eve = stranger(alice)
    for _ in range(9):
        eve.world.hear(eve.move_event("e2e4"))
    other = stranger(alice, "mallory")
    other.world.hear(other.move_event("e2e4"))

    assert len(alice.notes()) == 2


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"kind":1}', '{"kind":1,"history":["\\u0000"]}']
)
def test_whatever_a_stranger_writes_they_alone_are_named(content: str) -> None:
    alice, _ = refereed()
    alice.world.hear(an_event(EVE, 30, content, (("e", alice.start), ("e", "x"), ("p",))))

    assert alice.notes() == [named(EVE.pubkey)]
    assert alice.game.ply == 0


def test_in_a_game_with_an_opponent_of_ours_strangers_are_passed_over() -> None:
    alice, _ = against_bob()
    eve = stranger(alice)
    eve.world.hear(eve.move_event("e2e4"))

    assert alice.notes() == []


def test_after_the_end_no_stranger_is_named() -> None:
    alice, bob = refereed()
    play((alice, bob), "f2f3 e7e5 g2g4 d8h4")
    eve = stranger(alice)
    eve.history = []
    eve.world.hear(eve.move_event("e2e4"))

    assert alice.notes() == []


def test_where_counting_fails_the_game_goes_on_unsaid() -> None:
    alice, bob = refereed()

    def fails(point: str) -> None:
        raise OSError(point)

    alice.world.rate_limits.hook = fails
    eve = stranger(alice)
    eve.world.hear(eve.move_event("e2e4"))
    play((alice, bob), "e2e4")

    assert alice.notes() == []
    assert alice.game.ply == 1


def test_a_month_later_strangers_are_named_again() -> None:
    alice, _ = refereed()
    eve = stranger(alice)
    for uci, kinds in (("e2e4", [1]), ("d2d4", []), ("g1f3", [1])):
        assert [event.kind for event in eve.world.hear(eve.move_event(uci))] == kinds
        alice.world.clock.ms += (1 if uci == "e2e4" else NAMED_SECONDS) * 1000
