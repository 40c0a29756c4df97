"""Programs on npm libraries as child processes: installed by their lock, read line by line."""

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from clients.probes.endpoints import Endpoints
from tests.e2e.arbiter_run import ROOT

_HERE = Path(__file__).parent
_TOOLS = ROOT / ".venv" / "tools"
_OLDEST_NODE = (20, 19)


def installed_node_client(name: str = "play.mjs") -> Path:
    """This program of the client on nostr-tools; skips where there is no Node to run it."""
    return installed_node_program(_HERE / "node" / name, _TOOLS / "nostr-tools")


def installed_node_program(program: Path, installed: Path) -> Path:
    """This program, with the libraries that the lock beside it names, in that folder; skips where
    there is no Node to run it.
    """
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("this client runs on Node, and node or npm is not on this machine")
    version = subprocess.run((node, "--version"), capture_output=True, text=True, check=True).stdout
    major, minor, _ = version.strip().removeprefix("v").split(".", 2)
    if (int(major), int(minor)) < _OLDEST_NODE:
        pytest.skip(f"this client needs Node 20.19, and this is {version.strip()}")
    lock = (program.parent / "package-lock.json").read_bytes()
    done = installed / "installed.json"
    if not done.exists() or done.read_bytes() != lock:
        shutil.rmtree(installed, ignore_errors=True)
        installed.mkdir(parents=True)
        for wanted in ("package.json", "package-lock.json"):
            shutil.copy(program.parent / wanted, installed)
        install = (npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
        made = subprocess.run(install, cwd=installed, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        done.write_bytes(lock)
    # Beside its libraries, for that is where Node looks for them.
    return Path(shutil.copy(program, installed))


class NodeClient:
    """The running client. ``heard`` grows line by line until it has seen the finished game."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.heard: list[dict[str, Any]] = []

    def contents(self, kind: int) -> list[str]:
        return [heard["content"] for heard in self.heard if heard["kind"] == kind]

    async def until_heard(self, kind: int | str) -> dict[str, Any]:
        """The next event of this kind; of a spectator also "EOSE", where the stored ones end."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            self.heard.append(json.loads(line))
            if self.heard[-1]["kind"] == kind:
                return self.heard[-1]
        raise AssertionError(f"it ended before kind {kind}: {self.heard}")

    async def until_ended(self) -> int:
        """Hear the rest; the exit code."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self.heard.append(json.loads(line))
        return await self._process.wait()


@contextlib.asynccontextmanager
async def node_client(
    program: Path, endpoints: Endpoints, last_argument: str
) -> AsyncIterator[NodeClient]:
    """A player of these moves (with commas) that has asked for a game, or a spectator of a game."""
    process = await asyncio.create_subprocess_exec(
        "node",
        str(program),
        ",".join(endpoints.relays),
        endpoints.server,
        last_argument,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield NodeClient(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
