"""Games through two relays of different makes at once, either of which may go away."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from clients.probes.independent_client import PGN_NOTE
from clients.probes.matches import OPERA_GAME, check_note, check_start, check_states, seated
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import SECOND_RELAYS, ForeignRelay, bundled

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]

_LIMIT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class TwoRelays:
    """An arbiter that listens and answers on both of these."""

    arbiter: ArbiterRun
    bundled: ForeignRelay
    other: ForeignRelay


@pytest.fixture(scope="module", params=sorted(SECOND_RELAYS))
def two_relays(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TwoRelays]:
    """The bundled relay, one of another make, and an arbiter on both."""
    folder = tmp_path_factory.mktemp("two-relays")
    port = free_port_base()
    second = SECOND_RELAYS[request.param](port + 1)
    first = bundled(folder / "relay", port)
    try:
        first.start()
        second.start()
        run = ArbiterRun(folder, (first.url, second.url))
        try:
            run.start()
            yield TwoRelays(run, first, second)
        finally:
            run.stop()
    finally:
        second.stop()
        first.stop()


def test_a_game_outlives_the_absence_of_one_relay_and_then_of_the_other(
    two_relays: TwoRelays,
) -> None:
    async def play() -> None:
        endpoints = two_relays.arbiter.endpoints
        async with asyncio.timeout(_LIMIT_SECONDS), seated(endpoints, OPERA_GAME) as match:
            await match.play_to(8)
            await asyncio.to_thread(two_relays.other.stop)
            await match.play_to(16)
            await asyncio.to_thread(two_relays.other.start)
            await match.play_to(20)
            await asyncio.to_thread(two_relays.bundled.stop)
            # From here on everything goes through the relay that was away.
            await match.play_to(28)
            await asyncio.to_thread(two_relays.bundled.start)
            await match.play_to(len(OPERA_GAME))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME)
            check_note(match, OPERA_GAME, "1-0", "checkmate")

    asyncio.run(play())


def test_players_who_share_no_relay_play_each_other(two_relays: TwoRelays) -> None:
    async def play() -> None:
        endpoints = two_relays.arbiter.endpoints
        apart = ((two_relays.bundled.url,), (two_relays.other.url,))
        async with (
            asyncio.timeout(_LIMIT_SECONDS),
            seated(endpoints, OPERA_GAME, relays_of_each=apart) as match,
        ):
            await match.play_to(len(OPERA_GAME))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME)
            check_note(match, OPERA_GAME, "1-0", "checkmate")

    asyncio.run(play())
