"""A game that begins on one machine, on `arbiter serve`, and ends on the stack: the server is
stopped, and its games are exported and imported into the table.
"""

import asyncio
import contextlib
import dataclasses
import shutil
from collections.abc import Mapping
from typing import Any

from clients.probes.endpoints import Endpoints, read_endpoints
from clients.probes.independent_client import PGN_NOTE, IndependentClient
from clients.probes.matches import OPERA_GAME, Match, check_note, seated
from local.console import say, step
from local.processes import Supervisor
from local.rehearsal import expect
from local.rehearsal.cloud import program
from local.run import SERVER, server_part
from local.settings import REGION, Settings
from server.endpoints import endpoints_path

_HALF = 16
_TERMS = (("time", "1800+10"),)
_START_SECONDS = 60.0
_LIMIT_SECONDS = 120.0


def a_game_from_one_machine(
    settings: Settings, supervisor: Supervisor, stack: Endpoints, outputs: Mapping[str, str]
) -> None:
    """Play it, half here and half there. ``outputs`` are the stack's, which has the same key."""
    here = dataclasses.replace(
        settings,
        run_dir=settings.run_dir / "one-machine",
        ports=dataclasses.replace(settings.ports, arbiter=settings.ports.sockets),
        # With the stack's own relay, both would answer.
        gateway_alone=True,
        house=(),
    )
    here.run_dir.mkdir()
    shutil.copy(settings.run_dir / "server.key", here.run_dir)
    with step(f"playing to ply {_HALF} on `arbiter serve`, with the same key", f"{_HALF} plies"):
        supervisor.start(server_part(here))
        is_ready = endpoints_path(here.run_dir).exists
        supervisor.wait_until(SERVER, is_ready, _START_SECONDS)
        keys, game_id = asyncio.run(_half(read_endpoints(endpoints_path(here.run_dir))))
        supervisor.stop(SERVER)
    with step("arbiter export, arbiter import --table", "moved"):
        file = str(here.run_dir / "games.export")
        table = ("--table", outputs["TableName"], "--clock-queue", outputs["ClockQueueUrl"])
        cloud = ("--region", REGION, "--endpoint-url", settings.aws_url)
        exported = _run_arbiter(settings, "export", file, "--data", str(here.run_dir))
        imported = _run_arbiter(settings, "import", file, *table, *cloud)
    say(f"    {imported}")
    expect(imported.startswith(exported), f"exported were {exported}, imported {imported}")
    with step("playing it to mate on the stack", f"{len(OPERA_GAME)} plies, and the note"):
        asyncio.run(_rest(stack, keys, game_id))


def _run_arbiter(settings: Settings, *arguments: str) -> str:
    done = program(settings, "server", *arguments)
    expect(done.returncode == 0, f"arbiter {' '.join(arguments)}: {done.stderr}")
    return done.stdout.strip()


async def _half(endpoints: Endpoints) -> tuple[tuple[Any, Any], str]:
    """White's and black's keys, and the game's id."""
    async with (
        asyncio.timeout(_LIMIT_SECONDS),
        seated(endpoints, OPERA_GAME, terms=_TERMS) as match,
    ):
        await match.play_to(_HALF)
        return (match.white.keys, match.black.keys), match.game_id


async def _rest(endpoints: Endpoints, keys: tuple[Any, Any], game_id: str) -> None:
    async with asyncio.timeout(_LIMIT_SECONDS), contextlib.AsyncExitStack() as connected:
        white, black = (
            IndependentClient(endpoints.relays, endpoints.server, OPERA_GAME, keys=one)
            for one in keys
        )
        match = Match(white, black)
        for player in match.players:
            await connected.enter_async_context(player.connected())
            await player.ask_to_play()
        await match.play_to(_HALF)
        expect(match.game_id == game_id, f"it is another game: {match.game_id}")
        await match.play_to(len(OPERA_GAME))
        await match.until_heard(PGN_NOTE)
        check_note(match, OPERA_GAME, "1-0", "checkmate")
