"""Players who block others, over every protocol."""

from typing import Any

import pytest

from arbiter.adapters.items.lobby import item_of_player, player_of_item
from arbiter.application.door import APART
from arbiter.application.lobby.settle import MAX_LOOKED_FOR
from arbiter.core.pairing import MAX_BLOCKED, Player
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip19 import encode_npub
from tests.application.script import Conversation
from tests.application.test_one_game_on_every_wire import voice
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event

WIRES = ("native", "socket", "ssb", "jester")


@pytest.fixture
def world() -> World:
    return World()


def asks(
    world: World, content: str, *tags: tuple[str, ...], key: Any = ALICE
) -> list[VerifiedEvent]:
    world.clock.ms += 1000
    return world.ask(key, content, *tags)


def contents(said: list[VerifiedEvent]) -> list[str]:
    return [event.content for event in said if event.kind == 20301]


def blocked_in(said: list[VerifiedEvent]) -> tuple[str, ...]:
    (tag,) = (tag for event in said for tag in event.tags if tag[0] == "blocked")
    return tag[1:]


def test_who_is_blocked_is_told_back_and_taken_out(world: World) -> None:
    assert blocked_in(asks(world, f"block:{encode_npub(BOB.pubkey)}")) == (BOB.pubkey,)
    assert blocked_in(asks(world, f"block:{EVE.pubkey}")) == (BOB.pubkey, EVE.pubkey)
    assert blocked_in(asks(world, f"block:{BOB.pubkey}")) == (EVE.pubkey, BOB.pubkey)
    assert blocked_in(asks(world, "state")) == (EVE.pubkey, BOB.pubkey)
    assert blocked_in(asks(world, f"unblock:{BOB.pubkey}")) == (EVE.pubkey,)
    assert blocked_in(asks(world, f"unblock:{EVE.pubkey}")) == ()
    assert not [tag for event in asks(world, "state") for tag in event.tags if tag[0] == "blocked"]


@pytest.mark.parametrize("content", ["block:", "block:bob", f"block:{'G' * 64}"])
def test_what_is_no_key_is_refused_and_seeks_no_game(world: World, content: str) -> None:
    assert contents(asks(world, content)) == [
        "error:bad-terms: block: name one key, npub1… or 64 hex digits"
    ]


def test_a_list_is_bounded_and_nobody_blocks_themselves(world: World) -> None:
    for number in range(MAX_BLOCKED):
        world.clock.ms += 10_000
        asks(world, f"block:{number:064x}")

    full = contents(asks(world, f"block:{BOB.pubkey}"))
    own = contents(asks(world, f"block:{ALICE.pubkey}"))

    assert full == [f"error:rate-limited: you block {MAX_BLOCKED} players: unblock one first"]
    assert own == ["error:bad-terms: you cannot block yourself"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("first", ["blocker", "blocked"])
def test_two_of_whom_one_blocks_the_other_are_not_paired_and_others_are(
    world: World, wire: str, first: str
) -> None:
    blocker, blocked = voice(world, ALICE, "native", "white"), voice(world, BOB, wire, "black")
    asks(world, f"block:{blocked.pubkey}")

    for player in (blocker, blocked) if first == "blocker" else (blocked, blocker):
        player.connect()
    assert not world.games.by_id

    asks(world, f"unblock:{blocked.pubkey}")
    blocker.connect()
    assert len(world.games.by_id) == 1


def test_the_next_who_waits_is_paired_in_place_of_a_blocked_player(world: World) -> None:
    asks(world, f"block:{BOB.pubkey}")
    asks(world, "", key=BOB)
    asks(world, "", key=EVE)  # with Bob: none of them blocks
    (game,) = world.games.by_id.values()
    assert {game.white.player, game.black.player} == {BOB.pubkey, EVE.pubkey}


def test_many_keys_that_block_two_players_do_not_keep_these_from_each_other(world: World) -> None:
    crowd = [a_key(f"crowd {number}") for number in range(MAX_LOOKED_FOR + 2)]
    for number, key in enumerate(crowd):
        asks(world, f"block:{ALICE.pubkey}", key=key)
        asks(world, f"block:{BOB.pubkey}", key=key)
        for other in crowd[:number]:
            asks(world, f"block:{other.pubkey}", key=key)
        asks(world, "", key=key)
    assert not world.games.by_id
    asks(world, "")
    assert not world.games.by_id

    asks(world, "", key=BOB)

    (game,) = world.games.by_id.values()
    assert {game.white.player, game.black.player} == {ALICE.pubkey, BOB.pubkey}


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_a_game_that_two_began_by_themselves_is_not_refereed_between_them(who: str) -> None:
    talk = Conversation()
    other = talk.players.key("bob" if who == "alice" else "alice")
    asks(talk.world, f"block:{other.pubkey}", key=talk.players.key(who))

    talk.line("+bob start to=alice; +bob e2e4")

    assert not talk.world.games.by_id
    assert APART in talk.players.jesters["bob"].notes()[0]


@pytest.mark.parametrize("blocker", [ALICE, BOB])
def test_no_challenge_passes_between_them(world: World, blocker: Any) -> None:
    other = BOB if blocker is ALICE else ALICE
    asks(world, f"block:{other.pubkey}", key=blocker)

    by_name = contents(asks(world, "", ("challenge", BOB.pubkey), ("time", "180+2")))
    asked = asks(world, "", ("challenge", "open"), ("time", "180+2"))
    (challenge_id,) = (tag[1] for event in asked for tag in event.tags if tag[0] == "challenge")
    accepted = contents(asks(world, f"accept:{challenge_id}", key=BOB))

    assert by_name == ["error:declined: generic"]
    assert accepted == ["error:unknown-challenge: no challenge of this id waits for you"]
    assert not world.games.by_id


def test_a_challenge_made_before_the_block_is_not_played(world: World) -> None:
    made = asks(world, "", ("challenge", BOB.pubkey), ("time", "180+2"))
    (challenge_id,) = {tag[1] for event in made for tag in event.tags if tag[0] == "challenge"}
    asks(world, f"block:{BOB.pubkey}")

    asks(world, f"accept:{challenge_id}", key=BOB)

    assert not world.games.by_id


def test_a_game_goes_on_while_one_blocks_the_other_and_has_no_rematch(world: World) -> None:
    asks(world, "")
    asks(world, "", key=BOB)
    (game,) = world.games.by_id.values()
    assert blocked_in(asks(world, f"block:{BOB.pubkey}")) == (BOB.pubkey,), "also while they play"
    tags = (("d", game.id), ("p", SERVER.pubkey))

    said: list[VerifiedEvent] = []
    for key, word in ((ALICE, "resign"), (ALICE, "rematch"), (BOB, "rematch")):
        world.clock.ms += 1000
        said = world.hear(an_event(key, 20303, word, tags, world.clock.ms // 1000))

    assert world.game(game.id).outcome is not None
    assert len(world.games.by_id) == 1
    assert [event.content for event in said if event.kind == 20304] == [
        "not-offered-here: your opponent plays no rematch"
    ]


def test_a_block_is_stored_and_keeps_its_player() -> None:
    player = Player(ALICE.pubkey, blocked=(BOB.pubkey, EVE.pubkey), item_version=1)

    item = item_of_player(player, 1_800_000_000_000)

    assert player_of_item(item) == player
    assert "expires_at" not in item
