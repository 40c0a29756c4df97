"""Clocks, offers and rematches over the wire: what is replayed, raced, or missed."""

import json
from collections.abc import Sequence

import chess
import pytest

from arbiter.application.nudges import Nudge, moves_entry
from arbiter.core.decide import STALE_AFTER_MS
from arbiter.core.model import WHITE, Termination
from arbiter.core.timing import DAY_MS, Speed
from arbiter.nostr.event import VerifiedEvent, all_tags
from arbiter.nostr.keys import SecretKey
from tests.application.world import Table, World
from tests.builders import ALICE, BOB, EVE, SERVER, a_key, an_event

CAROL = a_key("carol")
BLITZ = ("time", "180+2")
RATED = (BLITZ, ("mode", "rated"))


def tag(event: VerifiedEvent, name: str) -> tuple[str, ...] | None:
    found = all_tags(event, name)
    return found[0][1:] if found else None


def states(events: Sequence[VerifiedEvent]) -> list[VerifiedEvent]:
    return [event for event in events if event.kind == 20302]


def play(table: Table, *moves: str) -> None:
    for uci in moves:
        table.world.clock.ms += 1000
        assert states(table.say(uci)), uci


def say(table: Table, text: str, key: SecretKey) -> VerifiedEvent:
    """Say this a second later; the one event that comes of it."""
    table.world.clock.ms += 1000
    (told, *_) = table.say(text, key=key)
    return told


def nudge(world: World, table: Table, at_ms: int | None = None, ply: int | None = None) -> str:
    """Let the timer of this game come at its time, or at another; its fate."""
    game = world.game(table.game_id)
    at_ms = at_ms or game.timer_at_ms or world.clock.ms
    world.clock.ms = max(world.clock.ms, at_ms)
    entry = moves_entry(Nudge(game.id, game.ply if ply is None else ply, at_ms), at_ms)
    assert world.deliver(world.record(entry.body)) == ()
    return world.fates()[-1]


def test_a_state_shows_the_clocks_and_when_they_run_out() -> None:
    table = World().start(ALICE, BOB, BLITZ)
    assert (tag(table.state, "time"), tag(table.state, "clock")) == (
        ("180+2",),
        ("180000", "180000"),
    )
    assert tag(table.state, "deadline") == (str(table.world.clock.ms + 30_000),)

    play(table, "e2e4", "e7e5")
    table.world.clock.ms += 10_000
    table.say("g1f3")

    assert tag(table.state, "clock") == (str(180_000 - 9000 + 2000), "180000")
    assert tag(table.state, "deadline") == (str(table.world.clock.ms + 181_000),)


def test_a_game_without_a_clock_shows_none_and_sets_no_timer() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, "e2e4", "e7e5")

    assert {name for name, *_ in table.state.tags}.isdisjoint({"time", "clock", "deadline"})
    assert (world.timers.near, world.timers.far) == ([], {})


def test_a_timer_is_set_when_the_game_starts_and_it_aborts_a_game_nobody_began() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    ((body, delay_seconds),) = world.timers.near
    assert json.loads(body)["nudge"]["game_id"] == table.game_id
    assert delay_seconds == 32

    assert nudge(world, table) == "aborted"

    (final,) = states(world.publisher.taken_events)[-1:]
    assert tag(final, "termination") == ("aborted",)
    assert world.ratings.games == {}


def test_a_flag_falls_by_itself_and_is_told_noted_and_rated_once() -> None:
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, "e2e4", "e7e5")
    before = 0
    while world.game(table.game_id).outcome is None:
        before = len(world.publisher.taken_events)
        nudge(world, table)

    final, note = world.publisher.taken_events[before:]
    assert (tag(final, "result"), tag(final, "termination")) == (("0-1",), ("timeout",))
    assert tag(final, "deadline") is None
    assert '[Termination "time forfeit"]' in note.content
    assert '[TimeControl "180+2"]' in note.content
    assert list(world.ratings.games) == [table.game_id]
    assert world.ratings.standing(table.black.pubkey, Speed.BLITZ).rating.value > 1500
    assert nudge(world, table) == "tick-again"
    assert world.publisher.taken_events[before + 2 :] == [final, note]


def test_an_end_on_time_that_could_not_be_rated_or_told_is_when_the_nudge_comes_again() -> None:
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, "e2e4", "e7e5")
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None
    world.clock.ms = deadline_ms + 2000
    entry = moves_entry(Nudge(table.game_id, 2, world.clock.ms), world.clock.ms)
    record = world.record(entry.body)

    def break_off(point: str) -> None:
        if point == "ratings.commit":
            raise ConnectionError

    world.ratings.hook = break_off
    assert world.deliver(record) == (record.id,)
    assert world.game(table.game_id).outcome is not None
    world.ratings.hook = lambda point: None
    assert world.deliver(record) == ()

    assert list(world.ratings.games) == [table.game_id]
    assert [event.kind for event in world.publisher.taken_events[-2:]] == [20302, 64]


def test_a_nudge_to_a_game_that_ended_otherwise_is_late() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    say(table, "resign", table.white)

    before = len(world.publisher.taken_events)
    assert nudge(world, table) == "tick-late"
    assert len(world.publisher.taken_events) == before


def test_a_nudge_that_comes_again_and_again_ends_nothing_early() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None

    for at_ms in (world.clock.ms, world.clock.ms, deadline_ms - 1, deadline_ms, deadline_ms + 1999):
        assert nudge(world, table, at_ms).startswith("tick-")
    assert world.game(table.game_id).outcome is None
    assert nudge(world, table, deadline_ms + 2000) == "timeout"


def test_a_nudge_for_another_ply_or_another_game_is_harmless() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")

    for ply in (0, 1, 7):
        assert nudge(world, table, ply=ply, at_ms=world.clock.ms).startswith("tick-")
    entry = moves_entry(Nudge("f" * 32, 2, world.clock.ms), world.clock.ms)
    world.deliver(world.record(entry.body))
    assert world.fates()[-1] == "tick-late"
    assert world.game(table.game_id).outcome is None


def test_while_moves_come_in_time_a_timer_is_always_under_way_and_never_flags() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    knights = ("g1f3", "g8f6", "f3g1", "f6g8")
    for ply, uci in enumerate(knights * 3):
        world.clock.ms += 20_000
        game = world.game(table.game_id)
        assert game.timer_at_ms is not None
        due_ms = game.deadline_ms()
        assert due_ms is not None
        assert game.timer_at_ms <= due_ms + 2000
        if game.timer_at_ms <= world.clock.ms:
            assert nudge(world, table, game.timer_at_ms) == "tick-early", ply
        assert states(table.say(uci)), ply
    assert world.game(table.game_id).ply == 12


def test_a_flag_call_asks_the_arbiter_to_look() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")

    assert say(table, "flag", table.black).content.startswith("time-left: ")
    world.clock.ms += 190_000
    assert tag(say(table, "flag", table.black), "termination") == ("timeout",)


def test_a_move_that_waited_in_the_queue_is_in_time() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    world.clock.ms += 181_000
    body = world.body(table.move_event("g1f3"))
    world.clock.ms += 600_000

    world.deliver(world.record(body))

    game = world.game(table.game_id)
    assert (game.ply, game.outcome) == (3, None)
    assert game.clocks is not None
    assert game.clocks.white_ms == 2000


def test_a_correspondence_game_goes_on_for_days_and_each_move_has_them_anew() -> None:
    world = World()
    table = world.start(ALICE, BOB, ("time", "2d"))
    for uci in ("e2e4", "e7e5", "g1f3"):
        world.clock.ms += DAY_MS
        assert states(table.say(uci))

    assert tag(table.state, "clock") == (str(2 * DAY_MS), str(2 * DAY_MS))
    world.clock.ms += 2 * DAY_MS + 3001
    assert tag(say(table, "flag", table.white), "termination") == ("timeout",)


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

    (error,) = table.say("b8c6", key=table.black)
    assert error.content.startswith("stale: ")


def test_a_state_of_another_ply_is_stale_however_often_the_offers_changed() -> None:
    table = World().start(ALICE, BOB)
    old = table.state
    play(table, "e2e4", "e7e5")
    say(table, "draw", table.white)
    table.state = old

    (error,) = table.say("d2d4", key=table.white)
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

    assert world.fates()[-1] == "duplicate"
    assert world.game(table.game_id).outcome is None


def test_an_old_offer_that_no_ring_remembers_is_stale() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, "e2e4", "e7e5")
    never_arrived = table.move_event("draw", key=table.white)
    world.clock.ms += STALE_AFTER_MS + 2000
    play(table, "g1f3")
    say(table, "draw", table.black)

    (error,) = world.hear(never_arrived)

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

    assert told[-1].id == table.state.id
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


MATE = ("f2f3", "e7e5", "g2g4", "d8h4")


def test_a_rematch_swaps_the_colours_and_is_told_as_a_start() -> None:
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, *MATE)
    offered = say(table, "rematch", table.white)
    assert tag(offered, "offer") == ("rematch", "w")
    assert tag(offered, "result") == ("0-1",)

    world.clock.ms += 1000
    started = table.say("rematch", key=table.black)

    assert [event.kind for event in started] == [20301, 20301, 20302]
    again = world.game(started[-1].tags[0][1])
    old = world.game(table.game_id)
    assert (again.white, again.black) == (old.black, old.white)
    assert (again.rated, again.outcome) == (True, None)
    assert old.next_game_id == again.id
    assert again.timer_at_ms is not None
    for key in (ALICE, BOB):
        assert world.lobby.player(key.pubkey).game_id == again.id
    shown = world.hear(table.move_event("state", key=EVE))
    assert shown


def test_a_rematch_is_accepted_once_however_often_the_event_comes() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    accepted = table.move_event("rematch", key=table.black)
    first = world.hear(accepted)
    world.clock.ms += 1000

    again = world.hear(accepted)

    assert world.fates()[-1] == "duplicate"
    assert states(again)[-1].id == states(first)[-1].id
    assert len(world.games.standing) == 2
    late = say(table, "rematch", table.white)
    assert late.content.startswith("not-offered-here: ")
    assert len(world.games.standing) == 2


def test_two_acceptances_at_once_make_one_rematch() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    rival = table.move_event("rematch", key=table.black)
    world.clock.ms += 1000
    accepted = table.move_event("rematch", key=table.black)
    done: list[str] = []

    def meanwhile(point: str) -> None:
        if point == "lobby.commit" and not done:
            done.append(point)
            world.hear(rival)

    world.lobby.hook = meanwhile
    world.hear(accepted)

    assert len(world.games.standing) == 2


def test_nobody_is_taken_from_another_game_into_a_rematch() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    other = world.start(table.white, CAROL)
    world.clock.ms += 1000

    accepted = table.move_event("rematch", key=table.black)
    (error,) = world.hear(accepted)

    assert error.content.startswith("not-offered-here: ")
    assert world.lobby.player(table.white.pubkey).game_id == other.game_id
    assert len(world.games.standing) == 2

    # Refused is refused: when the other game is over, a replay begins nothing.
    other.say("quit", key=CAROL)
    world.clock.ms += 1000
    world.hear(accepted)
    assert len(world.games.standing) == 2


def test_who_waits_for_others_and_then_plays_the_rematch_waits_no_more() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.ask(table.white)
    world.clock.ms += 1000
    table.say("rematch", key=table.black)

    world.clock.ms += 1000
    (queued,) = world.ask(CAROL)
    assert queued.content == "queued"


def test_a_declined_rematch_is_none() -> None:
    table = World().start(ALICE, BOB)
    play(table, *MATE)
    say(table, "rematch", table.white)

    assert tag(say(table, "rematch-decline", table.black), "offer") is None
    assert len(table.world.games.standing) == 1


def test_an_offer_of_a_rematch_neither_dates_the_note_anew_nor_lets_it_be_lost() -> None:
    """A note is kept by relays for ever: twice the same bytes are one, and other bytes are two."""
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE[:3])
    mating = table.move_event(MATE[3])
    first = [event for event in world.hear(mating) if event.kind == 64]
    world.clock.ms += 60_000
    say(table, "rematch", table.white)

    again = [event for event in world.hear(mating) if event.kind == 64]

    assert [event.id for event in again] == [event.id for event in first]


def test_an_end_that_no_relay_took_is_told_though_a_rematch_was_offered_since() -> None:
    world = World()
    table = world.start(ALICE, BOB)
    play(table, *MATE[:3])
    world.publisher.deaf = True
    world.clock.ms += 1000
    table.say(MATE[3])
    (body,) = world.republish.bodies
    world.publisher.deaf = False
    say(table, "rematch", table.white)

    world.deliver(world.record(body))

    assert world.publisher.taken_events[-1].kind == 64


def test_a_takeback_winds_the_clock_of_the_position_that_came_back() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5", "g1f3")
    say(table, "takeback", table.white)
    say(table, "takeback", table.black)

    game = world.game(table.game_id)
    assert game.deadline_ms() == world.clock.ms + 180_000 + 2000 + 1000
    assert game.timer_at_ms is not None
    assert game.timer_at_ms <= world.clock.ms + 185_000


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


def test_a_timer_that_could_not_be_wound_again_is_wound_when_the_nudge_comes_again() -> None:
    """Nobody moves any more: without a timer this game would never end."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    game = world.game(table.game_id)
    assert game.timer_at_ms is not None
    at_ms = world.clock.ms = game.timer_at_ms
    due_ms = game.deadline_ms()
    assert due_ms is not None
    assert at_ms < due_ms
    entry = moves_entry(Nudge(game.id, game.ply, at_ms), at_ms)
    record = world.record(entry.body)
    world.timers.near.clear()

    def break_off(point: str) -> None:
        if point == "timers.set":
            raise ConnectionError

    world.timers.hook = break_off
    assert world.deliver(record) == (record.id,)
    world.timers.hook = lambda point: None
    assert world.deliver(record) == ()

    ((body, _),) = world.timers.near
    assert json.loads(body)["nudge"]["at_ms"] == due_ms + 2000


def test_a_call_of_the_flag_or_a_nudge_that_waited_in_the_queue_is_as_old_as_its_receipt() -> None:
    """Behind either of them a move in time may wait."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None
    world.clock.ms = deadline_ms - 1
    moved = world.body(table.move_event("g1f3", key=table.white))
    called = world.body(table.move_event("flag", key=table.black))
    nudged = moves_entry(Nudge(table.game_id, 2, world.clock.ms), world.clock.ms).body
    world.clock.ms += 60_000

    for body in (called, nudged, moved):
        world.deliver(world.record(body, group="game"))

    assert world.fates()[-3:] == ["time-left", "tick-early", "played"]


@pytest.mark.parametrize("broken", [False, True])
def test_a_rematch_has_a_timer_even_if_it_could_not_be_set_at_first(*, broken: bool) -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, *MATE)
    say(table, "rematch", table.white)
    world.clock.ms += 1000
    accepted = world.record(world.body(table.move_event("rematch", key=table.black)))
    world.timers.near.clear()

    def break_off(point: str) -> None:
        if point == "timers.set":
            raise ConnectionError

    if broken:
        world.timers.hook = break_off
        assert world.deliver(accepted) == (accepted.id,)
        world.timers.hook = lambda point: None
    assert world.deliver(accepted) == ()

    following = world.game(table.game_id).next_game_id
    (bodies, *_) = zip(*world.timers.near, strict=True)
    assert following in {json.loads(body)["nudge"]["game_id"] for body in bodies}
