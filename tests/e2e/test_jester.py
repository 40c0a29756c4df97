"""Games of kind 30 on a whole arbiter with two relays of two makes, against native players, by
clients that were written from what the living ones do.
"""

import asyncio
import contextlib
from collections.abc import Iterator

import pytest

from clients.probes.independent_client import IndependentClient
from clients.probes.matches import FOOLS_MATE
from tests.e2e.arbiter_run import ArbiterRun, free_port_base
from tests.e2e.foreign_relays import ForeignRelay, bundled, rust_nostr
from tests.e2e.jester_amethyst import Amethyst
from tests.e2e.jester_nostr_blue import NostrBlue
from tests.e2e.jester_player import JesterPlayer
from tests.e2e.jester_spelling import JESTER
from tests.e2e.jester_ui import JesterUi

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]


@pytest.fixture(scope="module")
def arbiter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ArbiterRun]:
    folder, port = tmp_path_factory.mktemp("jester"), free_port_base()
    relays: tuple[ForeignRelay, ...] = (bundled(folder / "relay", port), rust_nostr(port + 1))
    with contextlib.ExitStack() as running:
        for relay in relays:
            running.callback(relay.stop)
            relay.start()
        run = ArbiterRun(folder, [relay.url for relay in relays])
        running.callback(run.stop)
        run.start()
        yield run


async def test_games_are_played_to_mate_across_restarts_with_each_player_on_one_relay(
    arbiter: ArbiterRun,
) -> None:
    endpoints = arbiter.endpoints
    games: list[tuple[IndependentClient, JesterPlayer]] = []
    async with contextlib.AsyncExitStack() as stack:
        for spelling in (JesterUi, Amethyst, NostrBlue):
            native = IndependentClient(endpoints.relays[1:], endpoints.server, FOOLS_MATE)
            player = JesterPlayer(spelling())
            await stack.enter_async_context(native.connected())
            await stack.enter_async_context(player.connected(endpoints.relays[:1]))
            assert await native.ask_until_answered() == "queued"
            await player.challenge(endpoints.server)
            await player.move(FOOLS_MATE[0])
            await native.play_to(1)
            games.append((native, player))
        for until in (2, 4):
            arbiter.cut_short()
            await asyncio.to_thread(arbiter.start)
            async with asyncio.TaskGroup() as all_of_them:
                for native, player in games:
                    all_of_them.create_task(native.play_to(until))
                    all_of_them.create_task(_play_white(player, until))
    for _, player in games:
        answers = [
            e for e in player.heard if (e["pubkey"], e["kind"]) == (endpoints.server, JESTER)
        ]
        assert len(answers) == 2
        assert (player.view.sans, player.view.result) == (("f3", "e5", "g4", "Qh4#"), "0-1")


async def _play_white(player: JesterPlayer, until: int) -> None:
    """Play White's moves up to so many plies, from where the player's client is."""
    for ply in range(player.view.ply, until):
        await player.until_ply(ply)
        if ply % 2 == 0:
            await player.move(FOOLS_MATE[ply])
    await player.until_ply(until)
