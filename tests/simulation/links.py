"""A simulated websocket: two ends, frames on the way, and what a network does to them. The
arbiter's ends are as it dials them: in a thread, and in a task.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson
from websockets.exceptions import ConnectionClosedError

from arbiter.adapters.relays.connection import Pong, RelayFailure, RelayFailureError
from tests.simulation.virtual_time import Process, Scheduler, Waiters

if TYPE_CHECKING:
    from tests.simulation.world import World

Frame = str
PONG, PING = "\x00pong", "\x00ping"
"""How control frames begin, as no text frame can; their payload follows."""


@lru_cache(maxsize=1000)
def read_once(text: Frame) -> Any:
    """A message that several are sent; it is not changed."""
    return orjson.loads(text)


class Link:
    """One connection between ``who`` and a server. ``hear`` and ``lost`` are the client's ears; the
    arbiter's own belong to a process.
    """

    def __init__(
        self, scheduler: Scheduler, who: str, server: Any, latency: Callable[[], float]
    ) -> None:
        self.who = who
        self.server = server
        self.process: Process | None = None
        self.is_open = True
        self.is_half_open = False
        self.is_mute = False
        self.subscriptions: dict[str, Any] = {}
        self.pubkeys: set[str] = set()
        self.hear: Callable[[Frame], None] = ignore
        self.lost: Callable[[], None] = nothing
        self._scheduler = scheduler
        self._latency = latency
        self._last_up = 0.0
        self._last_down = 0.0

    @property
    def is_ours(self) -> bool:
        return self.process is not None

    def up(self, text: Frame) -> None:
        if self.is_open:
            self._last_up = max(self._scheduler.now + self._latency(), self._last_up)
            self._scheduler.loop.call_at(self._last_up, self._arrive, text)

    def down(self, text: Frame, *, overtakes: bool = False, extra: float = 0.0) -> None:
        if not self.is_open:
            return
        when = self._scheduler.now + self._latency() + extra
        if not overtakes:
            when = self._last_down = max(when, self._last_down)
        self._scheduler.loop.call_at(when, self._reach, text)

    def cut(self) -> None:
        if self.is_open:
            self.is_open = False
            self.server.forget(self)
            self._scheduler.after(self._latency(), self._end)

    def _end(self) -> None:
        if self.process is None or self.process.is_alive:
            self.lost()

    def _arrive(self, text: Frame) -> None:
        if self.is_open and not self.is_half_open:
            self.server.hear(self, text)

    def _reach(self, text: Frame) -> None:
        if self.is_open and not self.is_half_open:
            self.hear(text)


def ignore(text: Frame) -> None:
    """In place of an ear."""


def nothing() -> None:
    """In place of an ear for the end."""


class DialledByThread:
    """RelayConnection, in virtual time."""

    def __init__(self, world: "World", link: Link) -> None:
        self._world = world
        self._scheduler = world.scheduler
        self._link = link
        self._inbox: deque[Frame] = deque()
        self._waiters = Waiters(world.scheduler)
        self._is_ended = False
        link.hear = self._hear
        link.lost = self._lost

    def send(self, text: str, timeout_seconds: float = 10.0) -> None:
        del timeout_seconds
        if self._is_ended:
            raise RelayFailureError(RelayFailure.ENDED)
        self._link.up(text)

    def ping(self, payload: bytes = b"", timeout_seconds: float = 10.0) -> None:
        self.send(PING + payload.decode(), timeout_seconds)

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong; None when none came in time."""
        ends_at = self._scheduler.now + timeout_seconds
        while not self._inbox:
            if self._is_ended:
                raise RelayFailureError(RelayFailure.ENDED)
            left = ends_at - self._scheduler.now
            if left <= 0:
                return None
            self._waiters.wait(left)
        frame = self._inbox.popleft()
        self._world.arrived(self._link.server.name, frame)
        if frame.startswith(PONG):
            return Pong(frame.removeprefix(PONG).encode())
        return frame.encode()

    def close(self) -> None:
        self._is_ended = True
        self._link.cut()

    def abort(self) -> None:
        """End the waits of the other thread."""
        self.close()
        self._waiters.wake()

    def _hear(self, text: Frame) -> None:
        self._inbox.append(text)
        self._waiters.wake(1)

    def _lost(self) -> None:
        self._is_ended = True
        self._waiters.wake()


def connect_thread(world: "World", url: str, timeout_seconds: float) -> DialledByThread:
    """A connection to the configured relay at ``url``. Raises RelayFailureError."""
    link = world.dialled(url)
    if link is None:
        # A firewall that swallows, or a port that is closed.
        world.scheduler.sleep(world.chance.choice((0.05, timeout_seconds)))
        raise RelayFailureError(RelayFailure.UNREACHABLE)
    connection = DialledByThread(world, link)
    world.scheduler.sleep(0.02)
    return connection


class DialledByTask:
    """websockets' ClientConnection, as `server.relay_link` uses it."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._pings: dict[str, asyncio.Future[float]] = {}
        self._count = 0
        link.hear = self._hear
        link.lost = self._lost

    async def send(self, text: str) -> None:
        if not self._link.is_open:
            raise ConnectionClosedError(None, None)
        self._link.up(text)

    async def ping(self) -> "asyncio.Future[float]":
        """A future that is done when the relay answers, and fails when the connection ends."""
        self._count += 1
        pong = asyncio.get_running_loop().create_future()
        # Nobody may wait for it any more when it fails.
        pong.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._pings[str(self._count)] = pong
        await self.send(f"{PING}{self._count}")
        return pong

    def close(self) -> None:
        self._link.lost = nothing
        self._link.cut()
        self._end_pings()

    async def __aiter__(self) -> AsyncIterator[Frame]:
        while (frame := await self._frames.get()) is not None:
            yield frame
        raise ConnectionClosedError(None, None)

    def _hear(self, frame: Frame) -> None:
        if not frame.startswith(PONG):
            self._frames.put_nowait(frame)
            return
        pong = self._pings.pop(frame.removeprefix(PONG), None)
        if pong is not None and not pong.done():
            pong.set_result(0.0)

    def _lost(self) -> None:
        self._end_pings()
        self._frames.put_nowait(None)

    def _end_pings(self) -> None:
        pings, self._pings = self._pings, {}
        for pong in pings.values():
            if not pong.done():
                pong.set_exception(ConnectionClosedError(None, None))


class _Dialling(AbstractAsyncContextManager[DialledByTask]):
    def __init__(self, world: "World", url: str, seconds: float) -> None:
        self._world, self._url, self._seconds = world, url, seconds
        self._connection: DialledByTask | None = None

    async def __aenter__(self) -> DialledByTask:
        link = self._world.dialled(self._url)
        if link is None:
            await asyncio.sleep(self._world.chance.choice((0.05, self._seconds)))
            raise OSError("no connection")
        self._connection = DialledByTask(link)
        await asyncio.sleep(0.02)
        return self._connection

    async def __aexit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()


def connect_task(world: "World", url: str, *, open_timeout: float, **_: Any) -> _Dialling:
    """As `websockets.asyncio.client.connect`. A half-open connection is closed by its pings."""
    return _Dialling(world, url, open_timeout)
