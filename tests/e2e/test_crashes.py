"""Games that go on although the worst happens in the middle of them: a minute each."""

import asyncio
import signal

import pytest

from clients.probes.independent_client import IndependentClient
from clients.probes.matches import OPERA_GAME, seated
from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.interruptions import LIMIT_SECONDS, OPERA_MATE, play_on_through

pytestmark = [pytest.mark.slow, pytest.mark.e2e_slow]


def test_no_answered_move_is_lost_when_the_functions_processes_are_killed(
    arbiter: ArbiterRun,
) -> None:
    def kill_workers() -> None:
        workers = arbiter.workers()
        assert workers
        for worker in workers:
            arbiter.kill_process(worker)

    assert play_on_through(arbiter, kill_workers) == OPERA_MATE


def test_a_game_goes_on_after_the_whole_run_was_killed_and_started_again(
    arbiter: ArbiterRun,
) -> None:
    def kill_all() -> None:
        assert arbiter.cut_short() == -signal.SIGKILL
        arbiter.start()

    assert play_on_through(arbiter, kill_all) == OPERA_MATE


def test_no_answered_move_is_lost_when_the_emulated_cloud_is_killed(arbiter: ArbiterRun) -> None:
    def kill_cloud() -> None:
        arbiter.kill_and_await_successors("ministack")

    assert play_on_through(arbiter, kill_cloud) == OPERA_MATE


def test_a_player_who_asks_relays_for_nothing_old_learns_where_his_game_stands(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with asyncio.timeout(LIMIT_SECONDS), seated(endpoints, OPERA_GAME) as match:
            await match.play_to(4)
            # Were he back within the second, the relay would call the last state new.
            await asyncio.sleep(1.5)
            again = IndependentClient(
                endpoints.relays,
                endpoints.server,
                OPERA_GAME,
                keys=match.white.keys,
                wants_old_events=False,
            )
            async with again.connected():
                await again.ask_to_play()
                await asyncio.gather(again.play_to(9), match.black.play_to(9))
                assert again.game is not None
                assert again.game.id == match.game_id

    asyncio.run(play())
