"""Challenges to house players: kept, answered by any program of the level, or told their place."""

from dataclasses import replace

import pytest

from arbiter.nostr.keys import SecretKey
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, a_key

ONE, OTHER, STRONG = (a_key(name) for name in ("one", "other", "strong"))


@pytest.fixture
def world() -> World:
    """Two programs of level 1, and one of level 4."""
    made = World()
    levels = {ONE.pubkey: 1, OTHER.pubkey: 1, STRONG.pubkey: 4}
    made.deps = replace(made.deps, house_levels=levels)
    return made


def told(world: World, key: SecretKey, content: str, *tags: tuple[str, ...]) -> list[str]:
    """The contents of the answers, a second later, and a place if there is one."""
    world.clock.ms += 1000
    answers = world.ask(key, content, *tags)
    places = [" ".join(tag) for event in answers for tag in event.tags if tag[0] == "place"]
    return [event.content.split(" ")[0] for event in answers if event.kind == 20301] + places


def challenges(world: World, key: SecretKey, opponent: SecretKey) -> str:
    queued, came = told(world, key, "", ("challenge", opponent.pubkey))
    assert queued == "queued"
    return came.split(":")[1]


def test_what_came_before_the_programs_did_is_told_them_in_its_order(world: World) -> None:
    ids = [challenges(world, key, ONE) for key in (ALICE, BOB)]
    for _ in range(2):
        refused, *waits = told(world, ONE, "state")
        assert refused.startswith("error:unknown-game")
        assert [one.split(":")[1] for one in waits] == ids
    assert [len(told(world, key, "state")) for key in (OTHER, STRONG)] == [3, 1]
    assert any("started" in one for one in told(world, ONE, f"accept:{ids[0]}"))
    shown, *waits = told(world, ONE, "state")
    assert (shown.split(":")[0], [one.split(":")[1] for one in waits]) == ("started", ids[1:])


def test_a_challenge_that_is_listed_in_the_second_it_was_made_in_is_another_event(
    world: World,
) -> None:
    """Relays drop an event that they have sent, and a program may have subscribed in between."""
    made = world.ask(ALICE, "", ("challenge", ONE.pubkey))
    listed = [*world.ask(ONE, "state"), *world.ask(OTHER, "state")]
    told = [event for event in (*made, *listed) if event.content.startswith("challenged:")]
    assert len({event.id for event in told}) == len(told) == 3
    named = [[tag[1] for tag in event.tags if tag[0] == "p"] for event in told]
    assert named == [[ONE.pubkey], [ONE.pubkey], [OTHER.pubkey]]


def test_of_a_level_any_program_may_accept_and_it_is_played_once(world: World) -> None:
    challenge = challenges(world, ALICE, ONE)
    for wrong in (STRONG, BOB, ALICE):
        assert told(world, wrong, f"accept:{challenge}") == ["error:unknown-challenge:"]
    started = told(world, OTHER, f"accept:{challenge}")
    assert any(OTHER.pubkey in one for one in started), started
    assert told(world, ONE, f"accept:{challenge}") == ["error:unknown-challenge:"]


def test_a_program_that_plays_cannot_accept_and_the_house_is_asked_again(world: World) -> None:
    assert told(world, ONE, f"accept:{challenges(world, ALICE, ONE)}")
    challenge = challenges(world, BOB, OTHER)
    refused, again = told(world, ONE, f"accept:{challenge}")
    assert refused == "error:playing:"
    assert again == f"challenged:{challenge}:{BOB.pubkey}"
    person = challenges(world, EVE, ALICE)
    assert any("started" in one for one in told(world, ALICE, f"accept:{person}"))


@pytest.mark.parametrize("place", [1, 2, 999])
def test_who_waits_in_line_is_told_the_place_as_often_as_it_changes(
    world: World, place: int
) -> None:
    challenge = challenges(world, ALICE, ONE)
    for teller in (ONE, OTHER):
        assert told(world, teller, f"wait:{challenge}:{place}") == ["queued", f"place {place}"]
    assert any("started" in one for one in told(world, ONE, f"accept:{challenge}"))
    assert told(world, OTHER, f"wait:{challenge}:{place}") == ["error:unknown-challenge:"]


@pytest.mark.parametrize(
    "content", ["wait:{}", "wait:{}:0", "wait:{}:1000", "wait:{}:x", "wait:1:1"]
)
def test_what_is_no_place_is_a_plain_request(world: World, content: str) -> None:
    challenge = challenges(world, ALICE, ONE)
    assert told(world, BOB, content.format(challenge)) == ["queued"]


def test_only_the_house_has_a_line(world: World) -> None:
    challenge = challenges(world, ALICE, BOB)
    assert told(world, BOB, f"wait:{challenge}:1") == ["error:unknown-challenge:"]
    assert told(world, STRONG, f"wait:{challenge}:1") == ["error:unknown-challenge:"]


def test_a_program_does_not_accept_its_own_challenge_in_the_place_of_another(world: World) -> None:
    own = challenges(world, ONE, OTHER)
    assert told(world, ONE, f"accept:{own}") == ["error:unknown-challenge:"]
