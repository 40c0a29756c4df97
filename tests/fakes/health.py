"""A health check that finds what it is told."""

from arbiter.application.queries import HealthReport, QueueDepth, RelayReach
from tests.builders import NOW_MS


class FakeHealth:
    def __init__(
        self,
        *,
        table: bool = True,
        queues: tuple[QueueDepth, ...] = (),
        relays: tuple[RelayReach, ...] = (),
    ) -> None:
        self.table = table
        self.queues = queues
        self.relays = relays

    def has_table(self) -> bool:
        return self.table

    def report(self) -> HealthReport:
        return HealthReport(self.queues, self.relays, NOW_MS)
