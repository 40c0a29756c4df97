"""The NIP-100 draft as it is written plays, without a tag and without AUTH; and what of it was
signed for another server counts at most once.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.core.game import Game, Termination
from arbiter.nostr.event import VerifiedEvent
from tests.application.gateway.bare_player import BarePlayer
from tests.application.gateway.relay_world import NOW, RelayWorld, a_relay, fates, told
from tests.application.jester_player import JesterPlayer
from tests.application.native_player import NativePlayer
from tests.application.socket_player import ACCEPTED
from tests.application.ssb_player import SsbPlayer
from tests.builders import ALICE, BOB, EVE, an_event

MATE = ("f2f3", "e7e5", "g2g4", "d8h4")
RESTRICTED = ("OK", False, "restricted: this socket does not speak for you: connect first")


Opponent = BarePlayer | NativePlayer | SsbPlayer | JesterPlayer


def opponent(relay: RelayWorld, wire: str, color: str) -> Opponent:
    match wire:
        case "nip100":
            return BarePlayer(relay, BOB)
        case "native":
            return NativePlayer(relay.world, BOB)
        case "ssb":
            return SsbPlayer(relay.world, color, color)
        case _:
            return JesterPlayer(relay.world, BOB, color)


def seated(color: str, wire: str) -> tuple[RelayWorld, BarePlayer, Opponent, Game]:
    """Alice has this color: they ask until the hash of their requests has it so."""
    for second in range(60):
        relay = RelayWorld()
        relay.world.clock.ms += 1000 * second
        bare = BarePlayer(relay, ALICE)
        other = opponent(relay, wire, "black" if color == "white" else "white")
        assert bare.connect() == [ACCEPTED]
        other.connect()
        (game,) = relay.world.games.by_id.values()
        if (game.white.player == bare.pubkey) == (color == "white"):
            return relay, bare, other, game
    raise AssertionError("never in sixty games")


@pytest.mark.parametrize("color", ["white", "black"])
@pytest.mark.parametrize("wire", ["nip100", "native", "ssb", "jester"])
def test_a_client_without_a_tag_plays_every_protocol_to_mate(wire: str, color: str) -> None:
    relay, bare, other, game = seated(color, wire)
    for at, uci in enumerate(MATE):
        if (at % 2 == 0) == (color == "white"):
            assert bare.move(uci)[:1] == [ACCEPTED]
        else:
            other.move(uci)
    outcome = relay.world.game(game.id).outcome
    assert outcome is not None
    assert outcome.termination is Termination.CHECKMATE


def test_a_client_without_a_tag_stops_searching_comes_back_offers_and_resigns() -> None:
    relay = RelayWorld()
    alice, bob = BarePlayer(relay, ALICE), BarePlayer(relay, BOB)
    assert alice.connect() == [ACCEPTED]
    assert alice.cancel() == [ACCEPTED]
    assert bob.connect() == [ACCEPTED]
    assert alice.connect()[0] == ACCEPTED
    (game,) = relay.world.games.by_id.values()
    white, black = (alice, bob) if game.white.player == ALICE.pubkey else (bob, alice)
    assert white.move("e2e4") == [ACCEPTED]
    relay.close(black.socket)
    black.socket = "a new one"
    relay.open(black.socket)
    assert black.move("e7e5") == [RESTRICTED]
    assert black.connect() == [("OK", True, "black"), ("EVENT", 5002, "e2e4")]
    assert black.move("e7e5") == [ACCEPTED]
    assert black.offer() == [("OK", True, "offer")]
    assert white.resign() == [("OK", True, "resigned")]


NAMELESS = ((), (("p",),), (("p",), ("p",)), (("P", ALICE.pubkey),))


@given(
    st.integers(-900, 900),
    st.sampled_from(["connect", "cancelsearch", "Connect", ""]),
    st.sampled_from(NAMELESS),
)
def test_what_names_no_server_is_taken_while_it_is_fresh(
    off: int, content: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    relay, event = a_relay(), an_event(ALICE, 5000, content, tags, NOW + off)
    expected = "-" if abs(off) <= 30 else "invalid"
    if content == "cancelsearch" and abs(off) <= 30:
        expected = "restricted"
    assert (fates(relay, [event]), len(relay.queue.waiting)) == (expected, expected == "-")


@pytest.mark.parametrize(("off", "where"), [(31, "ahead of"), (-31, "behind")])
def test_the_refusal_says_by_how_much_a_clock_is_off_and_no_challenge_is_sent(
    off: int, where: str
) -> None:
    relay, event = a_relay(), an_event(ALICE, 5000, "connect", (), NOW + off)
    text = (
        f"invalid: created_at is 31 s {where} our clock, and 30 s are allowed"
        " without a p tag that names this arbiter"
    )
    assert relay.publish(event) == [["OK", event.id, False, text]]


@pytest.mark.parametrize("tags", NAMELESS)
@pytest.mark.parametrize("content", ["connect", "cancelsearch"])
def test_an_operator_may_ask_for_a_name_or_a_proof(
    content: str, tags: tuple[tuple[str, ...], ...]
) -> None:
    relay, event = a_relay(untagged_connect_seconds=0), an_event(ALICE, 5000, content, tags, NOW)
    text = "auth-required: name this arbiter in a p tag, or authenticate"
    challenge = relay.connections.open["x"].challenge
    assert relay.publish(event) == [["AUTH", challenge], ["OK", event.id, False, text]]
    relay.connections.authenticate("x", ALICE.pubkey)
    assert told(relay.publish(event)) == ()
    assert len(relay.queue.waiting) == 1


def test_a_search_is_ended_on_the_socket_that_began_it_alone() -> None:
    relay = RelayWorld()
    alice, thief, bob = BarePlayer(relay, ALICE), BarePlayer(relay, EVE), BarePlayer(relay, BOB)
    alice.connect()
    assert thief.send(alice.event(5000, "cancelsearch")) == [RESTRICTED]
    bob.connect()
    assert len(relay.world.games.by_id) == 1


def seated_by_a_replay() -> tuple[RelayWorld, BarePlayer, BarePlayer, VerifiedEvent]:
    """Bob was here; Alice was at another server, where Eve saw her search and brought it here."""
    relay = RelayWorld()
    alice, thief, bob = BarePlayer(relay, ALICE), BarePlayer(relay, EVE), BarePlayer(relay, BOB)
    bob.connect()
    captured = alice.event(5000, "connect")
    assert thief.send(captured)[0] == ACCEPTED
    return relay, thief, bob, captured


def test_a_replay_seats_its_author_once_in_a_casual_game_without_a_clock() -> None:
    relay, thief, bob, captured = seated_by_a_replay()
    (game,) = relay.world.games.by_id.values()
    assert (game.clocks, game.rated) == (None, False)
    bob.resign()
    bob.connect()
    assert thief.send(captured)[0] == ACCEPTED
    assert len(relay.world.games.by_id) == 1


def test_the_opponent_of_an_author_who_is_not_there_leaves_after_a_minute_for_nothing() -> None:
    relay, _, bob, _ = seated_by_a_replay()
    (game,) = relay.world.games.by_id.values()
    if game.white.player == BOB.pubkey:
        bob.move("e2e4")
    relay.world.clock.ms += 61_000
    bob.resign()
    assert relay.world.game(game.id).outcome is not None
    assert bob.connect() == [ACCEPTED]
    ends = relay.world.lobby.player(BOB.pubkey).early_ends
    assert [end.is_own for end in ends] in ([], [False])


def test_a_copy_of_what_was_seen_here_gives_its_bringer_no_voice() -> None:
    relay = RelayWorld()
    alice, thief, bob = BarePlayer(relay, ALICE), BarePlayer(relay, EVE), BarePlayer(relay, BOB)
    seen = alice.event(5000, "connect")
    alice.send(seen)
    bob.connect()
    thief.send(seen)
    assert thief.send(alice.event(5003, "resign")) == [RESTRICTED]
    assert thief.send(alice.event(5001, "e2e4")) == [RESTRICTED]
    (game,) = relay.world.games.by_id.values()
    assert game.outcome is None


def test_a_game_of_another_protocol_is_out_of_reach() -> None:
    relay = RelayWorld()
    alice, thief = BarePlayer(relay, ALICE), BarePlayer(relay, EVE)
    game_id = relay.world.start(ALICE, BOB).game_id
    elsewhere = "invalid: your game was begun in another protocol: end it there"
    for kind, content in ((5000, "connect"), (5001, "e2e4"), (5003, "resign")):
        assert thief.send(alice.event(kind, content)) == [("OK", False, elsewhere)]
    game = relay.world.game(game_id)
    assert (game.moves, game.outcome) == ((), None)


def test_over_a_relay_the_draft_is_not_spoken() -> None:
    relay = RelayWorld()
    assert relay.world.hear(an_event(ALICE, 5000, "connect", (), NOW)) == []
    assert relay.world.statuses() == ["not-by-socket"]
    assert relay.world.lobby.player(ALICE.pubkey).item_version == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 29, 31, 119]), st.sampled_from("xyz")),
        max_size=8,
    )
)
def test_however_often_it_is_brought_each_search_seats_its_author_at_most_once(
    brought: list[tuple[int, int, str]],
) -> None:
    relay = a_relay()
    for socket in "yz":
        relay.open(socket)
    world, us = relay.world, ("p", relay.deps.server)
    captured = [an_event(ALICE, 5000, "connect", (), NOW + 20 * number) for number in range(3)]
    for number, pause_seconds, socket in brought:
        world.clock.ms += 1000 * pause_seconds
        relay.publish(captured[number], on=socket)
        relay.arbitrate()
        world.ask(BOB)
        for game_id in world.games.by_id:
            tags = (("d", game_id), us)
            world.hear(an_event(BOB, 20303, "resign", tags, world.clock.ms // 1000))
    assert len(world.games.by_id) <= len({number for number, *_ in brought})
