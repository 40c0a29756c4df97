import io
from collections.abc import Sequence

import chess
import chess.pgn
import pytest

from arbiter.application.process_batch import Processed
from arbiter.core.terms import PLAIN
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.nip19 import encode_npub
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, an_event


def contents(events: Sequence[VerifiedEvent], kind: int) -> list[str]:
    return [event.content for event in events if event.kind == kind]


def test_fools_mate_from_request_to_pgn() -> None:
    world = World()
    assert contents(world.ask(ALICE), 20301) == ["queued"]
    started = world.ask(BOB)
    assert [event.kind for event in started] == [20301, 20301, 20302]
    table = Table(world, started[-1], {key.pubkey: key for key in (ALICE, BOB)})

    for uci in ("f2f3", "e7e5", "g2g4"):
        table.say(uci)
    final, note = table.say("d8h4")

    assert final.kind == 20302
    assert ("result", "0-1") in final.tags
    assert ("termination", "checkmate") in final.tags
    assert note.kind == 64
    game = chess.pgn.read_game(io.StringIO(note.content))
    assert game is not None
    assert game.headers["White"] == encode_npub(table.white.pubkey)
    assert game.headers["Result"] == "0-1"
    assert game.end().board().fen() == final.content


def test_each_player_is_told_his_colour_and_his_opponent() -> None:
    world = World()
    world.ask(ALICE)
    started = world.ask(BOB)
    state = started[-1]

    told = {event.tags[0][1]: event.content for event in started if event.kind == 20301}

    white, black = state.tags[1][1], state.tags[2][1]
    game_id = state.tags[0][1]
    assert told == {white: f"started:{game_id}:{black}:w", black: f"started:{game_id}:{white}:b"}


def test_a_player_who_is_away_asks_again_and_gets_the_whole_state() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    table.say("e2e4")
    world.clock.ms += 10_000

    told, state = world.ask(ALICE)

    assert told.content.startswith(f"started:{table.game_id}:{BOB.pubkey}:")
    assert told.tags[0] == ("p", ALICE.pubkey)
    assert told.tags[1][0] == "e"
    assert state.tags == table.state.tags
    assert ("moves", "e2e4") in state.tags


def test_a_late_resync_is_dated_freshly_and_its_state_can_be_answered() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    table.say("e2e4")
    world.clock.ms += 3 * 24 * 3600 * 1000

    state = world.ask(table.black)[-1]

    assert state.id != table.state.id
    assert world.clock.ms // 1000 - state.created_at < 60
    table.state = state
    assert table.say("e7e5")[0].kind == 20302


def test_a_player_who_waits_is_told_so_again() -> None:
    world = World()
    world.ask(ALICE)
    world.clock.ms += 1000

    assert contents(world.ask(ALICE), 20301) == ["queued"]
    assert len(world.lobby.pool(PLAIN.pool).waiting) == 1


def test_after_the_end_a_player_can_ask_for_another_game() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    for word in ("e2e4", "e7e5", "quit"):
        table.say(word)
    world.clock.ms += 1000

    assert contents(world.ask(ALICE), 20301) == ["queued"]
    world.clock.ms += 1000
    assert world.ask(BOB)[-1].kind == 20302


def test_an_aborted_game_leaves_no_note() -> None:
    table = World().start(ALICE, BOB)

    (final,) = table.say("quit")

    assert ("termination", "aborted") in final.tags


def test_an_error_of_a_player_is_told_to_both_and_opens_with_its_reason() -> None:
    table = World().start(ALICE, BOB)

    (error,) = table.say("e2e5")

    assert error.kind == 20304
    assert error.content.startswith("illegal-move: ")
    assert [tag[0] for tag in error.tags] == ["e", "d", "p", "p"]
    assert error.tags[0] == ("e", table.move_event("e2e5").id)


def test_the_third_illegal_move_ends_the_game_after_its_error() -> None:
    table = World().start(ALICE, BOB)
    for uci in ("e2e5", "e2e6"):
        table.world.clock.ms += 1000
        table.say(uci)

    error, final, note = table.say("e2e7")

    assert error.kind == 20304
    assert ("termination", "illegal-moves") in final.tags
    assert note.kind == 64


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "malformed"),
        ("0000", "malformed"),
        ("Q@e4", "malformed"),
        ("--", "malformed"),
        ("e2e4\n", "malformed"),
    ],
)
def test_what_cannot_be_read_is_an_error_and_the_game_goes_on(text: str, reason: str) -> None:
    table = World().start(ALICE, BOB)

    (error,) = table.say(text)

    assert error.content.startswith(f"{reason}: ")
    assert table.say("e2e4")[0].kind == 20302


def test_a_move_that_names_an_older_state_is_stale() -> None:
    table = World().start(ALICE, BOB)
    first = table.state
    table.say("e2e4")
    table.say("e7e5")
    table.state = first

    present = table.world.publisher.states[table.game_id]
    state, error = table.say("g1f3", key=table.white)

    assert error.content.startswith("stale: ")
    assert state.id == present.id


def test_a_move_need_not_name_a_state() -> None:
    table = World().start(ALICE, BOB)

    assert table.say("e2e4", name_state=False)[0].kind == 20302


def test_a_stranger_is_refused_alone() -> None:
    table = World().start(ALICE, BOB)

    (error,) = table.say("e2e4", key=EVE)

    assert error.content.startswith("not-a-player: ")
    assert [tag[0] for tag in error.tags] == ["e", "p"]
    assert error.tags[1] == ("p", EVE.pubkey)


@pytest.mark.parametrize(
    "tags", [(), (("d", "f" * 32),), (("d", "../.."),), (("d", "a" * 32), ("d", "b" * 32))]
)
def test_a_move_in_no_game_of_ours_is_answered_to_its_author(
    tags: tuple[tuple[str, ...], ...],
) -> None:
    (error,) = World().hear(an_event(EVE, 20303, "e2e4", (("p", SERVER.pubkey), *tags)))

    assert error.content.startswith("unknown-game: ")
    assert error.tags[-1] == ("p", EVE.pubkey)


def test_the_server_may_be_named_in_any_p_tag() -> None:
    players = (("p", ALICE.pubkey), ("p", BOB.pubkey, "wss://relay.example"))

    (told,) = World().hear(an_event(ALICE, 20300, "", (*players, ("p", SERVER.pubkey))))

    assert told.content == "queued"


def test_what_is_not_for_us_is_dropped_without_a_word() -> None:
    world = World()

    assert world.hear(an_event(ALICE, 20300, "", (("p", BOB.pubkey),))) == []
    assert world.hear(an_event(ALICE, 1, "hello", (("p", SERVER.pubkey),))) == []
    assert world.hear(an_event(SERVER, 20303, "e2e4", (("p", SERVER.pubkey),))) == []
    assert world.statuses() == ["not-for-us", "unknown-kind", "our-own"]


@pytest.mark.parametrize(
    "body", ["", "[]", "null", "{}", '{"event": 1, "received_at_ms": 1}', "{" * 100_000]
)
def test_a_body_that_nobody_wrote_is_dropped_and_not_retried(body: str) -> None:
    world = World()

    assert world.deliver(world.record(body)) == ()
    assert isinstance(world.log[0], Processed)


@pytest.mark.parametrize("stamp", ["true", "1.5", '"1"', "null", "[]"])
def test_a_time_of_receipt_that_is_no_whole_number_is_nobodys(stamp: str) -> None:
    world = World()
    body = world.body(an_event(ALICE, 20300, "", (("p", SERVER.pubkey),)))

    world.deliver(world.record(body.replace(str(world.clock.ms) + "}", stamp + "}")))

    assert world.statuses() == ["unreadable"]


def test_a_forged_event_is_dropped_at_the_arbiter_too() -> None:
    """The queue is no trust boundary."""
    world = World()
    event = an_event(ALICE, 20300, "", (("p", SERVER.pubkey),))

    world.deliver(world.record(world.body(event).replace(ALICE.pubkey, BOB.pubkey)))

    assert world.statuses() == ["malformed-wrong_id"]
    assert world.lobby.pool(PLAIN.pool).waiting == ()
