"""Pairs a round in a process of its own, so that no move waits: a thousand players take half a
minute.

Invariant: a question has one process, which is killed at its end or at the limit. So a library that
hangs, grows or dies takes nothing with it. One pairs at a time: the others wait.
"""

import asyncio
import contextlib
import logging
import os
import pickle
import sys

from arbiter.application.tournaments.pairing import MAX_PAIRING_SECONDS
from arbiter.core.tournaments.commands import NoPairings, Pairings
from arbiter.core.tournaments.tournament import Tournament

_log = logging.getLogger("arbiter")


class ChildPairing:
    """Asks a child process for pairings. ``module`` is what the child runs."""

    def __init__(
        self, max_seconds: float = MAX_PAIRING_SECONDS, module: str = "server.pairer"
    ) -> None:
        self._max_seconds, self._module = max_seconds, module
        self._one = asyncio.Lock()

    async def pair(self, tournament: Tournament) -> Pairings | NoPairings:
        """The pairings of the tournament's present round, or why there are none; never raises."""
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
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", self._module),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        try:
            answer, _ = await process.communicate(pickle.dumps(tournament))
            found: Pairings | NoPairings = pickle.loads(answer)  # noqa: S301 - of our own process
            return found
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
