"""Requests to play in a lobby on which other players, or failures, have left their marks."""

from dataclasses import replace

import pytest

from arbiter.core.pairing import FRESH_MS
from arbiter.core.rules import Rules
from arbiter.core.terms import PLAIN
from tests.application.script import run
from tests.application.world import World
from tests.builders import ALICE, SERVER, an_event


def test_a_player_whose_game_is_missing_can_play_again() -> None:
    talk = run("alice seek\n bob seek")
    talk.world.games.by_id.clear()
    talk.line("alice seek > alice queued")
    talk.line("carol seek")
    assert talk.fact("games") == "1"


def test_a_lobby_that_took_minutes_to_win_is_asked_with_the_time_it_is_then() -> None:
    """A race lost is decided anew in every respect."""
    world = World()
    points: list[str] = []

    def rival(point: str) -> None:
        points.append(point)
        if point == "lobby.commit" and points.count(point) == 1:
            world.clock.ms += 5000
            pool = world.lobby.pool(PLAIN.pool)
            world.lobby.pools[pool.name] = replace(pool, item_version=pool.item_version + 1)

    world.lobby.hook = rival
    world.ask(ALICE)

    (waiting,) = world.lobby.pool(PLAIN.pool).waiting
    assert waiting.asked_at_ms == world.clock.ms
    assert points.count("lobby.commit") == 2


def words(world: World, at: int, content: str = "") -> list[str]:
    """The first words of the answers to Alice's request of this date (unix seconds)."""
    said = world.hear(an_event(ALICE, 20300, content, (("p", SERVER.pubkey),), at))
    return [event.content.split(": ")[0] for event in said]


@pytest.mark.parametrize("is_known", [False, True])
def test_a_request_dated_ahead_stays_refused_when_its_hour_has_come(*, is_known: bool) -> None:
    """Relays keep what is dated ahead until it is old, and send it to each new listener."""
    world = World()
    if is_known:
        world.ask(ALICE, "cancel")
    ahead = (world.clock.ms + 2 * FRESH_MS) // 1000
    for _ in range(5):
        assert words(world, ahead) == ["error:stale"]
        world.clock.ms += FRESH_MS // 2
    assert world.lobby.pool(PLAIN.pool).waiting == ()
    assert words(world, world.clock.ms // 1000) == ["queued"]


def test_a_refusal_is_remembered_after_a_conflicting_write() -> None:
    talk = run("meanwhile lobby.commit: alice cancel")
    ahead = (talk.world.clock.ms + 2 * FRESH_MS) // 1000
    request = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),), ahead)
    talk.world.hear(request)
    assert talk.world.lobby.player(ALICE.pubkey).was_refused(request.id)


def test_a_stranger_without_proof_of_work_is_not_written_down_by_a_date() -> None:
    """They would be no stranger any more."""
    world = World(Rules(work_of_strangers=20))
    words(world, (world.clock.ms + 2 * FRESH_MS) // 1000)
    assert world.lobby.player(ALICE.pubkey).item_version == 0
    assert world.ask(ALICE)[0].content == "error:pow: 20"


@pytest.mark.parametrize("content", ["", "cancel", "state", "accept:nonsense"])
def test_each_of_two_requests_in_one_second_has_an_answer_of_its_own(content: str) -> None:
    world = World()
    for number in "12":
        tags = (("p", SERVER.pubkey), ("nonce", number))
        request = an_event(ALICE, 20300, content, tags, world.clock.ms // 1000)
        answers = world.hear(request)
        assert [event.tags[-1] for event in answers] == [("e", request.id)] * len(answers)
