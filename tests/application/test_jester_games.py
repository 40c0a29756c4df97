"""Players of kind 30 against an opponent of ours: the arbiter writes that opponent's moves."""

import json
from typing import Any

import chess
import pytest

from arbiter.application.correspondence import INVITATIONS_OF_ONE
from arbiter.application.routing import timer_entry
from arbiter.core.clocks import DAY_MS
from arbiter.core.rules import Rules
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.jester import START, private_reference
from arbiter.nostr.nip19 import encode_npub
from tests.application.jester_player import CLIENTS, JesterPlayer
from tests.application.native_player import NativePlayer
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event

ENDED = "Arbiter: The game was abandoned and is closed without a result."


def fire_timers(world: World) -> None:
    """Every timer that is due comes to its game."""
    due = [timer for timer in world.timers.far if timer.at_ms <= world.clock.ms]
    for timer in due:
        del world.timers.far[timer]
        assert world.deliver(world.record(timer_entry(timer, world.clock.ms).body)) == ()


def content(event: VerifiedEvent) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(event.content)
    return found


def against_bob(
    client: str = "amethyst", color: str = "white"
) -> tuple[JesterPlayer, NativePlayer]:
    """Alice in kind 30, seated with Bob, who plays natively."""
    world = World()
    bob = NativePlayer(world, BOB)
    bob.connect()
    alice = JesterPlayer(world, ALICE, color, client)
    alice.connect()
    return alice, bob


@pytest.mark.parametrize("client", CLIENTS)
def test_a_start_that_names_the_arbiter_finds_an_opponent_on_another_wire(client: str) -> None:
    alice, bob = against_bob(client)

    alice.move("e2e4")
    bob.move("e7e5")

    (answer,) = alice.read()
    start, head = (tag[1] for tag in all_tags(answer, "e"))
    assert (start, head, answer.pubkey) == (alice.start, alice.head, SERVER.pubkey)
    assert all_tags(answer, "p") == (("p", ALICE.pubkey),)
    assert content(answer) == {
        "version": "0",
        "kind": 1,
        "fen": "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2",
        "move": "e5",
        "history": ["e4", "e5"],
    }
    assert [move.uci() for move in alice.game.moves] == ["e2e4", "e7e5"]


def test_the_reference_of_jesterui_is_that_of_its_code() -> None:
    pubkey = "66869f8504b150e5b22d01c81c65c206ef5945d27ee5a8705e9b10725b6208d1"

    assert START == "b1791d7fc9ae3d38966568c257ffb3a02cbf8394cdb4805bc70f64fc3c0b6879"
    assert private_reference(pubkey) == (
        "37129a11f30bd79036b7ad658f66fb74ef0addfb2e3f6006ef073ab01dbb1472"
    )


def test_a_player_of_black_is_sent_the_first_move_as_an_answer_to_the_start() -> None:
    alice, bob = against_bob("nostr.blue", "black")

    bob.move("e2e4")

    (first,) = alice.read()
    assert [tag[1] for tag in all_tags(first, "e")] == [alice.start, alice.start]


def test_a_first_move_that_comes_before_an_opponent_waits_for_the_game() -> None:
    world = World()
    alice = JesterPlayer(world, ALICE)
    alice.connect()
    alice.move("e2e4")
    first = alice.head
    assert world.statuses()[-1] == "held"

    bob = NativePlayer(world, BOB)
    bob.connect()

    assert [move.uci() for move in alice.game.moves] == ["e2e4"]
    bob.move("e7e5")
    (answer,) = alice.read()
    assert all_tags(answer, "e")[1] == ("e", first)


def test_of_two_first_moves_before_the_game_the_first_counts() -> None:
    world = World()
    alice = JesterPlayer(world, ALICE)
    alice.connect()
    one, other = alice.move_event("e2e4"), alice.move_event("d2d4")
    world.hear(one)
    world.hear(other)
    world.hear(one)

    NativePlayer(world, BOB).connect()

    assert [move.uci() for move in alice.game.moves] == ["e2e4"]


def test_a_resignation_before_the_game_withdraws_the_request() -> None:
    world = World()
    alice = JesterPlayer(world, ALICE)
    alice.connect()
    alice.resign()

    NativePlayer(world, BOB).connect()

    assert not world.games.standing


def test_an_answer_that_is_sent_again_is_the_same_event() -> None:
    alice, bob = against_bob()
    alice.move("e2e4")
    world = alice.world
    bob.move("e7e5")
    event = [one.result.heard for one in world.log if one.result and one.result.heard][-1]
    for minutes in (1, 10, 60 * 24):
        world.clock.ms += minutes * 60_000
        world.hear(event)

    assert world.statuses()[-3:] == ["duplicate"] * 3
    assert len(alice.read()) == 1


def test_a_stranger_moves_in_no_game() -> None:
    alice, _ = against_bob()
    eve = JesterPlayer(alice.world, EVE)
    eve.start, eve.head = alice.start, alice.start

    assert eve.move("e2e4") == []
    assert eve.resign() == []
    assert alice.game.ply == 0
    assert alice.game.outcome is None


@pytest.mark.parametrize(
    ("uci", "fields", "text"),
    [
        ("e2e5", {}, "Zz9 is not legal here; not counted"),
        ("e2e4", {"history": ["d4", "d5", "e4"]}, None),
        ("e2e4", {"history": "e4"}, "history lists all moves, 600 at most"),
        (
            "e2e4",
            {"fen": chess.STARTING_FEN},
            "the position's pieces differ from the claimed FEN's; the move counts",
        ),
        (
            "e2e4",
            {"move": None, "result": "1-0", "termination": "abandonment"},
            "neither a move nor an end that is known here",
        ),
        (
            "e2e4",
            {"result": "1-0", "termination": "resignation"},
            "a player resigns for themselves alone",
        ),
    ],
)
def test_what_is_wrong_is_named_once_under_the_game(
    uci: str, fields: dict[str, Any], text: str | None
) -> None:
    alice, _ = against_bob()

    for _ in range(3):
        alice.world.hear(alice.move_event(uci, **fields))

    assert alice.notes() == ([] if text is None else [f"Arbiter: {text}."])
    assert alice.read() == []
    assert alice.game.outcome is None


def test_a_move_after_other_moves_than_those_played_is_a_fork() -> None:
    alice, bob = against_bob()
    alice.move("e2e4")
    bob.move("e7e5")

    alice.world.hear(alice.move_event("g1f3", history=["d4", "e5", "Nf3"]))
    alice.world.hear(alice.move_event("g1f3", history=["d4"]))

    assert alice.notes() == [
        "Arbiter: half-move 3 follows other moves than those played.",
        "Arbiter: you have played e2e4 as half-move 1.",
    ]
    assert alice.game.ply == 2


@pytest.mark.parametrize("client", CLIENTS)
def test_a_resignation_ends_the_game(client: str) -> None:
    alice, bob = against_bob(client)
    alice.move("e2e4")
    bob.move("e7e5")

    alice.resign()

    assert alice.game.result == "0-1"
    assert alice.notes() == []


def test_an_opponent_who_resigns_is_told_in_a_way_that_every_client_takes() -> None:
    alice, bob = against_bob()
    alice.move("e2e4")
    bob.move("e7e5")
    bob.resign()

    told = content(alice.read()[-1])
    assert (told["result"], told["termination"]) == ("1-0", "resignation")
    assert (told["move"], told["history"]) == ("e5", ["e4", "e5", "", ""])
    assert all_tags(alice.read()[-1], "e") == (("e", alice.start),)
    assert alice.notes() == ["Arbiter: 1-0, resignation."]


def test_a_draw_is_offered_with_a_move_and_agreed_to() -> None:
    alice, bob = against_bob("nostr.blue")
    alice.move("e2e4", draw_offered=True)
    bob.offer()

    assert alice.game.result == "1/2-1/2"
    assert content(alice.read()[-1])["termination"] == "draw_agreement"


def test_a_move_that_agrees_to_a_draw_is_played_where_nobody_else_offered() -> None:
    alice, bob = against_bob("nostr.blue")
    alice.move("e2e4", result="1/2-1/2", termination="draw_agreement")

    assert (alice.game.uci_moves(), alice.game.outcome) == (["e2e4"], None)

    bob.move("e7e5")
    assert alice.game.ply == 2


def test_a_player_has_as_many_games_as_starts() -> None:
    alice, _ = against_bob()
    eve = NativePlayer(alice.world, EVE)
    eve.connect()
    again = JesterPlayer(alice.world, ALICE, client="jesterui")
    again.connect()

    alice.move("e2e4")
    again.move("d2d4")

    assert [one.game.uci_moves() for one in (alice, again)] == [["e2e4"], ["d2d4"]]


def test_two_players_of_kind_30_meet_each_in_their_own_start() -> None:
    world = World()
    alice = JesterPlayer(world, ALICE, "white", "jesterui")
    bob = JesterPlayer(world, BOB, "black")
    alice.connect()
    bob.connect()

    alice.move("e2e4")
    bob.move("e7e5")

    assert [content(event)["move"] for event in bob.read()] == ["e4"]
    assert [content(event)["move"] for event in alice.read()] == ["e5"]


def test_an_abandoned_game_is_closed_after_the_operators_days() -> None:
    alice, bob = against_bob()
    alice.move("e2e4")
    bob.move("e7e5")
    world, days = alice.world, Rules().abandoned_days

    world.clock.ms += (days - 1) * DAY_MS
    fire_timers(world)
    assert alice.game.outcome is None
    world.clock.ms += 2 * DAY_MS
    fire_timers(world)

    assert alice.game.result == "*"
    assert alice.notes() == [ENDED]
    (note,) = (event for event in world.publisher.taken_events if event.kind == 64)
    assert '[Termination "abandoned"]' in note.content


def test_a_move_puts_the_end_off() -> None:
    alice, bob = against_bob()
    days = Rules().abandoned_days
    alice.world.clock.ms += (days - 1) * DAY_MS
    alice.move("e2e4")
    alice.world.clock.ms += 2 * DAY_MS
    fire_timers(alice.world)
    assert alice.game.outcome is None

    alice.world.clock.ms += days * DAY_MS
    fire_timers(alice.world)

    assert alice.game.result == "*"
    del bob


def test_no_move_is_taken_back() -> None:
    alice, bob = against_bob()
    alice.move("e2e4")
    bob.move("e7e5")
    bob.move("takeback")

    assert alice.game.offer is None


def refereed(white: str = "amethyst", black: str = "jesterui") -> tuple[JesterPlayer, JesterPlayer]:
    """Alice and Bob play each other, and the start names the arbiter."""
    world = World()
    alice, bob = (
        JesterPlayer(world, ALICE, "white", white),
        JesterPlayer(world, BOB, "black", black),
    )
    alice.connect(("p", BOB.pubkey))
    bob.start = bob.head = alice.start
    return alice, bob


def play(players: tuple[JesterPlayer, JesterPlayer], moves: str) -> None:
    """Each reads the other's moves."""
    for uci in moves.split():
        mover, other = (
            players[len(players[0].history) % 2],
            players[1 - len(players[0].history) % 2],
        )
        mover.move(uci)
        other.history, other.head = [*mover.history], mover.head


@pytest.mark.parametrize("white", CLIENTS[1:])
@pytest.mark.parametrize("black", CLIENTS)
def test_a_refereed_game_is_followed_to_its_note(white: str, black: str) -> None:
    alice, bob = refereed(white, black)

    play((alice, bob), "f2f3 e7e5 g2g4 d8h4")

    assert (alice.game.result, alice.game.white.player) == ("0-1", ALICE.pubkey)
    assert [event.kind for event in alice.world.publisher.taken_events] == [64]


def test_in_a_refereed_game_the_first_legal_move_of_the_right_author_wins() -> None:
    alice, bob = refereed()
    eve = JesterPlayer(alice.world, EVE)
    eve.start = eve.head = alice.start
    first, second = alice.move_event("e2e4"), alice.move_event("d2d4")

    bob.world.hear(bob.move_event("g1f3"))
    eve.world.hear(eve.move_event("g1f3"))
    alice.world.hear(alice.move_event("e2e5"))
    alice.world.hear(first)
    alice.world.hear(second)

    assert alice.game.uci_moves() == ["e2e4"]
    named = f"{encode_npub(EVE.pubkey)} has no seat here"
    assert alice.notes() == [
        "Arbiter: it is your opponent's turn.",
        f"Arbiter: {named}: nothing that they write in this game counts.",
        "Arbiter: Zz9 is not legal here; not counted.",
        "Arbiter: you have played e2e4 as half-move 1.",
    ]
    assert alice.read() == []


def test_moves_that_come_out_of_order_wait_for_those_before() -> None:
    alice, bob = refereed()
    first = alice.move_event("e2e4")
    bob.history, bob.head = ["e4"], first.id
    second = bob.move_event("e7e5")

    alice.world.hear(second)
    alice.world.hear(second)
    assert alice.game.ply == 0
    alice.world.hear(first)

    assert alice.game.uci_moves() == ["e2e4", "e7e5"]
    assert alice.notes() == []


def test_of_a_players_starts_that_are_to_be_refereed_so_many_a_day_are_read() -> None:
    world = World()
    eve = JesterPlayer(world, EVE)
    for _ in range(INVITATIONS_OF_ONE + 3):
        eve.connect(("p", BOB.pubkey))

    assert len(world.games.standing) == INVITATIONS_OF_ONE
    JesterPlayer(world, ALICE).connect(("p", BOB.pubkey))
    assert len(world.games.standing) == INVITATIONS_OF_ONE + 1


def test_nothing_is_written_for_a_game_that_names_no_arbiter() -> None:
    world = World()
    event = an_event(ALICE, 30, "e4", (("e", "a" * 64), ("e", "b" * 64)))

    assert world.hear(event) == []


def invited(*tags: tuple[str, ...]) -> tuple[NativePlayer, JesterPlayer, list[VerifiedEvent]]:
    """Bob, natively, invites Alice to a game of kind 30; what was published."""
    world = World()
    bob, alice = NativePlayer(world, BOB), JesterPlayer(world, ALICE, "black", "jesterui")
    named = (("challenge", ALICE.pubkey), ("dialect", "jester"))
    told = world.ask(BOB, "", *(tags or named))
    starts = [event for event in told if event.kind == 30]
    alice.start = alice.head = starts[0].id if starts else ""
    return bob, alice, told


def test_a_player_of_another_wire_invites_one_of_kind_30_by_a_start_of_ours() -> None:
    bob, alice, told = invited()
    (start,) = (event for event in told if event.kind == 30)
    assert all_tags(start, "e") == (("e", START), ("e", private_reference(ALICE.pubkey)))
    assert all_tags(start, "p") == (("p", ALICE.pubkey),)
    fields = content(start)
    assert (fields["kind"], fields["history"], fields["fen"]) == (0, [], chess.STARTING_FEN)
    assert (fields["playerColor"], fields["player_color"]) == ("white", "white")

    bob.move("e2e4")
    alice.move("e7e5")
    second = alice.head
    bob.move("g1f3")

    heads = [all_tags(event, "e")[1][1] for event in alice.read() if content(event)["kind"] == 1]
    assert heads == [start.id, second]
    assert alice.game.uci_moves() == ["e2e4", "e7e5", "g1f3"]


def test_an_invitation_that_comes_again_begins_one_game() -> None:
    bob, alice, _ = invited()
    asked = next(one.result.heard for one in bob.world.log if one.result and one.result.heard)

    again = bob.world.hear(asked)

    assert [event.id for event in again if event.kind == 30] == [alice.start]
    assert len(bob.world.games.standing) == 1


@pytest.mark.parametrize(
    "tags",
    [
        (("dialect", "jester"),),
        (("challenge", "open"), ("dialect", "jester")),
        (("challenge", BOB.pubkey), ("dialect", "jester")),
        (("challenge", ALICE.pubkey), ("dialect", "ssb")),
        (("challenge", ALICE.pubkey), ("dialect", "nonsense")),
        (("challenge", ALICE.pubkey), ("dialect",)),
        (("challenge", ALICE.pubkey), ("dialect", "jester"), ("color", "black")),
        (("challenge", ALICE.pubkey), ("dialect", "jester"), ("time", "180+2")),
    ],
)
def test_an_invitation_that_no_player_of_kind_30_could_read_is_refused(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    bob, _, told = invited(*tags)

    assert [event.content.split(":")[:2] for event in told] == [["error", "bad-terms"]]
    assert not bob.world.games.standing


def test_a_refused_start_is_told_once_however_often_it_comes() -> None:
    world = World()
    alice = JesterPlayer(world, ALICE)
    refused = alice.event({"kind": 0, "history": ["e4"]}, ("p", SERVER.pubkey))
    alice.start = refused.id
    for _ in range(3):
        world.hear(refused)
        world.clock.ms += 60_000

    assert alice.notes() == ["Arbiter: Not accepted: a start has an empty history."]
