"""Pairs a round in a process of its own, so that no move waits half a minute for a thousand
players.

Invariant: a process that does not answer in time is killed. One pairs at a time, and is kept a
while: importing the libraries takes 0.8 s of CPU, and an arena asks every five seconds.
"""

import asyncio
import contextlib
import logging
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process

from arbiter.application.tournaments.pairing import MAX_PAIRING_SECONDS
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Tournament
from server.pairings import LENGTH_BYTES

KEPT_SECONDS, MAX_QUESTIONS = 30.0, 100
"""Of a process: its rest until it ends, and what it is asked in all."""

_log = logging.getLogger("arbiter")


class ChildPairing:
    """Asks a child process for pairings. ``module`` is what the child runs."""

    def __init__(
        self,
        max_seconds: float = MAX_PAIRING_SECONDS,
        module: str = "server.pairer",
        kept_seconds: float = KEPT_SECONDS,
    ) -> None:
        self._max_seconds, self._module, self._kept_seconds = max_seconds, module, kept_seconds
        self._one = asyncio.Lock()
        self._resting: tuple[Process, int, asyncio.Task[None]] | None = None

    async def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        async with self._one:
            try:
                async with asyncio.timeout(self._max_seconds):
                    answer = await self._answered(tournament)
            except TimeoutError:
                why = "the engine took too long"
            except Exception as failure:  # noqa: BLE001 - whatever it was, this round is not paired
                _log.exception({"status": "failed", "task": "pairing"}, exc_info=failure)
                why = f"the engine ended: {type(failure).__name__}"
            else:
                return answer
        return NoPairings(tournament.round, False, why)

    async def _answered(self, tournament: Tournament) -> Pairings | NoPairings:
        process, answered = await self._process()
        try:
            found = await _ask(process, pickle.dumps(tournament))
        except BaseException as failure:
            await _end(process)
            if answered and isinstance(failure, EOFError | OSError):
                return await self._answered(tournament)  # it had died at rest
            raise
        self._resting = process, answered + 1, asyncio.create_task(self._rest(process))
        return found

    async def _process(self) -> tuple[Process, int]:
        """The process that rests, with the number of its answers, or a new one."""
        if self._resting:
            (process, answered, rest), self._resting = self._resting, None
            if process.returncode is None and answered < MAX_QUESTIONS:
                rest.cancel()
                return process, answered
            await _end(process)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._module),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        return process, 0

    async def _rest(self, process: Process) -> None:
        """End the process after a while, or with this one, unless it is asked again."""
        try:
            await asyncio.sleep(self._kept_seconds)
        finally:
            if self._resting and self._resting[0] is process:
                self._resting = None
                await _end(process)


async def _ask(process: Process, question: bytes) -> Pairings | NoPairings:
    """The answer. Raises EOFError, pickle's errors and OSError."""
    if process.stdin is None or process.stdout is None:
        raise EOFError
    process.stdin.write(question)
    await process.stdin.drain()
    length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
    answer = await process.stdout.readexactly(length)
    found: Pairings | NoPairings = pickle.loads(answer)  # noqa: S301 - of our own process
    return found


async def _end(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
