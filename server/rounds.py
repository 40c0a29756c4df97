"""The strangers' share of the event loop: so much work in each of its rounds, addresses in turn.
Players in running games are not in it: a move waits for one such share.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from server.turns import Turns

ROUND_SECONDS = 0.002
"""A frame takes 0.1 to 1 ms."""

_Work = Callable[[], Any]


class Rounds:
    """For the event loop's thread."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._spent = 0.0
        self._is_next_set = False
        self._waiting: Turns[tuple[_Work, asyncio.Future[Any]]] = Turns()

    def __len__(self) -> int:
        return len(self._waiting)

    async def do(self, address: str, work: _Work) -> Any:  # noqa: ANN401 - the work's own
        """The result of this work, in its turn or at once. Raises what it raises."""
        if self._spent < ROUND_SECONDS:
            return self._timed(work)
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.put(address, (work, done))
        return await done

    def _timed(self, work: _Work) -> Any:  # noqa: ANN401 - the work's own
        began = self._seconds()
        try:
            return work()
        finally:
            self._spent += self._seconds() - began
            if not self._is_next_set:
                self._is_next_set = True
                asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._spent, self._is_next_set = 0.0, False
        while self._waiting and self._spent < ROUND_SECONDS:
            work, done = self._waiting.take()
            if done.done():  # its socket is gone
                continue
            try:
                done.set_result(self._timed(work))
            except Exception as failure:  # noqa: BLE001 - of who waits
                done.set_exception(failure)
