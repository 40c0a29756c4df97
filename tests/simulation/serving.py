"""One process of `arbiter serve` after the other, on one file: its real parts, started and ended as
`server.run` does, or killed.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.adapters.sqlite.items import item_of_text
from arbiter.adapters.sqlite.store import Store
from server.run import drain
from server.settings import read_settings
from server.wiring import Parts, make_parts
from tests.simulation.checker.steady_state import games_without_timer, left_in_file, left_in_memory
from tests.simulation.history import Ended, Started
from tests.simulation.virtual_time import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

RESTARTS_AFTER_SECONDS = (0.5, 2.0, 20.0)


class ProcessClock:
    """SystemClock, as wrong as the process's clock is."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def now_ms(self) -> int:
        return self._world.read_clock()


class Serving:
    """`arbiter serve`. ``parts`` is None while no process runs."""

    def __init__(self, world: "World", folder: Path) -> None:
        self._world = world
        self._path = folder / "arbiter.sqlite3"
        self._number = 0
        self._connections: list[Any] = []
        self._store: Store | None = None
        self.process = Process("nobody")
        self.parts: Parts | None = None
        self.is_wanted = True
        self.untimed: set[str] = set()

    def start(self) -> None:
        world = self._world
        if self.parts is not None or not self.is_wanted:
            return
        self._number += 1
        self.process = world.scheduler.main = Process(f"server-{self._number}")
        self.process.skew_ms = world.skew_ms
        self._store = Store.open(self._path)
        relays = ",".join(relay.url for relay in world.relays.values()) or "none"
        operator = {"ARBITER_OPERATOR": world.operator.pubkey} if world.operator else {}
        settings = read_settings({}, {"ARBITER_RELAYS": relays, **operator})
        parts = make_parts(settings, world.server, self._store, ProcessClock(world))
        parts.processing.take_unfinished()
        parts.finish_rating()
        world.scheduler.loop.create_task(parts.transactions.serve())
        world.scheduler.loop.create_task(parts.timekeeper.serve())
        if parts.listener is not None:
            parts.listener.start()
        self.parts = parts
        world.write(Started(at_ms=world.now_ms()))
        self._look_for_timers(parts, set())

    def opened(self, connection: Any) -> None:
        """The process opened a file."""
        self._connections.append(connection)

    def kill(self) -> None:
        """End the process by force: what it had not committed is gone."""
        if self.parts is None:
            return
        world = self._world
        self.parts = None
        world.write(Ended(at_ms=world.now_ms()))
        world.scheduler.kill(self.process)
        for task in asyncio.all_tasks(world.scheduler.loop):
            task.cancel()
        self._gone()
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        self._start_again()

    def end(self) -> None:
        """End the process in order, as SIGTERM does."""
        if self.parts is not None:
            self._world.scheduler.loop.create_task(self._end(self.parts))

    async def _end(self, parts: Parts) -> None:
        process = self.process
        self._world.write(Ended(at_ms=self._world.now_ms()))
        await drain(parts)
        if not process.is_alive:
            return
        self.parts = None
        loop, own = self._world.scheduler.loop, asyncio.current_task()
        self._world.gateway.close_all()
        await asyncio.sleep(0.1)
        for task in asyncio.all_tasks(loop):
            if task is not own:
                task.cancel()
        await asyncio.sleep(0)
        await loop.run_in_executor(None, self._close, parts)
        if parts.to_relays is not None:
            await parts.to_relays.close()
        process.is_alive = False
        self._gone()
        self._connections.clear()
        self._start_again()

    def _close(self, parts: Parts) -> None:
        parts.transactions.flush()
        if self._store is not None:
            self._store.close()

    def _gone(self) -> None:
        world = self._world
        world.gateway.close_all()
        for relay in world.relays.values():
            relay.drop(self.process)
        world.scheduler.main = Process("nobody")

    def _start_again(self) -> None:
        world = self._world
        world.scheduler.after(world.chance.choice(RESTARTS_AFTER_SECONDS), self.start)

    def _look_for_timers(self, parts: Parts, former: set[str]) -> None:
        """Look now and then, until the process ends, whether a game has no timer: twice, for it may
        be between two of them.
        """
        if self.parts is not parts or self._store is None:
            return
        found = games_without_timer(self._store)
        self.untimed |= found & former
        self._world.soon(20.0, lambda: self._look_for_timers(parts, found))

    def is_idle(self) -> bool:
        """Whether nothing waits to be done now."""
        return self.parts is not None and not len(self.parts.transactions)

    def items(self) -> list[dict[str, Any]]:
        if self._store is None:
            return []
        rows = self._store.read(lambda cursor: cursor.execute("SELECT item FROM items").fetchall())
        return [item_of_text(text) for (text,) in rows]

    def left(self) -> Iterator[str]:
        """Whatever should be gone when nobody plays and nothing waits."""
        if self.untimed:
            yield f"{len(self.untimed)} games without a timer, such as {min(self.untimed)}"
        if self._store is None or self.parts is None:
            yield "no process"
            return
        yield from left_in_file(self._store, self._world.now_ms())
        yield from left_in_memory(self.parts)
