"""What a health check sees of this process: its file, its queue, its relays."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arbiter.adapters.relays.reach import reach
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.queries import QueueDepth, RelayReach, Signs
from server.turns import Turns

KEPT_MS = 30_000


class LocalVitals:
    """As `queries.Vitals`. Relays are tried in threads, at most every half minute, and the answer
    of the time before is given meanwhile.
    """

    def __init__(self, store: Store, turns: Turns, relays: Sequence[str], clock: Clock) -> None:
        self._store = store
        self._turns = turns
        self._relays = relays
        self._clock = clock
        self._reached: tuple[RelayReach, ...] = ()
        self._tried_at_ms = 0
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="vitals")

    def has_table(self) -> bool:
        """Whether the file can be read."""
        try:
            self._store.read(
                lambda cursor: cursor.execute("SELECT 1 FROM items LIMIT 1").fetchone()
            )
        except Exception:  # noqa: BLE001 - that is the answer
            return False
        return True

    def signs(self) -> Signs:
        """The queue as it is now, and the relays as they were tried last."""
        now_ms = self._clock.now_ms()
        if self._relays and now_ms - self._tried_at_ms >= KEPT_MS:
            self._tried_at_ms = now_ms
            self._threads.submit(self._try_relays)
        return Signs((QueueDepth("moves", len(self._turns), 0),), self._reached, self._tried_at_ms)

    def _try_relays(self) -> None:
        self._reached = tuple(reach(url) for url in self._relays)
