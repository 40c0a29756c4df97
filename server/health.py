"""The state of this process for a health check: its file, its queue, its relays."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from arbiter.adapters.relays.connection import trouble_with
from arbiter.adapters.sqlite.dead_letters import SqliteDeadLetters
from arbiter.adapters.sqlite.errors import StoreError
from arbiter.adapters.sqlite.store import Store
from arbiter.application.ports import Clock
from arbiter.application.queries import DEAD_LETTERS, HealthReport, QueueDepth, RelayReach
from server.transaction_loop import TransactionLoop

KEPT_MS = 30_000


class LocalHealth:
    """`queries.HealthCheck`: relays are tried at most every half minute, all at once."""

    def __init__(
        self, store: Store, transactions: TransactionLoop, relays: Sequence[str], clock: Clock
    ) -> None:
        self._store = store
        self._dead_letters = SqliteDeadLetters(store)
        self._transactions = transactions
        self._relays = relays
        self._clock = clock
        self._reached: tuple[RelayReach, ...] = ()
        self._tried_at_ms = 0
        self._written_at_ms = 0

    def has_table(self) -> bool:
        now_ms = self._clock.now_ms()
        if self._store.is_in_trouble or now_ms - self._written_at_ms >= KEPT_MS:
            try:
                self._store.try_to_write()
            except StoreError:
                return False
            self._written_at_ms = now_ms
        return self._buried() is not None

    def report(self) -> HealthReport:
        now_ms = self._clock.now_ms()
        if self._relays and now_ms - self._tried_at_ms >= KEPT_MS:
            with ThreadPoolExecutor(len(self._relays)) as threads:
                troubles = threads.map(trouble_with, self._relays)
                self._reached = (*map(RelayReach, self._relays, troubles),)
            self._tried_at_ms = now_ms
        waiting = len(self._transactions)
        moves = QueueDepth("moves", waiting, None if waiting else 0)
        buried = QueueDepth(DEAD_LETTERS, self._buried())
        return HealthReport((moves, buried), self._reached, self._tried_at_ms or now_ms)

    def _buried(self) -> int | None:
        try:
            return self._dead_letters.count()
        except StoreError:
            return None
