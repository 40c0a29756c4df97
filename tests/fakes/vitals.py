"""Signs of life as they are told."""

from arbiter.application.queries import QueueDepth, RelayReach, Signs
from tests.builders import NOW_MS


class FakeVitals:
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

    def signs(self) -> Signs:
        return Signs(self.queues, self.relays, NOW_MS)
