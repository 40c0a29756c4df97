"""The budget of a day: counted in memory, written once a minute, and used up without harm to those
who play.
"""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arbiter.adapters.memory.connections import MemoryDayCounters
from arbiter.application.gateway.fanout import Fanout
from arbiter.application.policy import KnownPolicy
from arbiter.application.spending import (
    ALL,
    SPENT,
    Level,
    Spending,
    day_of,
    level_of,
    seconds_left,
)
from tests.application.gateway.relay_world import RelayWorld, a_relay, told
from tests.application.world import World
from tests.builders import ALICE, BOB, EVE, NOW_MS, SERVER, an_event
from tests.fakes.clock import FakeClock

DAY_MS = 86_400_000
MIDNIGHT_MS = NOW_MS // DAY_MS * DAY_MS
BUDGET = {"micro_dollars": 1_000}


@pytest.mark.parametrize(
    ("spent", "level"),
    [
        ({}, Level.OPEN),
        ({"a": 89}, Level.OPEN),
        ({"a": 90}, Level.NOTHING_NEW),
        ({"a": 100}, Level.GAMES_ONLY),
        ({"a": 10, "b": 1_000}, Level.GAMES_ONLY),
        ({"a": 10, "free": 10**9}, Level.OPEN),
    ],
)
def test_the_unit_of_which_most_is_used_decides(spent: Mapping[str, int], level: Level) -> None:
    assert level_of(spent, {"a": 100, "b": 1_000, "free": 0}) is level


class Counters(MemoryDayCounters):
    """Which also remembers what was written, and may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[tuple[str, dict[str, int]]] = []
        self.fails = False

    def add(self, day: str, name: str, amounts: Mapping[str, int]) -> Mapping[str, int]:
        if self.fails:
            raise OSError
        self.written.append((name, dict(amounts)))
        return super().add(day, name, amounts)


def test_a_process_writes_once_a_minute_what_it_added_up_by_address_and_in_all() -> None:
    counters, clock = Counters(), FakeClock(MIDNIGHT_MS)
    spending = Spending(counters, clock, BUDGET)
    for seconds in range(0, 61, 10):
        clock.ms = MIDNIGHT_MS + seconds * 1000
        spending.add({"micro_dollars": 1}, "a" if seconds % 20 else "b")
    assert counters.written == [
        *((ALL, {"micro_dollars": 1}), ("b", {"micro_dollars": 1})),
        *((ALL, {"micro_dollars": 6}), ("a", {"micro_dollars": 3}), ("b", {"micro_dollars": 3})),
    ]
    assert counters.spent(day_of(MIDNIGHT_MS))[ALL] == {"micro_dollars": 7}


def test_of_many_addresses_those_are_written_that_spent_most() -> None:
    counters, clock = Counters(), FakeClock(MIDNIGHT_MS)
    spending = Spending(counters, clock, BUDGET)
    spending.add({"micro_dollars": 0})
    for number in range(20):
        spending.add({"micro_dollars": number}, f"a{number}")
    clock.ms += 60_000
    spending.add({"micro_dollars": 0})
    assert [name for name, _ in counters.written[1:]] == [ALL, "a19", "a18", "a17", "a16", "a15"]


def test_what_others_spent_is_known_after_the_next_write() -> None:
    counters, clock = Counters(), FakeClock(MIDNIGHT_MS)
    one, other = (Spending(counters, clock, BUDGET) for _ in range(2))
    one.add({"micro_dollars": 990})
    other.add({"micro_dollars": 10})
    assert (one.level(), other.level()) == (Level.NOTHING_NEW, Level.GAMES_ONLY)
    clock.ms += 60_000
    one.add({"micro_dollars": 0})
    assert one.level() is Level.GAMES_ONLY


def test_counters_that_fail_refuse_nothing(caplog: pytest.LogCaptureFixture) -> None:
    counters = Counters()
    counters.fails = True
    spending = Spending(counters, FakeClock(MIDNIGHT_MS), BUDGET)
    spending.add({"micro_dollars": 10**9})
    assert spending.level() is Level.OPEN
    assert [record.msg["status"] for record in caplog.records] == ["spending-unwritten"]  # type: ignore[index]


def test_half_of_a_budget_is_logged_once_a_day_for_the_alarm(
    caplog: pytest.LogCaptureFixture,
) -> None:
    counters, clock = MemoryDayCounters(), FakeClock(MIDNIGHT_MS)
    spending = Spending(counters, clock, {**BUDGET, "unbounded": 0})
    with caplog.at_level(logging.WARNING):
        for _ in range(10):
            spending.add({"micro_dollars": 99, "unbounded": 5})
            clock.ms += 60_000
    (line,) = [record.msg for record in caplog.records]
    assert line == {"status": "half-spent", "unit": "micro_dollars", "spent": 594}


@pytest.mark.parametrize(("at_ms", "left"), [(0, 86_400), (1_000, 86_399), (86_399_999, 1)])
def test_a_day_ends_at_midnight(at_ms: int, left: int) -> None:
    assert seconds_left(MIDNIGHT_MS + at_ms) == left


def with_budget(relay: RelayWorld) -> Spending:
    clock = relay.world.clock
    spending = Spending(MemoryDayCounters(), clock, BUDGET)
    fanout = Fanout(relay.connections, relay.sockets, clock, spending=spending)
    relay.deps = replace(relay.deps, spending=spending, fanout=fanout)
    return spending


def test_a_budget_that_is_used_up_ends_no_game_lets_nothing_else_in_and_is_new_the_next_day() -> (
    None
):
    """The rehearsal: Alice and Bob play, Eve looks on and wants to play."""
    relay = a_relay()
    relay.open("eve", "192.0.2.9")
    table = relay.a_game()
    spending = with_budget(relay)
    game = ("d", table.game_id)
    mine: dict[str, Any] = {"#p": [ALICE.pubkey]}
    looking: dict[str, Any] = {"kinds": [20302], "#d": [table.game_id]}

    def asked_by_eve(number: int) -> list[str]:
        request = an_event(
            EVE, 20300, f"{number}", (("p", SERVER.pubkey),), relay.world.clock.ms // 1000
        )
        line = an_event(EVE, 20306, f"{number}", (game,), relay.world.clock.ms // 1000)
        answers = [relay.publish(request, on="eve"), relay.publish(line, on="eve")]
        answers.append(relay.subscribe(looking, on="eve", id_=f"s{number}"))
        return [told(answer)[-1] for answer in answers]

    assert asked_by_eve(0) == ["OK", "OK", "EOSE"]
    spending.add({"micro_dollars": 900})
    assert asked_by_eve(1) == ["OK restricted", "OK restricted", "CLOSED restricted"]
    assert told(relay.subscribe(mine))[-1] == "EOSE"
    assert relay.subscribe(looking, on="eve", id_="s2")[-1][2].endswith("opens again at 00:00 UTC")
    state = ("p", SERVER.pubkey), game
    asks = an_event(EVE, 20303, "state", state, relay.world.clock.ms // 1000)
    assert told(relay.publish(asks, on="eve"))[-1] == "OK"

    relay.world.clock.ms += 60_000
    spending.add({"micro_dollars": 100})
    assert spending.level() is Level.GAMES_ONLY
    asks = an_event(EVE, 20303, "state ", state, relay.world.clock.ms // 1000)
    assert told(relay.publish(asks, on="eve"))[-1] == "OK restricted"
    relay.sockets.heard("eve")
    begun = relay.world.games.load(table.game_id)
    assert begun is not None
    white, black = (ALICE, BOB) if begun.white.player == ALICE.pubkey else (BOB, ALICE)
    for key, word in ((white, "f2f3"), (black, "e7e5"), (white, "g2g4"), (black, "d8h4")):
        move = an_event(key, 20303, word, state, relay.world.clock.ms // 1000)
        assert told([it for it in relay.publish(move) if it[0] == "OK"]) == ("OK",)
        relay.arbitrate()
    ended = relay.world.games.load(table.game_id)
    assert ended is not None
    assert ended.outcome is not None
    assert relay.sockets.heard("eve") == []
    assert {message[2]["kind"] for message in relay.sockets.heard("x")} >= {20302}
    last = an_event(ALICE, 20303, "state", state, relay.world.clock.ms // 1000)
    assert told(relay.publish(last))[-1] == "OK restricted"

    relay.world.clock.ms += DAY_MS
    assert asked_by_eve(9)[::2] == ["OK", "EOSE"]


def test_a_request_over_relays_is_refused_with_the_reason_while_a_game_there_goes_on() -> None:
    world = World()
    spending = Spending(MemoryDayCounters(), world.clock, BUDGET)
    world.deps = replace(world.deps, policy=KnownPolicy(clock=world.clock, spending=spending))
    table = world.start(ALICE, BOB)
    spending.add({"micro_dollars": 900})
    (refused,) = world.ask(EVE, "")
    assert refused.kind == 20301
    assert SPENT in refused.content
    assert 20302 in [event.kind for event in table.say("e2e4")]
    world.clock.ms += DAY_MS
    assert SPENT not in world.ask(EVE, "")[0].content
