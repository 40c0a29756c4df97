"""Clocks and timers over the wire: what comes late, early or twice."""

import json

import pytest

from arbiter.application.play import ERRORS_IN_PASSING
from arbiter.application.queue_messages import Timer, parse_timer
from arbiter.application.routing import timer_entry
from arbiter.core.clocks import DAY_MS, SETTLE_MS, Speed
from arbiter.core.game import BLACK, WHITE
from tests.application.talk import BLITZ, RATED, nudge, play, say, states, tag
from tests.application.world import Table, World
from tests.builders import ALICE, BOB
from tests.fakes.faults import crash_at


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

    final, note, *ratings = world.publisher.taken_events[before:]
    assert [event.kind for event in ratings] == [30300, 30300]
    assert (tag(final, "result"), tag(final, "termination")) == (("0-1",), ("timeout",))
    assert tag(final, "deadline") is None
    assert '[Termination "time forfeit"]' in note.content
    assert '[TimeControl "180+2"]' in note.content
    assert list(world.ratings.games) == [table.game_id]
    assert world.ratings.standing(table.black.pubkey, Speed.BLITZ).rating.value > 1500
    assert nudge(world, table) == "tick-again"
    assert world.publisher.taken_events[before + 4 :] == [final, note, *ratings]


def test_an_end_on_time_that_could_not_be_rated_or_told_is_when_the_nudge_comes_again() -> None:
    world = World()
    table = world.start(ALICE, BOB, *RATED)
    play(table, "e2e4", "e7e5")
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None
    world.clock.ms = deadline_ms + 2000
    white = table.white.pubkey
    entry = timer_entry(Timer(table.game_id, 2, world.clock.ms, white), world.clock.ms)
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
    assert [event.kind for event in world.publisher.taken_events[-4:]] == [20302, 64, 30300, 30300]


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
    entry = timer_entry(Timer("f" * 32, 2, world.clock.ms), world.clock.ms)
    world.deliver(world.record(entry.body))
    assert world.statuses()[-1] == "tick-late"
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


def test_a_takeback_winds_the_clock_of_the_position_that_came_back() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5", "g1f3")
    say(table, "takeback", table.white)
    say(table, "takeback", table.black)

    game = world.game(table.game_id)
    assert game.deadline_ms() == world.clock.ms + 180_000 + 1000
    assert game.timer_at_ms is not None
    assert game.timer_at_ms <= world.clock.ms + 185_000


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
    entry = timer_entry(Timer(game.id, game.ply, at_ms), at_ms)
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
    nudged = timer_entry(Timer(table.game_id, 2, world.clock.ms), world.clock.ms).body
    world.clock.ms += 60_000

    for body in (called, nudged, moved):
        world.deliver(world.record(body, group="game"))

    assert world.statuses()[-3:] == ["time-left", "tick-early", "played"]


def a_late_move() -> tuple[World, Table, str]:
    """A game in which White moved in time and the record waits, and time is up; and that record."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    deadline_ms = world.game(table.game_id).deadline_ms()
    assert deadline_ms is not None
    world.clock.ms = deadline_ms
    moved = world.body(table.move_event("g1f3", key=table.white))
    world.clock.ms += 2000
    return world, table, moved


@pytest.mark.parametrize("by", ["the opponent", "a timer", "a timer in the opponent's line"])
def test_a_flag_falls_behind_what_the_side_to_move_said_and_nowhere_else(by: str) -> None:
    """A move in time waits in a line of its own, and whoever looks at the clock in another."""
    world, table, moved = a_late_move()
    player = table.black.pubkey if by == "a timer in the opponent's line" else None
    body = (
        world.body(table.move_event("flag", key=table.black))
        if by == "the opponent"
        else timer_entry(Timer(table.game_id, 2, world.clock.ms, player), world.clock.ms).body
    )
    world.timers.near.clear()

    assert world.deliver(world.record(body)) == ()

    assert world.statuses()[-1] in {"held", "tick-handed-on"}
    assert world.game(table.game_id).outcome is None
    (handed_on,) = (parse_timer(body) for body, _ in world.timers.near)
    assert handed_on is not None
    assert handed_on.player == table.white.pubkey
    world.deliver(world.record(moved))
    world.hand_on()
    assert world.statuses()[-2:] == ["played", "tick-early"]
    assert world.game(table.game_id).ply == 3


@pytest.mark.parametrize("by", ["the opponent", "a timer"])
def test_a_flag_that_nobody_moved_against_falls_when_its_nudge_comes_to_that_line(by: str) -> None:
    world, table, _ = a_late_move()
    if by == "the opponent":
        world.hear(table.move_event("flag", key=table.black))
    else:
        nudge(world, table, world.clock.ms)
    assert world.statuses()[-1] == "timeout"
    assert world.game(table.game_id).result == "0-1"


def test_a_flag_called_again_and_again_is_one_record_in_the_line_of_the_side_to_move() -> None:
    world, table, _ = a_late_move()
    world.timers.near.clear()
    for number in range(5):
        world.clock.ms += 1000
        called = table.move_event("flag", key=table.black, name_state=number % 2 == 0)
        world.deliver(world.record(world.body(called)))

    nudges = [parse_timer(body) for body, _ in world.timers.near]
    assert len({timer_entry(it, world.clock.ms).dedup_id for it in nudges if it}) == 1


def test_who_resigns_after_the_opponents_flag_has_resigned() -> None:
    """What a player says is done: the flag falls in the other line, if it does."""
    world, table, moved = a_late_move()

    world.hear(table.move_event("resign", key=table.black))

    assert world.statuses()[-2:] == ["resignation", "tick-late"]
    world.deliver(world.record(moved))
    assert world.statuses()[-1] == "game-over"


def test_who_leaves_after_the_opponent_let_the_first_move_pass_has_not_called_it_off() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    world.clock.ms += 33_000

    world.hear(table.move_event("abort", key=table.black))

    assert world.statuses()[-2:] == ["held", "aborted"]
    outcome = world.game(table.game_id).outcome
    assert outcome is not None
    assert outcome.aborted_by == WHITE


def test_what_is_public_costs_the_opponent_what_it_waited_and_the_state_says_so() -> None:
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    body = world.body(table.move_event("g1f3"))
    world.clock.ms += 7000

    world.deliver(world.record(body))

    game = world.game(table.game_id)
    state = states(world.publisher.taken_events)[-1]
    assert game.clocks is not None
    assert game.clocks.since_ms == world.clock.ms - 6000
    assert tag(state, "deadline") == (str(world.clock.ms - 6000 + 181_000),)
    assert tag(state, "clock") == ("182000", "180000")


@pytest.mark.parametrize(
    ("by", "errors", "late_ms"),
    [
        ("white", ERRORS_IN_PASSING, 6000),
        ("white", ERRORS_IN_PASSING + 1, 0),
        ("black", ERRORS_IN_PASSING + 1, 6000),
    ],
)
def test_who_keeps_their_own_move_waiting_takes_no_time_from_the_opponent(
    by: str, errors: int, late_ms: int
) -> None:
    """What one player says waits in one line, so sixty words before a move delay it by seconds."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    key = table.white if by == "white" else table.black
    words = [world.body(table.move_event(f"word {at}", key=key)) for at in range(errors)]
    moved = world.body(table.move_event("g1f3", key=table.white))
    world.clock.ms += 7000

    for body in (*words, moved):
        world.deliver(world.record(body))

    clocks = world.game(table.game_id).clocks
    assert clocks is not None
    assert clocks.since_ms == world.clock.ms - late_ms


COMMIT = ("games.commit", "games.committed")
"""Before a game is written, and after."""
TIMER = ("timers.set", "timers.was-set")
"""Before its timer is set, and after."""


@pytest.mark.parametrize("point", [*COMMIT, *TIMER])
@pytest.mark.parametrize("short", [WHITE, BLACK])
def test_a_move_that_brings_the_deadline_forward_sets_a_timer_though_a_worker_died_at_it(
    point: str, *, short: bool
) -> None:
    """The timer under way would come after the time of whoever has less is up."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    first, answer = ("g1f3", "b8c6") if short == WHITE else ("b8c6", "f1c4")
    play(table, "e2e4", "e7e5", *(["g1f3"] if short == BLACK else []))
    nudge(world, table)
    world.clock.ms = world.game(table.game_id).changed_at_ms + 99_000
    play(table, first)
    nudge(world, table)
    timer_ms = world.game(table.game_id).timer_at_ms
    world.clock.ms += 1000
    record = world.record(world.body(table.move_event(answer)))
    world.timers.near.clear()

    die_once(world, point)
    assert world.deliver(record) == (record.id,)
    assert world.deliver(record) == ()

    game = world.game(table.game_id)
    assert game.moves[-1].uci() == answer
    assert game.timer_at_ms == (game.deadline_ms() or 0) + SETTLE_MS
    assert (game.timer_at_ms or 0) < (timer_ms or 0), "this move brings the deadline forward"
    assert game.timer_at_ms in timers_of(world, game.id)


@pytest.mark.parametrize("point", ["lobby.commit", "lobby.committed", *TIMER])
@pytest.mark.parametrize("challenged", [True, False])
def test_a_game_has_its_first_timer_though_a_worker_died_as_it_began(
    point: str, *, challenged: bool
) -> None:
    """Paired by a pool, or by a challenge that was accepted."""
    world = World()
    if challenged:
        said = world.ask(ALICE, "", ("challenge", BOB.pubkey), BLITZ)
        word = next(event.content for event in said if event.content.startswith("challenged:"))
        request = world.request(BOB, f"accept:{word.split(':')[1]}")
    else:
        world.ask(ALICE, "", BLITZ)
        request = world.request(BOB, "", BLITZ)
    record = world.record(world.body(request))

    die_once(world, point)
    assert world.deliver(record) == (record.id,)
    assert world.deliver(record) == ()

    game_id = world.lobby.player(ALICE.pubkey).game_id
    assert game_id is not None
    assert world.game(game_id).timer_at_ms in timers_of(world, game_id)


@pytest.mark.parametrize("word", ["g1f3", "draw", "state", "e7e5", "a request to play"])
def test_a_timer_that_was_never_set_is_set_when_a_player_speaks_after_its_time(word: str) -> None:
    """The worker died before it, and its record came back to an arbiter with another key."""
    world = World()
    table = world.start(ALICE, BOB, BLITZ)
    play(table, "e2e4", "e7e5")
    world.timers.near.clear()
    timer_ms = world.game(table.game_id).timer_at_ms or 0
    world.clock.ms = timer_ms

    if word == "a request to play":
        world.ask(table.white)
    else:
        table.say(word)

    assert timers_of(world, table.game_id) == [timer_ms]
    assert nudge(world, table) == "tick-early"
    assert world.game(table.game_id).timer_at_ms in timers_of(world, table.game_id)


def die_once(world: World, point: str) -> None:
    """Whoever comes to this point of a port the next time dies there."""
    world.games.hook = world.lobby.hook = world.timers.hook = crash_at(point)


def timers_of(world: World, game_id: str) -> list[int]:
    """When each timer comes that was set near by for this game (unix ms)."""
    nudges = [json.loads(body)["nudge"] for body, _ in world.timers.near]
    return [one["at_ms"] for one in nudges if one["game_id"] == game_id]
