"""Questions of strangers, answered in a process of its own, so that no move waits for them.

Invariant: what waits is bounded, addresses take turns, players are first; an answer's processor
time is charged to the address, the keys of the socket, and all strangers together.
"""

import asyncio
import contextlib
import logging
import os
import pickle
import sys
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

from arbiter.application.ports import Clock, RateLimits
from arbiter.nostr.keys import SecretKey
from server.limits import MAX_MS_OF_ONE, MAX_MS_OF_STRANGERS, MAX_WAITING, MAX_WAITING_OF_ONE
from server.metrics import Metrics
from server.questions import LENGTH, Answer, Question, packed
from server.settings import Settings
from server.turns import Turns

_log = logging.getLogger("arbiter")

WINDOW_SECONDS = 10
MAX_SECONDS = 30.0
"""A process that takes longer to answer one question is ended."""
START_AGAIN_SECONDS = 1.0


class TooMuch(Exception):
    """A limit on reading is reached; the text is its name."""


class ReaderFailed(Exception):
    """The question was not answered, by a fault of ours."""


class Reading(Protocol):
    """Answers questions."""

    async def ask(self, question: Question, keys: Sequence[str], *, is_player: bool) -> Any:  # noqa: ANN401 - each question has its own
        """The answer; ``keys`` share it, the address first. Raises TooMuch and ReaderFailed."""
        ...


class ReadHere:
    """`Reading` in the same process, at once: for tests, whose time is not the machine's."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def ask(self, question: Question, keys: Sequence[str], *, is_player: bool) -> Any:  # noqa: ANN401 - each question has its own
        del keys, is_player
        return self._answer(question)


class _Waiting:
    """A question, and who waits for its answer."""

    __slots__ = ("done", "is_player", "keys", "question")

    def __init__(self, question: Question, keys: Sequence[str], *, is_player: bool) -> None:
        self.question, self.keys, self.is_player = question, keys, is_player
        self.done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()


class ReadElsewhere:
    """`Reading` in a process that `serve` keeps running. For the event loop's thread."""

    def __init__(self, rate_limits: RateLimits, clock: Clock, metrics: Metrics) -> None:
        self._rate_limits, self._clock, self._metrics = rate_limits, clock, metrics
        self._players: deque[_Waiting] = deque()
        self._strangers: Turns[_Waiting] = Turns()
        self._is_asked = asyncio.Event()
        self.is_ready = asyncio.Event()
        metrics.gauge("ReadingWaiting", lambda: len(self._players) + len(self._strangers))

    async def ask(self, question: Question, keys: Sequence[str], *, is_player: bool) -> Any:  # noqa: ANN401 - each question has its own
        if limit := self._reached(keys, is_player=is_player):
            self._metrics.count("Refused", limit=limit)
            raise TooMuch(limit)
        waiting = _Waiting(question, keys, is_player=is_player)
        if is_player:
            self._players.append(waiting)
        else:
            self._strangers.put(keys[0], waiting)
        self._is_asked.set()
        return await waiting.done

    async def serve(self, settings: Settings, key: SecretKey) -> None:
        """Answer until cancelled. A process that ends is started again without its question."""
        while True:
            try:
                async with _started(settings, key) as process:
                    self.is_ready.set()
                    while True:
                        await self._answer_next(process)
            except Exception as failure:  # noqa: BLE001 - whatever it was, the next may do better
                _log.error({"status": "failed", "task": "reader"}, exc_info=failure)
            await asyncio.sleep(START_AGAIN_SECONDS)

    async def _answer_next(self, process: asyncio.subprocess.Process) -> None:
        waiting = await self._next()
        try:
            assert process.stdin  # noqa: S101 - a pipe
            process.stdin.write(packed(waiting.question))
            async with asyncio.timeout(MAX_SECONDS):
                seconds, found, failure = await _received(process)
        except BaseException:
            if not waiting.done.done():
                waiting.done.set_exception(ReaderFailed("the reader ended"))
            raise
        self._charge(waiting, round(seconds * 1000))
        if waiting.done.done():  # it went away
            return
        if failure:
            _log.error({"status": "failed", "task": "reader", "why": failure})
            waiting.done.set_exception(ReaderFailed(failure))
        else:
            waiting.done.set_result(found)

    async def _next(self) -> _Waiting:
        while not self._players and not self._strangers:
            self._is_asked.clear()
            await self._is_asked.wait()
        return self._players.popleft() if self._players else self._strangers.take()

    def _reached(self, keys: Sequence[str], *, is_player: bool) -> str:
        if any(not self._take(key, MAX_MS_OF_ONE, 0) for key in keys):
            return "reading_of_one"
        if is_player:
            return ""
        if not self._take("", MAX_MS_OF_STRANGERS, 0):
            return "reading_of_strangers"
        if len(self._strangers) >= MAX_WAITING:
            return "reading_waiting"
        if self._strangers.waiting_of(keys[0]) >= MAX_WAITING_OF_ONE:
            return "reading_waiting_of_one"
        return ""

    def _charge(self, waiting: _Waiting, spent_ms: int) -> None:
        self._metrics.count("ReadingMs", spent_ms)
        for key in waiting.keys:
            self._take(key, MAX_MS_OF_ONE, spent_ms)
        if not waiting.is_player:
            self._take("", MAX_MS_OF_STRANGERS, spent_ms)

    def _take(self, key: str, limit: int, count: int) -> bool:
        now_ms = self._clock.now_ms()
        return self._rate_limits.take(f"reading:{key}", limit, WINDOW_SECONDS, now_ms, count)


@contextlib.asynccontextmanager
async def _started(settings: Settings, key: SecretKey) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server.reader"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert process.stdin  # noqa: S101 - a pipe
        process.stdin.write(packed((settings, key.to_hex())))
        await _received(process)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _received(process: asyncio.subprocess.Process) -> Any:  # noqa: ANN401 - what was packed
    assert process.stdout  # noqa: S101 - a pipe
    length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
    return pickle.loads(await process.stdout.readexactly(length))  # noqa: S301 - of our own process
