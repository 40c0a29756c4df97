"""A listener's ear to one relay, from the frame to the queue, without the socket and the thread."""

from dataclasses import dataclass, field

from arbiter.adapters.relays.connection import RelayConnection
from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.adapters.relays.deadline_socket import RelayFailureError
from arbiter.adapters.relays.ingest import Ingester
from arbiter.adapters.relays.loopback_probe import LoopbackPacing, LoopbackProbe
from arbiter.adapters.relays.protocol import ListenerConfig, Pacing, RelayProtocol
from arbiter.adapters.relays.relay_worker import RelayWorker, SessionLimits
from arbiter.application.ports import Clock
from arbiter.application.queue_messages import QueueEntry
from arbiter.application.routing import LISTENED_KINDS
from arbiter.nostr.keys import SecretKey

URL = "wss://relay.example/"


@dataclass
class Line(RelayConnection):
    """The way back to the relay: what was said is kept."""

    said: list[str] = field(default_factory=list)

    def send(self, text: str, timeout_seconds: float = 0.0) -> None:
        del timeout_seconds
        self.said.append(text)

    def ping(self) -> None:
        self.said.append("ping")


@dataclass
class Outlet:
    """A queue with room for everything."""

    entries: list[QueueEntry] = field(default_factory=list)

    def put(self, entry: QueueEntry, *, may_wait: bool) -> bool:
        del may_wait
        self.entries.append(entry)
        return True


class Ear:
    """``hears`` takes one frame; what was passed on waits in ``outlet``. All times stand still but
    ``now``, in monotonic seconds.
    """

    def __init__(self, server_pubkey: str, clock: Clock) -> None:
        self.tally = MemoryCounters()
        self.outlet = Outlet()
        self.line = Line()
        self.now = 0.0
        self._clock = clock
        nobody = SecretKey.generate(b"\x05" * 32)
        subject = ListenerConfig(
            kinds=LISTENED_KINDS,
            server_pubkey=server_pubkey,
            pacing=Pacing(),
            unix_seconds=lambda: clock.now_ms() // 1000,
            chance=lambda: 0.5,
            pubkey=nobody.pubkey,
            sign=nobody.sign,
            counters=self.tally,
        )
        outlets = {"moves": self.outlet, "seeks": self.outlet}
        intake = Ingester(server_pubkey, outlets, self.tally, monotonic=lambda: self.now)  # type: ignore[arg-type]
        self._session = RelayWorker(URL, subject, intake, clock, SessionLimits())
        self._conversation = RelayProtocol(
            URL, subject, LoopbackProbe(LoopbackPacing(), subject.chance)
        )
        self._conversation.connected(self.now)

    def hears(self, frame: bytes) -> str:
        """The one word under which this frame was counted; ``left-…`` if the relay was left."""
        before = self.tally.counts()
        actions = self._conversation.receive(frame, self.now)
        try:
            self._session._execute(actions, self._conversation, self.line, self._clock.now_ms())
        except RelayFailureError as trouble:
            return f"left-{trouble.failure}"
        return " ".join(self.tally.counts() - before)
