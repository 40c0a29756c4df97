"""Our Scuttlebutt peer as the bridge has it: `bridge.peer_process.Peer`, without a process.

It answers late, in the order in which it was asked, and may be ended at any request, by itself or
with the bridge. What it has on its disk stays; what was asked and not done by then may be done or
not. Its directory's lock is kept until it is gone.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from bridge.peer_process import PeerGone
from tests.simulation.history import ARBITER
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.threads import Waiters, present_process

if TYPE_CHECKING:
    from tests.simulation.world import World

STARTS_SECONDS = 2.0
ANSWERS_SECONDS = 0.02
LINGERS_SECONDS = 1.0
SILENT_SECONDS = 50.0
"""More than the bridge waits for an answer."""


class Answer:
    """What a request will come to, as a `concurrent.futures.Future` tells it."""

    def __init__(self, scheduler: Scheduler, done: Callable[[], None]) -> None:
        self._scheduler = scheduler
        self._done = done
        self._waiters = Waiters(scheduler)
        self._value: Any = None

    def settle(self, value: Any) -> None:
        """Answer; an exception is raised to whoever waits. The first answer stands."""
        if self._value is None:
            self._value = value
            self._waiters.wake()

    def result(self, timeout: float) -> Any:
        """The answer. Raises TimeoutError, or what the peer came to."""
        ends_at = self._scheduler.now + timeout
        while self._value is None:
            left = ends_at - self._scheduler.now
            if left <= 0:
                raise TimeoutError
            self._waiters.wait(left)
        self._done()
        if isinstance(self._value, Exception):
            raise self._value
        return self._value


class SimPeer:
    """One life of the peer. ``noticed`` is called in tasks of the bridge's process."""

    def __init__(
        self, world: "World", settings: Any, noticed: Callable[[Mapping[str, Any]], None]
    ) -> None:
        del settings
        self._world = world
        self._bridges = world.bridges
        self._noticed = noticed
        self._process: Process = present_process(world.scheduler)
        self._asked: list[Answer] = []
        self._free_at = 0.0
        self._is_told = False
        self.is_running = False
        self.id = self._bridges.disk.us
        self.address, self.pid = "net:peer.example:8008~shs:" + self.id[1:45], 1
        world.cloud.port("peer.start.asked")
        while self._bridges.peer is not None:
            world.scheduler.sleep(0.05)
        self.is_running = True
        self._bridges.peer = self
        world.scheduler.sleep(world.chance.random() * STARTS_SECONDS)
        if not self.is_running or world.faults.strikes("peer gone", "at its start"):
            self.end()
            raise PeerGone("it ended")
        self._bridges.opened(self)
        world.cloud.port("peer.start.done")

    def ask(self, what: str, **arguments: Any) -> Any:
        """One request and its answer."""
        try:
            return self.ask_soon(what, **arguments).result(30.0)
        except TimeoutError:
            raise PeerGone("no answer") from None

    def ask_soon(self, what: str, **arguments: Any) -> Answer:
        """One request, to be answered later."""
        world = self._world
        world.cloud.port(f"peer.{what}.asked")
        answer = Answer(world.scheduler, partial(world.cloud.port, f"peer.{what}.done"))
        # As on the real one's line: nobody reads it but JSON passes.
        asked = json.loads(json.dumps(arguments))
        self._asked.append(answer)
        seconds = world.chance.random() * ANSWERS_SECONDS * (3 if what == "publish" else 1)
        if world.faults.strikes("peer silent", what):
            seconds += SILENT_SECONDS
        self._free_at = max(self._free_at, world.scheduler.now + seconds)
        if not self.is_running:
            answer.settle(PeerGone("it ended"))
            return answer
        if world.faults.strikes("peer gone", f"before {what}"):
            self.end()
        world.scheduler.at(self._free_at, lambda: self._do(what, asked, answer))
        return answer

    def close(self) -> None:
        """End it, politely."""
        self.end()

    def end(self) -> None:
        """It ends: nothing more is answered, and another one may begin."""
        was_running, self.is_running = self.is_running, False
        for answer in self._asked:
            answer.settle(PeerGone("it ended"))
        if self._bridges.peer is self:
            self._bridges.closed()
        if was_running and self._process.is_alive:
            self._notice({"notice": "gone"})

    def hear(self, news: str) -> None:
        """Tell the bridge that something has come."""
        if news == "fork":
            self._notice({"notice": "fork"})
        elif not self._is_told:
            self._is_told = True
            self._notice({"notice": "news"})

    def _notice(self, told: Mapping[str, Any]) -> None:
        self._world.scheduler.spawn(self._process, lambda: self._noticed(told))

    def _do(self, what: str, asked: Mapping[str, Any], answer: Answer) -> None:
        if not self.is_running:
            return
        if what == "hear":
            self._is_told = False
        value = (
            self._publish(asked) if what == "publish" else self._bridges.disk.answer(what, asked)
        )
        self._asked.remove(answer)
        if self._world.faults.strikes("peer gone", f"after {what}"):
            answer.settle(PeerGone("it ended"))
            self.end()
            return
        answer.settle(json.loads(json.dumps(value)))

    def _publish(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        world, disk = self._world, self._bridges.disk
        content = asked["content"]
        if (known := disk.saying(content)) is not None:
            return {"key": known, "again": True}
        recps = tuple(dict.fromkeys((disk.us, *asked["recps"]))) if "recps" in asked else ()
        message = world.feeds.write(ARBITER, disk.us, content, recps)
        disk.take(message)
        return {"key": message.key, "again": False}
