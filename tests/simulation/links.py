"""A simulated websocket: two ends, frames on the way, and what a network does to them."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from arbiter.adapters.relays.connection import Pong, RelayFailure, RelayFailureError
from tests.simulation.history import Brought
from tests.simulation.scheduler import Scheduler
from tests.simulation.threads import Waiters, present_process

if TYPE_CHECKING:
    from tests.simulation.world import World


Frame = str
LISTENER = "listener"
"""How those of our processes are called that listen to relays."""

PONG = "\x00pong"
PING = "\x00ping"
"""How control frames begin, as no text frame can; their payload follows."""


class Link:
    """One connection between ``who`` and a server. ``hear`` and ``lost`` are the client's ears."""

    def __init__(
        self, scheduler: Scheduler, who: str, server: Any, latency: Callable[[str], float]
    ) -> None:
        self.who = who
        self.server = server
        self.is_open = True
        self.is_half_open = False
        self.is_mute = False
        self.is_ours = False
        self.is_of_listener = who.startswith(LISTENER)
        self.subscriptions: dict[str, list[dict[str, Any]]] = {}
        self.pubkeys: set[str] = set()
        self.challenge = ""
        self.hear: Callable[[Frame], None] = ignore
        self.lost: Callable[[], None] = nothing
        self._scheduler = scheduler
        self._latency = latency
        self._last_up = 0.0
        self._last_down = 0.0

    def up(self, text: Frame) -> None:
        if not self.is_open:
            return
        when = max(self._scheduler.now + self._latency(self.who), self._last_up)
        self._last_up = when
        self._scheduler.at(when, lambda: self._arrive(text))

    def down(self, text: Frame, *, overtakes: bool = False, extra: float = 0.0) -> None:
        if not self.is_open:
            return
        when = self._scheduler.now + self._latency(self.who) + extra
        if not overtakes:
            when = max(when, self._last_down)
            self._last_down = when
        self._scheduler.at(when, lambda: self._reach(text))

    def cut(self) -> None:
        if not self.is_open:
            return
        self.is_open = False
        self.server.forget(self)
        self._scheduler.after(self._latency(self.who), self.lost)

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


class DialledRelay:
    """RelayConnection, in virtual time."""

    def __init__(self, world: "World", link: Link) -> None:
        self._world = world
        self._link = link
        self._inbox: deque[Frame] = deque()
        self._waiters = Waiters(world.scheduler)
        self._is_ended = False
        link.is_ours = True
        link.hear = self._hear
        link.lost = self._lost

    def send(self, text: str, timeout_seconds: float = 10.0) -> None:
        del timeout_seconds
        self._world.cloud.port("relay.send.asked")
        if self._is_ended:
            raise RelayFailureError(RelayFailure.ENDED)
        self._link.up(text)
        self._world.cloud.port("relay.send.done")

    def ping(self, payload: bytes = b"", timeout_seconds: float = 10.0) -> None:
        del timeout_seconds
        if self._is_ended:
            raise RelayFailureError(RelayFailure.ENDED)
        self._link.up(PING + payload.decode())

    def receive(self, timeout_seconds: float) -> bytes | Pong | None:
        """The next message or pong; None when none came in time."""
        scheduler: Scheduler = self._world.scheduler
        ends_at = scheduler.now + timeout_seconds
        while not self._inbox:
            if self._is_ended:
                raise RelayFailureError(RelayFailure.ENDED)
            left = ends_at - scheduler.now
            if left <= 0:
                return None
            self._waiters.wait(left)
        self._world.cloud.port("relay.receive.done")
        frame = self._inbox.popleft()
        if frame.startswith(PONG):
            return Pong(frame.removeprefix(PONG).encode())
        self._note(frame)
        return frame.encode()

    def close(self) -> None:
        self._is_ended = True
        self._link.cut()

    def abort(self) -> None:
        """Wake the tasks that wait here: they meet the end of the stream."""
        self._is_ended = True
        self._link.cut()
        self._waiters.wake()

    def _note(self, frame: Frame) -> None:
        """Write down what a listener reads: workers read relays' words on what they publish."""
        world, link = self._world, self._link
        if link.is_of_listener:
            way = link.server.name
            world.write(Brought(at_ms=world.now_ms(), by=link.who, way=way, frame=frame))

    def _hear(self, text: Frame) -> None:
        self._inbox.append(text)
        self._waiters.wake(1)

    def _lost(self) -> None:
        self._is_ended = True
        self._waiters.wake()


def connect(world: "World", url: str, timeout_seconds: float) -> DialledRelay:
    """A connection to the configured relay at ``url``. Raises RelayTroubleError."""
    world.cloud.port("relay.connect.asked")
    process = present_process(world.scheduler)
    link = world.relay_at(url).open(process.name)
    if link is None:
        # A firewall that swallows, or a port that is closed.
        world.scheduler.sleep(world.chance.choice((0.05, timeout_seconds)))
        raise RelayFailureError(RelayFailure.UNREACHABLE)
    connection = DialledRelay(world, link)
    world.owned(process, link)
    world.scheduler.sleep(0.02)
    world.cloud.port("relay.connect.done")
    return connection
