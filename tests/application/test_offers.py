"""Offers over the wire, and catching up: what is replayed, crossed or missed."""

import chess
import pytest

from arbiter.core.game import WHITE, Termination
from arbiter.core.rules import STALE_AFTER_MS
from arbiter.nostr.keys import SecretKey
from tests.application.talk import BLITZ, RATED, play, say, states, tag
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event


def test_an_offer_is_shown_until_it_is_answered() -> None:
    table = World().start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    version = int(table.state.tags[3][1])

    offered = say(table, "draw", table.black)
    assert tag(offered, "offer") == ("draw", "b")
    assert tag(offered, "version") == (str(version + 1),)
    declined = say(table, "draw-decline", table.white)
    assert tag(declined, "offer") is None
    assert tag(declined, "version") == (str(version + 2),)


def test_a_move_that_answers_the_state_before_an_offer_is_in_time() -> None:
    """His opponent's offer crossed his move: nobody need look again for that."""
    table = World().start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    seen = table.state
    for word in ("draw", "takeback"):
        say(table, word, table.white)
    table.state = seen

    assert states(table.say("g1f3"))


def test_a_move_that_answers_a_position_that_was_taken_back_is_stale() -> None:
    table = World().start(ALICE, BOB)
    play(table, "e2e4", "e7e5", "g1f3")
    say(table, "takeback", table.white)
    gone = table.state
    shown = say(table, "takeback", table.black)
    assert tag(shown, "moves") == ("e2e4", "e7e5")
    table.state = gone

    _, error = table.say("b8c6", key=table.black)
    assert error.content.startswith("stale: ")


def test_a_state_of_another_ply_is_stale_however_often_the_offers_changed() -> None:
    table = World().start(ALICE, BOB)
    old = table.state
    play(table, "e2e4", "e7e5")
    say(table, "draw", table.white)
    table.state = old

    _, error = table.say("d2d4", key=table.white)
    assert error.content.startswith("stale: ")


def test_a_refused_offer_that_is_replayed_when_it_would_accept_stays_refused() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    say(table, "draw", table.white)
    say(table, "draw-decline", table.black)
    world.clock.ms += 1000
    too_soon = table.move_event("draw", key=table.white)
    assert world.hear(too_soon)[0].content.startswith("rate-limited: ")
    say(table, "draw", table.black)

    world.hear(too_soon)

    assert world.statuses()[-1] == "duplicate"
    assert world.game(table.game_id).outcome is None


def test_an_old_offer_that_no_ring_remembers_is_stale() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    never_arrived = table.move_event("draw", key=table.white)
    world.clock.ms += STALE_AFTER_MS + 2000
    play(table, "g1f3")
    say(table, "draw", table.black)

    _, error = world.hear(never_arrived)

    assert error.content.startswith("stale: ")
    assert world.game(table.game_id).outcome is None


def test_an_agreed_draw_ends_the_game() -> None:
    table = World().start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    say(table, "draw", table.white)

    final, note = table.say("draw", key=table.black)

    assert (tag(final, "result"), tag(final, "termination")) == (("1/2-1/2",), ("agreement",))
    assert note.kind == 64


def test_a_threefold_repetition_is_claimed_over_the_wire() -> None:
    table = World().start(ALICE, BOB)
    play(table, *("g1f3", "g8f6", "f3g1", "f6g8") * 2)

    assert tag(say(table, "claim", table.black), "termination") == ("threefold-repetition",)


@pytest.mark.parametrize("key", [EVE, ALICE])
def test_whoever_asks_is_shown_the_present_state_and_nothing_changes(key: SecretKey) -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4")
    before = world.game(table.game_id)
    world.clock.ms += 5000

    told = world.hear(table.move_event("state", key=key))

    assert told[-1].tags == table.state.tags
    assert [event.kind for event in told] == ([20302] if key is EVE else [20301, 20302])
    assert world.game(table.game_id) == before


def test_a_spectator_may_ask_about_a_game_that_is_over_and_about_one_that_never_was() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    final = say(table, "resign", table.white)

    assert world.hear(table.move_event("state", key=EVE))[0].id == final.id
    tags = (("d", "f" * 32), ("p", SERVER.pubkey))
    (error,) = world.hear(an_event(EVE, 20303, "state", tags, world.clock.ms // 1000))
    assert error.content.startswith("unknown-game: ")


def test_a_rated_game_has_no_takebacks() -> None:
    table = World().start(ALICE, BOB, *RATED)
    play(table, "e2e4", "e7e5")

    assert say(table, "takeback", table.white).content.startswith("not-offered-here: ")


def test_an_offer_may_be_said_without_naming_a_state() -> None:
    table = World().start(ALICE, BOB)
    play(table, "e2e4", "e7e5")

    (state,) = table.say("draw", key=table.white, name_state=False)
    assert tag(state, "offer") == ("draw", "w")


def test_chess960_is_played_with_the_king_taking_his_rook() -> None:
    world = World()
    table = world.start(ALICE, BOB, ("variant", "chess960"))
    start = tag(table.state, "start")
    assert tag(table.state, "variant") == ("chess960",)
    board = chess.Board(start[0] if start else chess.STARTING_FEN, chess960=True)
    for _ in range(60):
        castling = [*board.generate_castling_moves()]
        quiet = [m for m in board.legal_moves if not board.is_capture(m)]
        chosen = (castling or quiet or [*board.legal_moves])[0]
        board.push(chosen)
        if board.outcome():
            break
        world.clock.ms += 1000
        assert states(table.say(chosen.uci())), chosen
    assert table.state.content == board.fen() or board.outcome()


@pytest.mark.parametrize("seed", range(4))
def test_a_client_of_version_2_plays_to_mate_against_one_who_uses_everything(seed: int) -> None:
    """The one reads kinds, the first three tags and the FEN alone, and sends moves alone."""
    world = World()
    simple, fancy = (ALICE, BOB) if seed % 2 else (BOB, ALICE)
    world.ask(simple)
    world.clock.ms += 1000
    state = world.ask(
        fancy, "", ("mode", "casual"), ("bots", "welcome"), ("color", "random"), ("client", "x")
    )[-1]
    table = Table(world, state, {key.pubkey: key for key in (ALICE, BOB)})
    fancy_words = ("draw", "takeback", "claim", "state", "flag", "draw-decline", "rematch")
    line = ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    for number, uci in enumerate(line):
        known = states(world.publisher.taken_events)[-1]
        assert known.tags[0] == ("d", table.game_id)
        mover = table.white if known.content.split()[1] == "w" else table.black
        # The fancy one talks all the time, and the simple one hears it and shrugs.
        for word in fancy_words[number % 3 :: 2]:
            world.clock.ms += 1000
            table.say(word, key=fancy)
        world.clock.ms += 1000
        if mover is simple:
            tags = (known.tags[0], ("p", SERVER.pubkey), *known.tags[1:3])
            if seed >= 2:
                tags = (*tags, ("e", known.id))
            move = an_event(simple, 20303, uci, tags, world.clock.ms // 1000)
            assert states(world.hear(move))[-1].kind == 20302
            table.state = states(world.publisher.taken_events)[-1]
        else:
            table.state = states(world.publisher.taken_events)[-1]
            assert states(table.say(uci, key=fancy))
    game = world.game(table.game_id)
    assert game.outcome is not None
    assert (game.outcome.termination, game.outcome.winner) == (Termination.CHECKMATE, WHITE)
    assert (game.white_strikes, game.black_strikes) == (0, 0)
