"""Players whose clocks are wrong, and events that are sent twice, at relays of four makes: each on
one socket of its own, since libraries hide what a relay says to it.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import GAME_STATE, MOVE, REQUEST_TO_PLAY, RESPONSE
from clients.probes.raw_socket import Event, RawSocket, opened, seated, signed
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import SECOND_RELAYS, bundled
from tests.e2e.nip100_client import MOVE as MOVE_OF_THE_DRAFT
from tests.e2e.nip100_matches import seated as seated_by_the_draft
from tests.e2e.within import run_within

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 90
_GATEWAY = "gateway"
_MINUTE = 60
_DOORS = (_GATEWAY, "bundled", *sorted(SECOND_RELAYS))


@dataclass(frozen=True, slots=True)
class Doors:
    """One arbiter, and where it can be reached, by the make of the relay."""

    arbiter: ArbiterRun
    urls: Mapping[str, str]

    def endpoints(self, door: str) -> Endpoints:
        """The arbiter as it is reached through this door; skips for a relay that is not here."""
        if door == _GATEWAY:
            return self.arbiter.endpoints
        if door not in self.urls:
            pytest.skip(f"{door} cannot be built on this machine")
        return replace(self.arbiter.endpoints, websocket=self.urls[door])


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """An arbiter on all relays that this machine can run, and with its own gateway."""
    folder = tmp_path_factory.mktemp("doors")
    port = free_port_base()
    with contextlib.ExitStack() as running:
        relays = {"bundled": bundled(folder / "relay", port)}
        for number, (make, build) in enumerate(sorted(SECOND_RELAYS.items()), 1):
            with contextlib.suppress(pytest.skip.Exception):
                relays[make] = build(port + number)
        for relay in relays.values():
            running.callback(relay.stop)
            relay.start()
        urls = {make: relay.url for make, relay in relays.items()}
        arbiter = ArbiterRun(folder, tuple(urls.values()))
        running.callback(arbiter.stop)
        arbiter.start()
        yield Doors(arbiter, urls)


def _run(case: Callable[[], Awaitable[None]]) -> None:
    async def play() -> None:
        await case()

    run_within(_LIMIT_SECONDS, play())


@contextlib.asynccontextmanager
async def _a_player(endpoints: Endpoints) -> AsyncIterator[RawSocket]:
    """A player who subscribed as PROTOCOL.md says: without ``since``."""
    async with opened(endpoints, nostr_sdk.Keys.generate()) as player:
        await player.subscribe("mine", kinds=[RESPONSE, GAME_STATE], tag_p=[player.pubkey])
        yield player


def _a_move(endpoints: Endpoints, player: RawSocket, state: Event, uci: str, age: int) -> Event:
    (_, game), (_, white), (_, black) = state["tags"][:3]
    named = [["d", game], ["p", endpoints.server], ["p", white], ["p", black], ["e", state["id"]]]
    return signed(player.keys, MOVE, uci, named, age_seconds=age)


@pytest.mark.parametrize("minutes", [6, 10, -10], ids=["6-slow", "10-slow", "10-fast"])
@pytest.mark.parametrize("door", _DOORS)
def test_a_request_from_a_wrong_clock_is_told_by_how_much(
    doors: Doors, door: str, minutes: int
) -> None:
    endpoints = doors.endpoints(door)

    async def ask() -> None:
        async with _a_player(endpoints) as player:
            named = [["p", endpoints.server]]
            asked = signed(player.keys, REQUEST_TO_PLAY, "", named, age_seconds=minutes * _MINUTE)
            assert (await player.publish(asked))[2] is True
            content = (await player.event("mine", RESPONSE))["content"]
            assert content.startswith("error:stale: created_at is ")
            assert ("behind" if minutes > 0 else "ahead of") in content
            off_seconds = int(content.split()[3])
            assert abs(off_seconds - abs(minutes) * _MINUTE) < _MINUTE

    _run(ask)


@pytest.mark.parametrize("minutes", [6, 10])
@pytest.mark.parametrize("door", _DOORS)
def test_a_move_from_a_slow_clock_that_names_its_state_is_played(
    doors: Doors, door: str, minutes: int
) -> None:
    endpoints = doors.endpoints(door)

    async def play() -> None:
        async with seated(endpoints) as (white, black, start):
            move = _a_move(endpoints, white, start, "e2e4", minutes * _MINUTE)
            assert (await white.publish(move))[2] is True
            for player in (white, black):
                assert ["moves", "e2e4"] in (await player.event("mine", GAME_STATE))["tags"]

    _run(play)


@pytest.mark.parametrize("door", _DOORS)
def test_an_event_that_is_sent_twice_gets_two_verdicts_and_is_one_move(
    doors: Doors, door: str
) -> None:
    endpoints = doors.endpoints(door)

    async def play() -> None:
        async with seated(endpoints) as (white, black, start):
            move = _a_move(endpoints, white, start, "e2e4", 0)
            assert (await white.publish(move))[2] is True
            assert len(await white.publish(move)) == 4
            state = await black.event("mine", GAME_STATE)
            reply = _a_move(endpoints, black, state, "e7e5", 0)
            assert (await black.publish(reply))[2] is True
            while ["moves", "e2e4", "e7e5"] not in state["tags"]:
                assert ["moves", "e2e4"] in state["tags"]
                state = await black.event("mine", GAME_STATE)

    _run(play)


def test_a_move_of_the_draft_that_is_sent_thrice_gets_three_verdicts(doors: Doors) -> None:
    async def play() -> None:
        async with seated_by_the_draft(doors.arbiter.endpoints) as table:
            move = table.white.signed(MOVE_OF_THE_DRAFT, "e2e4")
            await asyncio.gather(*(table.white.send(move) for _ in range(3)))
            for _ in range(3):
                verdict = await table.white.verdict_on(move["id"])
                assert (verdict.accepted, verdict.text) == (True, "")

    _run(play)


@pytest.mark.parametrize("flaw", ["upper-case id", "extra element"])
def test_an_event_in_the_wrong_shape_is_refused_by_its_id(doors: Doors, flaw: str) -> None:
    endpoints = doors.arbiter.endpoints

    async def say() -> None:
        async with opened(endpoints) as player:
            event = player.signed(REQUEST_TO_PLAY, "state", ["p", endpoints.server])
            extra = ["more"] if flaw == "extra element" else []
            if flaw == "upper-case id":
                event["id"] = event["id"].upper()
            await player.send(json.dumps(["EVENT", event, *extra]))
            message = await player.hear()
            assert message[:3] == ["OK", event["id"], False]
            assert message[3].startswith("invalid: ")

    _run(say)
