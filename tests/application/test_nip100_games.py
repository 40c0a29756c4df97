"""Whole games over sockets, as the NIP-100 draft has them."""

import pytest

from arbiter.core.game import BLACK, Outcome, Termination
from arbiter.nostr.event import event_to_json, first_tag
from tests.application.socket_player import ACCEPTED, SocketPlayer, genuine, seated
from tests.application.talk import MATE
from tests.application.world import World
from tests.builders import ALICE, BOB, SERVER


def test_two_players_meet_and_each_is_told_his_own_colour_by_his_own_connect() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    hers, his = alice.event(5000, "connect"), bob.event(5000, "connect")

    assert alice.pass_on(hers) == [ACCEPTED]
    world.hear(his, "b")

    game = world.game(world.lobby.player(ALICE.pubkey).game_id or "")
    colors = {game.white.player: "white", game.black.player: "black"}
    accepted, found, started = world.sockets.heard("b")
    assert accepted == ["OK", his.id, True, ""]
    assert found[:2] == ["EVENT", 5000]
    assert (found[2]["kind"], found[2]["content"]) == (5000, "gameisfound")
    assert genuine(found[2]).pubkey == SERVER.pubkey
    assert started == ["OK", his.id, True, colors[BOB.pubkey]]
    assert world.sockets.heard("a")[1:] == [["OK", hers.id, True, colors[ALICE.pubkey]]]


def test_a_game_to_mate() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    for at, uci in enumerate(MATE[:-1]):
        mover, reader = (white, black) if at % 2 == 0 else (black, white)
        assert mover.move(uci) == [ACCEPTED]
        assert reader.heard() == [("EVENT", 5002, uci)]

    mated = ("EVENT", 5000, "gamecheckmate")
    assert black.move(MATE[-1]) == [ACCEPTED, mated]
    assert white.heard() == [("EVENT", 5002, MATE[-1]), mated]
    assert world.game(game_id).outcome == Outcome(Termination.CHECKMATE, BLACK)


@pytest.mark.parametrize("fast_seconds", [-100, 100])
def test_whoever_could_sit_down_can_play_whatever_his_clock_says(fast_seconds: int) -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a", fast_seconds), SocketPlayer(world, BOB, "b")
    alice.connect()
    bob.connect()
    game = world.game(world.lobby.player(ALICE.pubkey).game_id or "")
    white, black = (alice, bob) if game.white.player == ALICE.pubkey else (bob, alice)

    for at, uci in enumerate(MATE):
        answer = (black if at % 2 else white).move(uci)
        assert [brief for brief in answer if brief[0] == "OK"][-1] == ACCEPTED

    assert world.game(game.id).outcome == Outcome(Termination.CHECKMATE, BLACK)


def test_a_game_that_is_played_over_sockets_alone_can_be_watched_all_the_same() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    for at, uci in enumerate(MATE):
        (black if at % 2 else white).move(uci)

    *states, note = world.publisher.taken_events
    assert [state.kind for state in states] == [20302] * (len(MATE) + 1)
    assert {first_tag(state, "d") for state in states} == {("d", game_id)}
    assert [first_tag(state, "ply") for state in states] == [
        ("ply", str(ply)) for ply in range(len(MATE) + 1)
    ]
    assert note.kind == 64


def test_an_opponent_on_a_socket_gets_the_movers_own_event_whole() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    event = white.event(5001, "e2e4", ("p", SERVER.pubkey), ("alt", "a chess move"))

    world.hear(event, white.socket)

    assert world.sockets.heard(black.socket) == [["EVENT", 5002, event_to_json(event)]]


@pytest.mark.parametrize(("said", "told"), [("b7a8Q", "b7a8q"), ("b7a8q", "b7a8q")])
def test_a_promotion_is_understood_in_either_case_and_told_in_lower_case(
    said: str, told: str
) -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    race = ["a2a4", "h7h6", "a4a5", "h6h5", "a5a6", "h5h4", "a6b7", "h4h3"]
    for at, uci in enumerate(race):
        (black if at % 2 else white).move(uci)
    white.heard()
    black.heard()

    assert white.move(said) == [ACCEPTED]

    assert black.heard() == [("EVENT", 5002, told)]
    assert world.game(game_id).moves[-1].uci() == told


def test_a_draw_is_offered_after_a_move_and_accepted_by_the_same_word() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    white.move("e2e4")
    black.heard()

    assert white.offer() == [("OK", True, "offer")]
    assert black.heard() == [("EVENT", 5002, "offersent")]
    drawn = ("EVENT", 5000, "gamedraw")
    assert black.offer() == [("OK", True, "offer"), drawn]
    assert white.heard() == [drawn]
    assert world.game(game_id).outcome == Outcome(Termination.AGREEMENT, None)


def test_a_draw_can_be_offered_right_after_ones_own_move_only() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)

    assert white.offer() == [("OK", False, "invalid: offer a draw right after your own move")]
    white.move("e2e4")
    black.heard()
    assert black.offer() == [("OK", False, "invalid: offer a draw right after your own move")]
    assert world.game(game_id).offer is None


def test_a_move_turns_the_offer_down() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    white.move("e2e4")
    white.offer()

    assert black.move("e7e5")[-1] == ACCEPTED

    assert world.game(game_id).offer is None
    assert white.heard() == [("EVENT", 5002, "e7e5")]


def test_who_resigns_is_told_so_and_his_opponent_too() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)

    assert white.resign() == [("OK", True, "resigned")]

    assert black.heard() == [("EVENT", 5000, "opponentresigned")]
    assert world.game(game_id).outcome == Outcome(Termination.RESIGNATION, BLACK)


def test_the_second_illegal_move_loses_and_what_is_no_move_counts_for_none() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    accepted, text = white.move("Nf3")[0][1:]
    assert not accepted
    assert text.startswith("invalid: ")

    first = "invalid: e2e5 is not legal here (1 of 2)"
    assert white.move("e2e5") == [("OK", False, first)]
    assert black.heard() == []
    second = "invalid: a1a8 is not legal here (2 of 2)"
    assert white.move("a1a8") == [("OK", False, second), ("EVENT", 5000, "gameover")]

    (ended,) = world.sockets.heard(black.socket)
    assert ended[2]["content"] == "opponentresigned"
    assert ["result", "0-1"] in ended[2]["tags"]
    assert ["termination", "illegal-moves"] in ended[2]["tags"]
    assert world.game(game_id).outcome == Outcome(Termination.ILLEGAL_MOVES, BLACK)


def test_a_move_out_of_turn_is_refused_and_no_strike() -> None:
    world = World()
    _, black, game_id = seated(world, ALICE, BOB)

    assert black.move("e7e5") == [("OK", False, "invalid: it is your opponent's turn")]

    assert world.game(game_id).black_strikes == 0


@pytest.mark.parametrize("kind", [5001, 5002, 5003])
def test_who_plays_no_game_is_told_so(kind: int) -> None:
    alice = SocketPlayer(World(), ALICE, "a")

    word = {5001: "e2e4", 5002: "offer", 5003: "resign"}[kind]

    assert alice.send(kind, word) == [("OK", False, "invalid: you play no game here")]


@pytest.mark.parametrize("kind", [5001, 5002, 5003])
def test_nonsense_in_a_game_is_refused_and_remembered_as_nothing(kind: int) -> None:
    world = World()
    white, _, game_id = seated(world, ALICE, BOB)
    version = world.game(game_id).item_version

    ((what, accepted, text),) = white.send(kind, "hello")

    assert (what, accepted) == ("OK", False)
    assert text.startswith("invalid: ")
    assert world.game(game_id).item_version == version


def test_a_search_that_is_called_off_pairs_nobody() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    alice.connect()

    assert alice.send(5000, "cancelsearch") == [ACCEPTED]

    assert bob.connect() == [ACCEPTED]
    assert alice.heard() == []


def test_a_game_is_not_called_off_like_a_search() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)

    text = "invalid: your game goes on: resign to end it"
    assert white.send(5000, "cancelsearch") == [("OK", False, text)]

    assert world.game(game_id).outcome is None
    assert black.heard() == []


def test_a_search_in_other_words_is_refused_and_binds_nothing() -> None:
    world = World()
    alice = SocketPlayer(world, ALICE, "a")

    refused = [("OK", False, "invalid: say connect or cancelsearch")]
    assert alice.send(5000, "hello") == refused

    assert world.connections.sockets_of(ALICE.pubkey) == ()


def test_who_waited_too_long_is_told_by_his_connect() -> None:
    world = World()
    alice, bob = SocketPlayer(world, ALICE, "a"), SocketPlayer(world, BOB, "b")
    asked = alice.event(5000, "connect")
    alice.pass_on(asked)
    world.clock.ms += 31 * 60_000

    assert bob.connect() == [ACCEPTED]

    text = "invalid: no opponent in half an hour: ask again"
    assert world.sockets.heard("a") == [["OK", asked.id, False, text]]


def test_who_connects_again_gets_his_colour_and_the_answer_to_his_move() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    world.sockets.gone.add(white.socket)
    black.heard()
    assert black.move("e7e5") == [ACCEPTED]
    assert world.connections.sockets_of(white.key.pubkey) == ()

    back = SocketPlayer(world, white.key, "back")

    assert back.connect() == [("OK", True, "white"), ("EVENT", 5002, "e7e5")]
    assert back.move("g1f3") == [ACCEPTED]
    assert black.heard() == [("EVENT", 5002, "g1f3")]
    assert black.move("b8c6") == [ACCEPTED]
    assert back.heard() == [("EVENT", 5002, "b8c6")]


def test_who_missed_nothing_gets_his_colour_alone() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    assert black.connect() == [("OK", True, "black")]
    white.move("e2e4")

    assert white.connect() == [("OK", True, "white")]
    assert black.heard() == [("EVENT", 5002, "e2e4")]


def test_who_names_a_ply_gets_every_move_after_it() -> None:
    world = World()
    white, black, game_id = seated(world, ALICE, BOB)
    for mover, uci in zip((white, black, white, black), MATE[:3], strict=False):
        mover.move(uci)
    white.heard()

    white.world.hear(white.event(5000, "connect", ("ply", "1")), white.socket)

    colour, *missed = world.sockets.heard(white.socket)
    assert colour[2:] == [True, "white"]
    events = [genuine(message[2]) for message in missed]
    assert [event.content for event in events] == ["e7e5", "g2g4"]
    assert [event.tags[1:] for event in events] == [
        (("d", game_id), ("ply", "2")),
        (("d", game_id), ("ply", "3")),
    ]


@pytest.mark.parametrize("ply", ["-1", "99999999", "one", "", "٣"])
def test_a_ply_that_is_none_is_not_there(ply: str) -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    black.heard()

    assert black.connect(("ply", ply)) == [("OK", True, "black"), ("EVENT", 5002, "e2e4")]


def test_an_offer_that_still_stands_is_told_to_who_comes_back() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    white.move("e2e4")
    white.offer()
    black.heard()

    assert black.connect()[1:] == [("EVENT", 5002, "e2e4"), ("EVENT", 5002, "offersent")]


def test_every_socket_of_a_player_hears_his_opponents_moves() -> None:
    world = World()
    white, black, _ = seated(world, ALICE, BOB)
    second = SocketPlayer(world, black.key, "second")
    second.connect()

    white.move("e2e4")

    assert black.heard() == second.heard() == [("EVENT", 5002, "e2e4")]
