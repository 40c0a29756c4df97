"""One machine counts its processor time, for whom it worked, and the bytes that it sent."""

import asyncio
import json
import signal
import time
from pathlib import Path

import pytest

from arbiter.application.spending import SPENT, Level, day_of, seconds_left
from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import IndependentClient
from clients.probes.matches import FOOLS_MATE, play_out, seated
from clients.probes.raw_socket import RawSocket, opened, signed
from server.spending import BYTES, CPU_MS, DayLimits, Meter, spending_of
from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.server.running_server import bundled_relay, running_server

MIDNIGHT_MS = NOW_MS // 86_400_000 * 86_400_000


class Machine:
    """A processor and its sockets, as far as they are counted."""

    def __init__(self, **limits: int) -> None:
        self.seconds, self.sent = 5.0, 100
        self.clock = FakeClock(MIDNIGHT_MS)
        self.spending = spending_of(DayLimits(**limits), self.clock)
        self.meter = Meter(self.spending, lambda: self.sent, lambda: self.seconds)

    def work(self, seconds: float) -> None:
        self.seconds += seconds

    def read(self) -> dict[str, dict[str, int]]:
        self.clock.ms += 60_000
        self.meter.read()
        spent = self.spending.counters.spent(day_of(self.clock.ms))
        return {name: dict(units) for name, units in spent.items()}


def test_work_is_counted_for_who_asked_for_it_and_the_rest_for_all() -> None:
    machine = Machine()
    machine.meter.timed("a", lambda: machine.work(2.0))
    machine.meter.timed("b", lambda: machine.work(0.5))
    machine.work(1.0)
    machine.sent += 700
    machine.read()
    read = machine.read()
    assert read[""] == {CPU_MS: 3_500, BYTES: 700}
    assert {name: units[CPU_MS] for name, units in read.items() if name} == {"a": 2_000, "b": 500}


def test_either_limit_closes_the_day_and_none_does_where_none_is_set() -> None:
    for limits, level in (
        ({}, Level.OPEN),
        ({"cpu_seconds": 10}, Level.NOTHING_NEW),
        ({"megabytes": 1}, Level.GAMES_ONLY),
    ):
        machine = Machine(**limits)
        machine.work(9.5)
        machine.sent += 2_000_000
        machine.read()
        assert machine.spending.level() is level


@pytest.mark.slow
async def test_a_spent_day_ends_no_game_lets_nothing_else_in_and_the_next_one_is_open(
    tmp_path: Path,
) -> None:
    limits = {
        "ARBITER_BUDGET_MEGABYTES": "1",
        "ARBITER_GATEWAY_QUESTIONS_PER_TEN_SECONDS": "9999",
    }
    with (
        bundled_relay(tmp_path / "relay") as relay,
        running_server(tmp_path, relay, "tests.server.moved_clock", **limits) as server,
    ):
        there = server.endpoints
        each = ([there.websocket], [relay])
        async with (
            seated(there, FOOLS_MATE, relays_of_each=each) as match,
            opened(there) as stranger,
        ):
            await match.play_to(2)
            game = {"#d": [match.game_id]}
            spent = 0
            while spent < 1_000_000:
                spent += await bytes_shown(there, game)
            server.send(signal.SIGUSR1)
            await until_refused(stranger, game)
            asked = await stranger.ask_to_play()
            assert (asked[2], asked[3]) == (False, f"restricted: {SPENT}")
            seek = IndependentClient([relay], there.server, ())
            async with seek.connected():
                assert SPENT in await seek.ask_until_answered()

            await play_out(match, FOOLS_MATE, "0-1")

            again = await stranger.ask_to_play(["time", "600+0"])
            assert (asked[2], again[3]) == (False, f"restricted: {SPENT}")
            server.send(signal.SIGUSR2)
            assert await stranger.request("next day", game)
            tomorrow = -seconds_left(int(time.time() * 1000)) - 1
            server_tag = [["p", there.server]]
            wish = signed(stranger.keys, 20300, "", server_tag, age_seconds=tomorrow)
            assert (await stranger.publish(wish))[2]


async def bytes_shown(there: Endpoints, wanted: dict[str, list[str]]) -> int:
    """Ask for this as often as a socket may; the bytes of the answers."""
    async with opened(there) as socket:
        shown = [await socket.request("looks", wanted) for _ in range(60)]
    return len(json.dumps(shown))


async def until_refused(stranger: RawSocket, wanted: dict[str, list[str]]) -> None:
    """Subscribe until the answer is that the budget is used up."""
    async with asyncio.timeout(30):
        while True:
            await stranger.say("REQ", "refused", wanted)
            message = await stranger.hear()
            while message[0] == "EVENT":
                message = await stranger.hear()
            if message[0] == "CLOSED":
                break
            await asyncio.sleep(0.05)
    assert message == ["CLOSED", "refused", f"restricted: {SPENT}"]
