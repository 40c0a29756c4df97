"""The bridge to Scuttlebutt: its folder, its peer, how it dies, and what it comes back to."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from arbiter import config, wiring
from arbiter.nostr.keys import SecretKey
from bridge.peer_process import PeerGone, PeerSettings
from bridge.service import Bridge, Parts
from tests.simulation.feeds import Message, Reader, named
from tests.simulation.history import ARBITER
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.ssb_disk import Disk
from tests.simulation.threads import Waiters, present_process

if TYPE_CHECKING:
    from tests.simulation.world import World


class Folder:
    """Files by their names. ``port`` is told of either side of each change."""

    def __init__(self, port: Callable[[str], None]) -> None:
        self.port = port
        self.files: dict[str, str] = {}

    def __truediv__(self, name: str) -> "File":
        return File(self, name)

    def marks(self, name: str) -> list[tuple[int, int]]:
        """The pairs of numbers that a file holds as JSON; none if it is missing."""
        return [(place, at) for place, at in json.loads(self.files.get(name, "[]"))]


class File:
    """One name in a folder, whether or not there is such a file."""

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder = folder
        self._name = name

    def with_suffix(self, suffix: str) -> "File":
        return File(self._folder, self._name.rpartition(".")[0] + suffix)

    def read_text(self, encoding: str) -> str:
        del encoding
        if self._name not in self._folder.files:
            raise FileNotFoundError(self._name)
        return self._folder.files[self._name]

    def write_text(self, text: str, encoding: str) -> None:
        del encoding
        self._folder.port("disk.write.asked")
        self._folder.files[self._name] = text
        self._folder.port("disk.write.done")

    def replace(self, other: "File") -> None:
        self._folder.port("disk.replace.asked")
        self._folder.files[other._name] = self._folder.files.pop(self._name)
        self._folder.port("disk.replace.done")

    def unlink(self, *, missing_ok: bool) -> None:
        del missing_ok
        self._folder.files.pop(self._name, None)


STARTS_SECONDS = 2.0
ANSWERS_SECONDS = 0.02
LINGERS_SECONDS = 1.0
SILENT_SECONDS = 50.0
"""More than the bridge waits for an answer."""


class Answer:
    """What a request will come to, as a `concurrent.futures.Future` tells it."""

    def __init__(self, scheduler: Scheduler, done: Callable[[], None]) -> None:
        self._done = done
        self._waiters = Waiters(scheduler)
        self._value: Any = None

    def settle(self, value: Any) -> None:
        """Answer; an exception is raised to the tasks that wait. Only the first answer counts."""
        if self._value is None:
            self._value = value
            self._waiters.wake()

    def result(self, timeout: float) -> Any:
        """The answer. Raises TimeoutError, or what the peer came to."""
        if not self._waiters.wait_until(lambda: self._value is not None, timeout):
            raise TimeoutError
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
        try:
            return self.ask_soon(what, **arguments).result(30.0)
        except TimeoutError:
            raise PeerGone("no answer") from None

    def ask_soon(self, what: str, **arguments: Any) -> Answer:
        world = self._world
        world.cloud.port(f"peer.{what}.asked")
        answer = Answer(world.scheduler, partial(world.cloud.port, f"peer.{what}.done"))
        # Only JSON passes, as on the real peer's line.
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


RESTARTS_SECONDS = 5.0


class Bridges:
    """The one bridge of this arbiter, life after life."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._number = 0
        self.is_wanted = True
        self.key = SecretKey.generate(world.chance.randbytes(32))
        self.disk = Disk(named("@", "the arbiter", world.settings.seed))
        self.folder = Folder(world.cloud.port)
        self.peer: SimPeer | None = None
        self.process: Process | None = None
        self._reader = Reader("our peer", self._hear, is_up=False)

    def read(self, author: str) -> None:
        self._world.feeds.follow(self._reader, author)

    def start(self) -> None:
        if self.process is not None or not self.is_wanted:
            return
        self._number += 1
        process = Process(f"bridge {self._number}", self._world.environment())
        self.process = process
        process.memory["is_bridge"] = True
        self._world.started(process)
        self._world.scheduler.spawn(process, lambda: self._run(process))

    def died(self, process: Process) -> None:
        """The process is no more; its peer goes a moment later, and another one comes."""
        if process is not self.process:
            return
        self.process = None
        world = self._world
        if self.peer is not None:
            world.scheduler.after(world.chance.random() * LINGERS_SECONDS, self.peer.end)
        if self.is_wanted:
            world.scheduler.after(world.chance.random() * RESTARTS_SECONDS, self.start)

    def opened(self, peer: SimPeer) -> None:
        del peer
        self._world.feeds.open(self._reader)

    def closed(self) -> None:
        self.peer = None
        self._world.feeds.close(self._reader)

    def stop(self) -> None:
        self.is_wanted = False
        if self.process is not None:
            self._world.kill(self.process)

    def is_idle(self) -> bool:
        marks = self.folder.marks("cursor.json")
        sent = max((place for place, _ in marks), default=-1)
        return sent >= self.disk.latest and self._world.feeds.is_idle()

    def _hear(self, message: Message) -> None:
        news = self.disk.take(message)
        if news == "fork":
            self._world.faults.note("fork", message.author[:9])
        if news is not None and self.peer is not None:
            self.peer.hear(news)

    def _run(self, process: Process) -> None:
        world = self._world
        clock: Any = wiring.SystemClock()  # type: ignore[attr-defined]
        settings: Any = PeerSettings(directory=self.folder)  # type: ignore[arg-type]
        try:
            Bridge(
                Parts(
                    peer=settings,
                    key=self.key,
                    server=config.server_pubkey(),
                    queue=wiring.event_queue(),
                    records=wiring.outbox_records(world.cloud.urls["dead-scuttlebutt.fifo"]),
                    clock=clock,
                    chance=world.chance.random,
                )
            ).run()
        except Exception as failure:  # noqa: BLE001 - its supervisor starts it again
            world.note_failure(failure)
        world.scheduler.at(world.scheduler.now, self._ended(process))

    def _ended(self, process: Process) -> Callable[[], None]:
        return lambda: self._world.kill(process)
