"""A batch of requests to play: paired in memory, written in one transaction, and one by one where
that cannot be.
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from arbiter.application.intake.batch import Record
from arbiter.application.lobby.unit_of_work import may_be_batched
from arbiter.application.records import PlayerEvent
from arbiter.dialects.tournaments import DIALECT
from arbiter.nostr.keys import SecretKey
from tests.application.socket_player import SocketPlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER, an_event
from tests.fakes.faults import Crash, crash_at, quiet
from tests.fakes.stores import FakeGames, FakeLobby, FakeRatings

PLAYERS = [SecretKey.generate(bytes([number]) * 32) for number in range(1, 11)]


def a_request(world: World, key: SecretKey, content: str = "", *tags: tuple[str, ...]) -> Record:
    named = (("p", SERVER.pubkey), *tags)
    event = an_event(key, 20300, content, named, world.clock.ms // 1000)
    return world.record(world.body(event), "one group")


def games_of(world: World, players: Sequence[SecretKey] = PLAYERS) -> list[str | None]:
    return [world.lobby.players[key.pubkey].game_id for key in players]


def counted(store: FakeLobby | FakeRatings | FakeGames) -> Counter[str]:
    """The points that this one comes to from now on."""
    seen: Counter[str] = Counter()
    store.hook = lambda point: seen.update((point,))
    return seen


def test_ten_who_ask_for_the_same_begin_five_games_in_one_transaction() -> None:
    world = World()
    seen, rated = counted(world.lobby), counted(world.ratings)
    assert world.deliver(*(a_request(world, key, "", ("time", "60+0")) for key in PLAYERS)) == ()
    assert seen == {
        "lobby.load_players": 1,
        "lobby.pool": 1,
        "lobby.commit": 1,
        "lobby.committed": 1,
    }
    assert rated == {"ratings.load_standings": 1}
    assert world.statuses() == ["queued", "paired"] * 5
    assert sorted(Counter(games_of(world)).values()) == [2] * 5
    assert None not in games_of(world)
    assert len(world.timers.near) == 5
    told = [event for event in world.publisher.taken_events if event.kind == 20302]
    assert len({event.tags[0] for event in told}) == 5


def test_who_is_left_waits_and_meets_the_first_of_the_next_batch() -> None:
    world = World()
    for players in (PLAYERS[:3], PLAYERS[3:6]):
        assert world.deliver(*(a_request(world, key) for key in players)) == ()
    assert world.statuses() == ["queued", "paired", "queued", "paired", "queued", "paired"]
    assert games_of(world, PLAYERS[2:3]) == games_of(world, PLAYERS[3:4])


def test_a_player_who_withdraws_in_the_same_batch_is_paired_with_no_one() -> None:
    world = World()
    one, other = PLAYERS[:2]
    batch = [a_request(world, one), a_request(world, one, "cancel"), a_request(world, other)]
    assert world.deliver(*batch) == ()
    assert world.statuses() == ["queued", "cancelled", "queued"]
    assert games_of(world, [one, other]) == [None, None]


def test_what_others_wrote_first_is_read_and_all_is_paired_again() -> None:
    world = World()
    batch = [a_request(world, key) for key in PLAYERS[:3]]
    rival = [PLAYERS[3]]

    def hook(point: str) -> None:
        if point == "lobby.commit" and rival:
            assert world.deliver(a_request(world, rival.pop())) == ()

    world.lobby.hook = hook
    assert world.deliver(*batch) == ()
    assert None not in games_of(world, PLAYERS[:4])
    assert sorted(Counter(games_of(world, PLAYERS[:4])).values()) == [2, 2]


def test_who_could_not_be_read_with_the_others_is_read_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    monkeypatch.setattr(world.lobby, "load_players", lambda _: {})
    monkeypatch.setattr(world.ratings, "load_standings", lambda *_: {})
    seen = counted(world.lobby)
    batch = [a_request(world, key, "", ("time", "60+0")) for key in PLAYERS[:4]]
    assert world.deliver(*batch) == ()
    assert world.statuses() == ["queued", "paired"] * 2
    assert (seen["lobby.player"], seen["lobby.commit"]) == (4, 1)


@pytest.mark.parametrize("point", ["lobby.commit", "lobby.committed", "lobby.pool"])
def test_when_the_transaction_fails_each_request_is_handled_by_itself(point: str) -> None:
    world = World()
    world.lobby.hook = crash_at(point)
    assert world.deliver(*(a_request(world, key) for key in PLAYERS[:4])) == ()
    assert sorted(Counter(games_of(world, PLAYERS[:4])).values()) == [2, 2]
    assert len(world.games.by_id) == 2


def test_no_timer_is_set_for_a_game_that_was_not_written() -> None:
    world = World()

    def hook(point: str) -> None:
        if point == "lobby.commit":
            raise Crash(point)

    world.lobby.hook = hook
    batch = [a_request(world, key, "", ("time", "60+0")) for key in PLAYERS[:2]]
    assert [*world.deliver(*batch)] == [record.id for record in batch]
    assert (world.timers.near, [*world.games.by_id]) == ([], [])


def test_a_challenge_among_them_is_made_and_the_others_are_paired() -> None:
    world = World()
    one, other, third = PLAYERS[:3]
    batch = [
        a_request(world, one),
        a_request(world, third, "", ("challenge", PLAYERS[9].pubkey)),
        a_request(world, other),
    ]
    assert world.deliver(*batch) == ()
    assert world.statuses() == ["queued", "challenged", "paired"]
    assert games_of(world, [one]) == games_of(world, [other])


def test_a_pairing_that_was_not_told_is_told_however_often_others_write_first() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "alice"), SocketPlayer(world, BOB, "bob")
    alice.connect()
    connect = world.record(world.body(bob.event(5000, "connect"), "bob"), "one group")
    world.lobby.hook = crash_at("lobby.committed")
    assert world.deliver(connect) == (connect.id,)
    world.clock.ms += 48_000
    another, *rivals = (a_request(world, key, "", ("time", "60+0")) for key in PLAYERS[:4])

    def hook(point: str) -> None:
        if point == "lobby.commit" and rivals:
            rival, world.lobby.hook = rivals.pop(), quiet
            assert world.deliver(rival) == ()
            world.lobby.hook = hook

    world.lobby.hook = hook
    assert world.deliver(connect, another) == ()
    assert ("EVENT", 5000, "gameisfound") in alice.heard()
    assert rivals == []


@pytest.mark.parametrize("kind", sorted(DIALECT.kinds))
def test_what_is_about_tournaments_is_in_no_batch(kind: int) -> None:
    received = PlayerEvent(an_event(ALICE, kind, "join", (("p", SERVER.pubkey),)), 0)
    asked = PlayerEvent(an_event(ALICE, 20300, "", (("p", SERVER.pubkey),)), 0)

    assert may_be_batched((asked, asked))
    assert not may_be_batched((asked, received))
