"""What listeners noted, in memory."""

from arbiter.core.clocks import FOR_GOOD_MS, RelayUptime


class FakeOutages:
    def __init__(self) -> None:
        self.known: RelayUptime | None = None

    def uptime(self) -> RelayUptime | None:
        return self.known

    def note(self, now_ms: int, busy_until_ms: int = FOR_GOOD_MS) -> None:
        first = RelayUptime(now_ms, busy_until_ms=busy_until_ms)
        self.known = self.known.noted(now_ms, busy_until_ms) if self.known else first
