"""Clocks and timers over the wire: what comes late, early or twice."""

import pytest

from arbiter.application.intake.queue_messages import parse_timer
from arbiter.application.intake.routing import timer_entry
from arbiter.application.records import Timer
from arbiter.core.clocks import SETTLE_MS, Speed
from tests.application.script import Conversation, run
from tests.builders import BOB

MET = "alice seek blitz; bob seek blitz\n"
MOVED = MET + "moves e2e4 e7e5\n"
DUE = MOVED + "wait 180s; queue moved: alice g1f3; wait 2s; no timers\n"
"""White moved in time, the record waits, and time is up."""


@pytest.mark.parametrize(
    ("said", "looks"),
    [
        # What changes the game sets the timer anew, for when a flag may fall: White's comes first.
        ("alice draw", 1),
        ("alice g1f3", 2),
        # Else the same timer has the game looked at now.
        ("alice state", 2),
        ("bob b8c6", 2),
        ("bob seek", 2),
    ],
)
def test_a_timer_that_was_never_set_is_set_when_a_player_speaks_after_its_time(
    said: str, looks: int
) -> None:
    talk = run(MOVED + f"no timers; wait 90s; {said}")
    assert talk.fact("timers") == "1"
    statuses = []
    for _ in range(looks):
        talk.line("timer")
        statuses.append(talk.fact("status"))
    assert statuses == ["tick-early"] * (looks - 1) + ["timeout"]


@pytest.mark.parametrize(
    "point", ["lobby.commit", "lobby.committed", "timers.set", "timers.was-set"]
)
@pytest.mark.parametrize(
    ("first", "second"), [("seek blitz", "seek blitz"), ("challenge bob blitz", "accept c1")]
)
def test_a_game_has_its_first_timer_though_a_worker_died_as_it_began(
    point: str, first: str, second: str
) -> None:
    talk = run(f"alice {first}; crash {point}; bob {second} > failed\n again")
    assert talk.fact("games") == "1"
    assert talk.fact("timers") == ("2" if point == "timers.was-set" else "1")


def test_who_wins_on_time_gains_rating() -> None:
    talk = run("alice seek blitz rated; bob seek blitz rated; moves e2e4 e7e5\n 2 x timer")
    assert talk.world.ratings.standing(BOB.pubkey, Speed.BLITZ).rating.value > 1500
    note = next(event for event in talk.world.publisher.taken_events if event.kind == 64)
    assert '[Termination "time forfeit"]' in note.content
    assert '[TimeControl "180+2"]' in note.content


def tick(talk: Conversation, at_ms: int, ply: int = 2, player: str | None = None) -> str:
    """Let a timer for this ply come then, in this player's line; its status."""
    talk.world.clock.ms = max(talk.world.clock.ms, at_ms)
    talk.deliver(timer_entry(Timer(talk.games[-1], ply, at_ms, player), at_ms).body)
    return talk.fact("status")


def test_a_timer_that_comes_again_and_again_or_for_another_ply_ends_nothing_early() -> None:
    talk = run(MOVED)
    now_ms, deadline_ms = talk.world.clock.ms, talk.game().deadline_ms()
    assert deadline_ms
    for at_ms in (now_ms, now_ms, deadline_ms - 1, deadline_ms, deadline_ms + SETTLE_MS - 1):
        for ply in (0, 1, 2, 7):
            assert tick(talk, at_ms, ply).startswith("tick-")
    assert talk.fact("end") == "-"
    assert tick(talk, deadline_ms + SETTLE_MS) == "timeout"
    talk.world.games.by_id.clear()
    talk.deliver(timer_entry(Timer("f" * 32, 2, now_ms), now_ms).body)
    assert talk.fact("status") == "tick-late"


def test_while_moves_come_in_time_a_timer_is_always_under_way_and_never_flags() -> None:
    talk = run(MET)
    for uci in ("g1f3", "g8f6", "f3g1", "f6g8") * 3:
        talk.line("wait 19s")
        due_ms = talk.game().timer_at_ms or 0
        assert 0 < due_ms <= (talk.game().deadline_ms() or 0) + SETTLE_MS
        if due_ms <= talk.world.clock.ms:
            assert tick(talk, due_ms, talk.game().ply) == "tick-early"
        talk.line(f"moves {uci}")


def test_an_end_on_time_that_could_not_be_rated_is_when_the_timer_comes_again() -> None:
    talk = run("alice seek blitz rated; bob seek blitz rated; moves e2e4 e7e5")
    at_ms, white = (talk.game().deadline_ms() or 0) + SETTLE_MS, talk.game().white.player
    talk.line("crash ratings.commit")
    assert tick(talk, at_ms, player=white) == "failed"
    assert tick(talk, at_ms, player=white) == "tick-again"
    assert (talk.fact("end"), talk.fact("rated")) == ("0-1 timeout", "1")


@pytest.mark.parametrize("by", ["the opponent", "a timer", "a timer in the opponent's line"])
def test_a_flag_falls_behind_what_the_side_to_move_said_and_nowhere_else(by: str) -> None:
    """A move in time waits in a line of its own, and another line may look at the clock."""
    talk = run(DUE)
    now_ms, line = talk.world.clock.ms, BOB.pubkey if "line" in by else None
    if by == "the opponent":
        body = talk.world.body(talk.players.event("bob flag")[0])
    else:
        body = timer_entry(Timer(talk.games[-1], 2, now_ms, line), now_ms).body
    assert talk.world.deliver(talk.world.record(body)) == ()
    assert talk.fact("status") in {"held", "tick-handed-on"}
    (handed_on,) = (parse_timer(body) for body, _ in talk.world.timers.near)
    assert handed_on
    assert handed_on.player == talk.game().white.player
    talk.line("send moved > state")
    assert (talk.fact("statuses"), talk.fact("ply")) == ("played tick-late", "3")


def test_a_flag_called_again_and_again_is_one_record_in_the_line_of_the_side_to_move() -> None:
    talk = run(DUE)
    for names in ("", "/none") * 3:
        event, _ = talk.players.event(f"bob flag {names}".strip())
        talk.world.deliver(talk.world.record(talk.world.body(event)))
    timers = [parse_timer(body) for body, _ in talk.world.timers.near]
    assert len({timer_entry(it, talk.world.clock.ms).dedup_id for it in timers if it}) == 1


@pytest.mark.parametrize("waited_s", [0, 2, 30])
@pytest.mark.parametrize("at_gateway", [False, True])
def test_a_move_that_waited_for_us_costs_neither_player_time(
    waited_s: int, *, at_gateway: bool
) -> None:
    talk = run(MOVED)
    event, _ = talk.players.event("alice g1f3")
    body = talk.world.body(event, at_gateway=at_gateway)
    talk.world.clock.ms += 1000 * waited_s
    talk.deliver(body)
    clocks = talk.game().clocks
    assert clocks
    assert (clocks.white_ms, clocks.black_ms) == (182_000, 180_000)
    assert clocks.since_ms == talk.world.clock.ms


@pytest.mark.parametrize(
    "point", ["games.commit", "games.committed", "timers.set", "timers.was-set"]
)
@pytest.mark.parametrize("line", ["g1f3 b8c6", "g1f3 b8c6 f1c4"])
def test_a_move_that_brings_the_deadline_forward_sets_a_timer_though_a_worker_died_at_it(
    point: str, line: str
) -> None:
    """The timer under way would come after the time of the side with far less is up."""
    *before, first, answer = line.split()
    talk = run(MOVED + "".join(f"moves {uci}\n" for uci in before) + "timer")
    talk.world.clock.ms = talk.game().changed_at_ms + 150_000
    for one in (f"moves {first}", "timer", "no timers", f"crash {point}"):
        talk.line(one)
    timer_ms = talk.game().timer_at_ms
    side = "white" if len(before) else "black"
    talk.line(f"{side} {answer} > failed")
    talk.line("again")
    game = talk.game()
    assert game.moves[-1].uci() == answer
    assert game.timer_at_ms == (game.deadline_ms() or 0) + SETTLE_MS
    assert (game.timer_at_ms or 0) < (timer_ms or 0), "this move brings the deadline forward"
    timers = [parse_timer(body) for body, _ in talk.world.timers.near]
    assert game.timer_at_ms in [timer.at_ms for timer in timers if timer]
