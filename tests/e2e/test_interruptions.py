"""Games that go on although a part of the arbiter is taken away in the middle of them."""

import asyncio
from collections.abc import Callable

import pytest

from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.independent_client import PGN_NOTE, IndependentClient
from tests.e2e.matches import OPERA_GAME, check_note, check_start, check_states, seated

pytestmark = pytest.mark.slow

_LIMIT_SECONDS = 120
_INTERRUPTED_AT_PLY = 9


def _play_on_through(
    arbiter: ArbiterRun, interruption: Callable[[], None], *, may_go_back: bool = False
) -> None:
    """Play the Opera Game to its mate, with this happening while the players are moving."""

    async def play() -> None:
        async with asyncio.timeout(_LIMIT_SECONDS), seated(arbiter.endpoints, OPERA_GAME) as match:
            await match.play_to(_INTERRUPTED_AT_PLY)
            async with asyncio.TaskGroup() as both:
                both.create_task(match.play_to(len(OPERA_GAME)))
                both.create_task(asyncio.to_thread(interruption))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME, may_go_back=may_go_back)
            check_note(match, OPERA_GAME, "1-0", "checkmate")

    asyncio.run(play())


def test_a_game_goes_on_after_the_arbiter_was_stopped_and_started(arbiter: ArbiterRun) -> None:
    def stop_and_start() -> None:
        arbiter.stop()
        arbiter.start()

    _play_on_through(arbiter, stop_and_start)


def test_a_game_goes_on_while_one_listener_is_killed(arbiter: ArbiterRun) -> None:
    _play_on_through(arbiter, lambda: arbiter.kill_and_await_successors("listener-1"))


def test_a_game_goes_on_after_every_listener_was_killed_at_once(arbiter: ArbiterRun) -> None:
    _play_on_through(arbiter, lambda: arbiter.kill_and_await_successors("listener-1", "listener-2"))


def test_a_game_goes_on_after_the_relay_was_killed(arbiter: ArbiterRun) -> None:
    _play_on_through(arbiter, lambda: arbiter.kill_and_await_successors("relay"))


@pytest.mark.e2e_slow
def test_no_answered_move_is_lost_when_the_functions_processes_are_killed(
    arbiter: ArbiterRun,
) -> None:
    def kill_workers() -> None:
        workers = arbiter.workers()
        assert workers
        for worker in workers:
            arbiter.kill_process(worker)

    _play_on_through(arbiter, kill_workers)


@pytest.mark.e2e_slow
def test_a_game_goes_on_after_the_whole_run_was_killed_and_started_again(
    arbiter: ArbiterRun,
) -> None:
    def kill_all() -> None:
        arbiter.cut_short()
        arbiter.start()

    _play_on_through(arbiter, kill_all)


@pytest.mark.e2e_slow
def test_a_game_reaches_its_end_although_the_emulated_cloud_was_killed(
    arbiter: ArbiterRun,
) -> None:
    # The emulator keeps its tables in memory and saves them every few seconds. So a move of the
    # last seconds, although answered, may be gone, and the players are shown the position before
    # it; a real cloud has no such moment. The run asks the relays for what was lost.
    _play_on_through(
        arbiter, lambda: arbiter.kill_and_await_successors("ministack"), may_go_back=True
    )


@pytest.mark.e2e_slow
def test_a_player_who_asks_relays_for_nothing_old_learns_where_his_game_stands(
    arbiter: ArbiterRun,
) -> None:
    async def play() -> None:
        endpoints = arbiter.endpoints
        async with asyncio.timeout(_LIMIT_SECONDS), seated(endpoints, OPERA_GAME) as match:
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
