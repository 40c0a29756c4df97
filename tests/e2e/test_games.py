"""Native games on a whole arbiter, by clients that know nothing of it but its protocol."""

import asyncio
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nostr_sdk  # type: ignore[import-untyped]
import pytest

from clients.probes.independent_client import IndependentClient
from clients.probes.matches import OPERA_GAME, seated
from local.listener import LISTENERS
from tests.clients.terminal.program import Program
from tests.e2e.arbiter_run import CLOUD, ROOT, SERVE, ArbiterRun
from tests.e2e.games import nostr_tools_plays_nostr_sdk, play_on_through

pytestmark = pytest.mark.slow


def test_the_client_in_readme_plays_e4(arbiter: ArbiterRun, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (client,) = re.findall(r"^```python\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / ".run").symlink_to(arbiter.run_dir)
    with (
        _terminal(arbiter) as opponent,
        subprocess.Popen(
            [sys.executable, "-c", client], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as player,
    ):
        assert opponent.until("state", ply=1)["moves"] == ["e2e4"]
        position, _ = player.communicate(timeout=60)
        # Else Black did not come, and White would wait again, for a player of the next test.
        opponent.enter("e7e5")
        opponent.until("state", ply=2)

    assert position == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"


@pytest.mark.parametrize(
    "wants_old_events", [True, pytest.param(False, marks=pytest.mark.e2e_slow)]
)
async def test_a_player_who_comes_back_remembering_nothing_plays_on(
    arbiter: ArbiterRun, *, wants_old_events: bool
) -> None:
    endpoints = arbiter.endpoints
    async with seated(endpoints, OPERA_GAME) as match:
        await match.play_to(4)
        # Within one second, the relay would call the last state new.
        await asyncio.sleep(0 if wants_old_events else 1.5)
        again = IndependentClient(
            endpoints.relays,
            endpoints.server,
            OPERA_GAME,
            keys=match.white.keys,
            wants_old_events=wants_old_events,
        )
        async with again.connected():
            await again.ask_to_play()
            await asyncio.gather(again.play_to(9), match.black.play_to(9))
            assert again.game is not None
            assert (again.game.id, again.game.color) == (match.game_id, "w")


async def test_two_clients_of_different_make_play_each_other(arbiter: ArbiterRun) -> None:
    await nostr_tools_plays_nostr_sdk(arbiter.endpoints)


def _kill_all_and_start(arbiter: ArbiterRun) -> None:
    assert arbiter.cut_short() == -signal.SIGKILL
    arbiter.start()


def _kill_the_functions(arbiter: ArbiterRun) -> None:
    workers = arbiter.workers()
    assert workers
    for worker in workers:
        arbiter.kill_process(worker)


def _kill(*parts: str) -> Callable[[ArbiterRun], None]:
    return lambda arbiter: arbiter.kill_and_await_successors(*parts)


_ON_SERVE, _ON_CLOUD = (pytest.mark.wiring(name) for name in (SERVE, CLOUD))


@pytest.mark.parametrize(
    "happens",
    [
        pytest.param(_kill("relay"), id="relay killed", marks=pytest.mark.e2e_slow),
        pytest.param(_kill("server"), id="server killed", marks=[_ON_SERVE, pytest.mark.e2e_slow]),
        pytest.param(_kill("listener-1"), id="one listener killed", marks=_ON_CLOUD),
        pytest.param(_kill(*LISTENERS), id="both listeners killed", marks=_ON_CLOUD),
        pytest.param(_kill_the_functions, id="functions killed", marks=_ON_CLOUD),
        pytest.param(_kill_all_and_start, id="run killed"),
    ],
)
async def test_a_game_goes_on_and_loses_no_answered_move(
    arbiter: ArbiterRun, happens: Callable[[ArbiterRun], None]
) -> None:
    await play_on_through(arbiter, partial(happens, arbiter))


def _terminal(arbiter: ArbiterRun, *options: str) -> Program:
    secret = nostr_sdk.Keys.generate().secret_key().to_hex()
    endpoints = arbiter.endpoints
    return Program(
        secret=secret, server=endpoints.server, relays=[*endpoints.relays], options=options
    )
