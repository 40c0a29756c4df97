"""The bridge to Scuttlebutt: who keeps it alive, how it dies, and what it comes back to.

The real `Bridge` runs, threads and all, as `python -m bridge` would start it. Its folder and its
peer's disk are made up, and stay as they were when it died.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arbiter import config, wiring
from arbiter.nostr.keys import SecretKey
from bridge.peer_process import PeerSettings
from bridge.service import Bridge, Parts
from tests.simulation.feeds import Message, Reader, named
from tests.simulation.folder import Folder
from tests.simulation.scheduler import Process
from tests.simulation.ssb_disk import Disk
from tests.simulation.ssb_peer import LINGERS_SECONDS, SimPeer

if TYPE_CHECKING:
    from tests.simulation.world import World

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
        """Let our peer copy this log."""
        self._world.feeds.follow(self._reader, author)

    def start(self) -> None:
        """Begin a life, if there is none."""
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
        """The peer is there, and hears what it missed."""
        del peer
        self._world.feeds.open(self._reader)

    def closed(self) -> None:
        """The peer is gone, and its lock with it."""
        self.peer = None
        self._world.feeds.close(self._reader)

    def stop(self) -> None:
        """Nobody starts another one."""
        self.is_wanted = False
        if self.process is not None:
            self._world.kill(self.process)

    def is_idle(self) -> bool:
        """Whether all that was heard went to the queues, and all that is to be said is said."""
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
        except Exception as failure:  # noqa: BLE001 - whoever keeps it alive starts it again
            world.note_failure(failure)
        world.scheduler.at(world.scheduler.now, self._ended(process))

    def _ended(self, process: Process) -> Callable[[], None]:
        return lambda: self._world.kill(process)
