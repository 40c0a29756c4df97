"""Games over sockets, as the NIP-100 draft has them, and against players on relays."""

from tests.application.script import Conversation, run
from tests.application.socket_player import genuine
from tests.builders import ALICE, SERVER

MET = "~alice connect; ~bob connect\n"


def test_a_player_whose_clock_is_wrong_can_play_if_they_could_sit_down() -> None:
    for fast_seconds in (-100, 100):
        talk = Conversation(in_order=False)
        talk.line("~alice cancelsearch")
        talk.players.sockets["alice"].fast_seconds = fast_seconds
        for line in (MET + "~white e2e4 > state...\n ~black e7e5 > state...").splitlines():
            talk.line(line)


def test_a_move_from_relays_is_signed_by_the_arbiter_and_names_its_game() -> None:
    talk = run("~alice connect; bob seek; ~alice f2f3; bob e7e5; ~alice g2g4")
    event, _ = talk.players.event("bob d8h4")
    talk.deliver(talk.world.body(event))
    move, mate = (genuine(frame[2]) for frame in talk.world.sockets.heard("alice"))
    assert (move.pubkey, mate.content) == (SERVER.pubkey, "gamecheckmate")
    assert move.tags == (("p", ALICE.pubkey), ("d", talk.games[0]), ("ply", "4"))


def test_an_opponent_on_a_socket_gets_the_movers_own_event_whole() -> None:
    talk = run(MET)
    event = talk.players.sockets["alice"].event(
        5001, "e2e4", ("p", SERVER.pubkey), ("alt", "a move")
    )
    talk.world.hear(event, "alice")
    ((_, _, heard),) = talk.world.sockets.heard("bob")
    assert genuine(heard) == event
