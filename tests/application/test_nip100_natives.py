"""A player on a socket meets a native one: each hears the game on his own wire."""

import chess
import pytest

from arbiter.core.game import BLACK, WHITE, Outcome, Termination
from tests.application.socket_player import ACCEPTED, SocketPlayer, genuine, seated
from tests.application.talk import MATE
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event


def meet(world: World, *, native_first: bool) -> tuple[SocketPlayer, Table]:
    """Alice on a socket and Bob on relays, who have met."""
    alice = SocketPlayer(world, ALICE, "a")
    if native_first:
        world.ask(BOB)
        alice.connect()
        state = world.publisher.taken_events[-1]
    else:
        alice.connect()
        state = world.ask(BOB)[-1]
    assert state.kind == 20302
    alice.heard()
    return alice, Table(world, state, {key.pubkey: key for key in (ALICE, BOB)})


def met(color: chess.Color) -> tuple[World, SocketPlayer, Table]:
    """The same, with this colour for Alice: they ask until the hash of their requests has it so."""
    for second in range(40):
        world = World()
        world.clock.ms += 1000 * second
        alice, table = meet(world, native_first=second % 2 == 0)
        if (table.white.pubkey == ALICE.pubkey) == color:
            return world, alice, table
    raise AssertionError("never in forty games")


@pytest.mark.parametrize("color", [WHITE, BLACK])
def test_a_native_player_is_met_and_played_to_mate_in_both_colours(color: chess.Color) -> None:
    world, alice, table = met(color)
    for at, uci in enumerate(MATE):
        if (at % 2 == 0) == color:
            assert alice.move(uci)[0] == ACCEPTED
            table.state = world.publisher.states[table.game_id]
        else:
            world.clock.ms += 1000
            table.say(uci)
            assert ("EVENT", 5002, uci) in alice.heard() or at == len(MATE) - 1

    game = world.game(table.game_id)
    assert game.outcome == Outcome(Termination.CHECKMATE, BLACK)
    assert [event.kind for event in world.publisher.taken_events[-2:]] == [20302, 64]


def test_who_is_mated_by_a_native_player_hears_the_move_and_the_mate() -> None:
    world, alice, table = met(WHITE)
    for uci in MATE[:-1]:
        if table.world.game(table.game_id).turn == WHITE:
            alice.move(uci)
        else:
            table.state = world.publisher.states[table.game_id]
            table.say(uci)
    alice.heard()
    table.state = world.publisher.states[table.game_id]

    table.say(MATE[-1])

    move, mate = world.sockets.heard("a")
    assert genuine(move[2]).pubkey == SERVER.pubkey
    assert (move[1], move[2]["kind"], move[2]["content"]) == (5002, 5002, MATE[-1])
    assert move[2]["tags"] == [["p", ALICE.pubkey], ["d", table.game_id], ["ply", "4"]]
    assert (mate[1], mate[2]["content"]) == (5000, "gamecheckmate")


def test_a_native_offer_is_told_accepted_and_declined_by_moving() -> None:
    world, alice, table = met(WHITE)
    alice.move("e2e4")
    table.state = world.publisher.states[table.game_id]
    table.say("draw", key=BOB)
    assert alice.heard() == [("EVENT", 5002, "offersent")]

    assert alice.offer() == [("OK", True, "offer"), ("EVENT", 5000, "gamedraw")]

    assert world.game(table.game_id).outcome == Outcome(Termination.AGREEMENT, None)


def test_an_offer_made_over_a_socket_stands_in_the_native_state() -> None:
    world, alice, table = met(WHITE)
    alice.move("e2e4")

    assert alice.offer() == [("OK", True, "offer")]

    assert ("offer", "draw", "w") in world.publisher.states[table.game_id].tags


def test_a_rematch_for_which_the_wire_has_no_word_is_not_told() -> None:
    world, alice, table = met(WHITE)
    alice.move("e2e4")
    alice.resign()

    world.clock.ms += 1000
    table.say("rematch", key=BOB, name_state=False)

    assert world.game(table.game_id).offer is not None
    assert alice.heard() == []


def test_a_takeback_that_one_could_not_answer_is_refused_and_in_nobodys_way() -> None:
    """He would be told to answer first what he never heard of, and could not offer a draw."""
    world, alice, table = met(WHITE)
    alice.move("e2e4")
    world.clock.ms += 1000
    table.say("e7e5", key=BOB, name_state=False)
    alice.move("g1f3")

    world.clock.ms += 1000
    (refused,) = table.say("takeback", key=BOB, name_state=False)

    assert refused.content.startswith("not-offered-here: ")
    assert alice.offer() == [("OK", True, "offer")]


def test_a_game_called_off_by_a_native_player_is_told_as_his_resignation() -> None:
    world, _, table = met(WHITE)

    table.say("quit", key=BOB)

    ((_, label, event),) = world.sockets.heard("a")
    assert (label, event["content"]) == (5000, "opponentresigned")
    assert ["termination", "aborted"] in event["tags"]


def test_two_illegal_moves_lose_over_a_socket_and_three_on_relays() -> None:
    world, alice, table = met(WHITE)
    alice.move("e2e4")
    table.state = world.publisher.states[table.game_id]
    for uci in ("e7e4", "e7e3"):
        world.clock.ms += 1000
        table.say(uci, key=BOB)
    assert world.game(table.game_id).outcome is None
    table.say("e7e5", key=BOB)

    alice.move("e4e5")
    alice.move("e4e6")

    assert world.game(table.game_id).outcome == Outcome(Termination.ILLEGAL_MOVES, BLACK)


def test_a_spectator_is_shown_a_game_of_the_sockets_on_the_wire_he_asks_on() -> None:
    world = World()
    white, _, game_id = seated(world, ALICE, BOB)
    white.move("e2e4")

    tags = (("d", game_id), ("p", SERVER.pubkey))
    (state,) = world.hear(an_event(EVE, 20303, "state", tags, world.clock.ms // 1000))

    assert state.kind == 20302
    assert ("moves", "e2e4") in state.tags


def test_a_native_player_with_clocks_is_not_met() -> None:
    world = World()
    world.ask(BOB, "", ("time", "180+2"))

    assert SocketPlayer(world, ALICE, "a").connect() == [ACCEPTED]


def test_what_a_player_of_both_wires_began_on_the_other_is_ended_there() -> None:
    world = World()
    world.start(ALICE, BOB)
    alice = SocketPlayer(world, ALICE, "a")

    ((_, accepted, text),) = alice.connect()

    assert not accepted
    assert text == "invalid: your game was begun in another protocol: end it there"


@pytest.mark.parametrize(("kind", "word"), [(5003, "resign"), (5001, "e2e4"), (5001, "e7e4")])
def test_a_game_that_was_begun_natively_is_neither_played_nor_lost_on_a_socket(
    kind: int, word: str
) -> None:
    """A client sends again what was not answered, and its player went elsewhere meanwhile."""
    world = World()
    table = world.start(ALICE, BOB)
    before = world.game(table.game_id)
    alice = SocketPlayer(world, ALICE, "a")
    published = len(world.publisher.taken_events)

    refusal = "invalid: your game was begun in another protocol: end it there"
    assert alice.send(kind, word) == [("OK", False, refusal)]

    assert world.game(table.game_id) == before
    assert len(world.publisher.taken_events) == published
