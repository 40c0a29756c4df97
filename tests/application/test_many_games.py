"""One player's many games: how many, how often they are shown, and what they cost."""

from dataclasses import replace

import pytest

from arbiter.application.play import places
from arbiter.application.play.places import GAMES_LISTED
from arbiter.core.pairing import MAX_SLOW_GAMES
from arbiter.nostr.event import VerifiedEvent
from tests.application.world import World
from tests.builders import ALICE, BOB, a_key, an_event
from tests.fakes.faults import quiet

BY_DAYS = ("time", "3d")
OTHERS = [a_key(f"opponent {number}") for number in range(MAX_SLOW_GAMES + 2)]


def begun(world: World, opponent: int) -> str:
    """The id of a game by days of Alice and this opponent."""
    world.clock.ms += 5_000
    queued, _ = world.ask(ALICE, "", BY_DAYS, ("challenge", OTHERS[opponent].pubkey))
    challenge = next(tag[1] for tag in queued.tags if tag[0] == "challenge")
    answers = world.ask(OTHERS[opponent], f"accept:{challenge}")
    (game,) = {event.tags[0][1] for event in answers if event.kind == 20302}
    return game


def contents(events: list[VerifiedEvent]) -> list[str]:
    return [event.content.split(":")[0] for event in events if event.kind == 20301]


@pytest.fixture(scope="module")
def full() -> tuple[World, list[str]]:
    """Alice plays as many slow games as she may."""
    world = World()
    return world, [begun(world, number) for number in range(MAX_SLOW_GAMES)]


def test_one_game_too_many_is_refused_wherever_it_would_begin(
    full: tuple[World, list[str]],
) -> None:
    world, games = full
    read: list[str] = []
    world.games.hook = read.append
    for tags in ((BY_DAYS,), (BY_DAYS, ("challenge", BOB.pubkey)), (("bots", "welcome"),)):
        world.clock.ms += 60_000
        (refused,) = world.ask(ALICE, "", *tags)
        assert refused.content.startswith(f"error:rate-limited: you play {MAX_SLOW_GAMES} games")
    queued, challenged = world.ask(OTHERS[-1], "", BY_DAYS, ("challenge", ALICE.pubkey))
    challenge = challenged.content.split(":")[1]
    (refused,) = world.ask(ALICE, f"accept:{challenge}")
    assert refused.content.startswith("error:rate-limited: you play")
    assert len(world.lobby.player(ALICE.pubkey).slow_games) == len(games)
    assert queued.content == "queued"
    world.games.hook = quiet
    assert read.count("games.load") <= 5, "the one game; the others are read together"


def test_all_are_shown_in_one_read_and_not_again_and_again(full: tuple[World, list[str]]) -> None:
    world, games = full
    world.clock.ms += 60_000
    told: list[list[str]] = []
    for _ in range(GAMES_LISTED // MAX_SLOW_GAMES + 1):
        world.clock.ms += 1_000
        told.append(contents(world.ask(ALICE, "state")))
    assert [one.count("started") for one in told] == [*[len(games)] * (len(told) - 1), 1]
    read: list[str] = []
    world.games.hook = read.append
    for question in ("state", ""):
        world.clock.ms += 1_000
        asked = world.ask(ALICE, question)
        assert contents(asked)[:1] == ["started"]
        if question:
            assert (asked[-1].content, asked[-1].tags[1]) == ("end", ("end", str(len(games))))
    world.games.hook = quiet
    assert "games.load_all" not in read, "all of them are not read again and again either"


def test_those_who_ask_for_all_their_games_share_what_is_read_for_all(
    full: tuple[World, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, games = full
    monkeypatch.setattr(places, "ALL_GAMES_LISTED", len(games) + 1)
    world.clock.ms += 60_000
    shown: list[int] = []
    for _ in range(2):
        world.clock.ms += 1_000
        shown.append(contents(world.ask(ALICE, "state")).count("started"))
    assert shown == [len(games), 1]


def test_a_game_that_ends_makes_room_for_another(full: tuple[World, list[str]]) -> None:
    world, games = full
    world.clock.ms += 60_000
    tags = (("d", games[7]), ("p", world.deps.server))
    world.hear(an_event(ALICE, 20303, "abort", tags, world.clock.ms // 1000))
    assert begun(world, MAX_SLOW_GAMES) not in games
    kept = world.lobby.player(ALICE.pubkey).slow_games
    assert games[7] not in kept
    assert len(kept) == MAX_SLOW_GAMES


def test_a_slow_game_that_an_earlier_release_began_is_one_of_many() -> None:
    """It has the player's one place, and no list names it."""
    world = World()
    first = begun(world, 0)
    player = world.lobby.player(ALICE.pubkey)
    world.lobby.players[ALICE.pubkey] = replace(player, game_id=first, slow_games=())
    assert contents(world.ask(ALICE, "state")) == ["started", "end"]
    second = begun(world, 1)
    world.clock.ms += 1_000
    world.ask(ALICE, "", ("time", "300+3"))
    world.ask(BOB, "", ("time", "300+3"))
    assert contents(world.ask(ALICE, "state")) == ["started"] * 3 + ["end"]
    assert {*world.lobby.player(ALICE.pubkey).slow_games} == {first, second}
