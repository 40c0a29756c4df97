"""What listeners noted, in memory."""

from arbiter.core.clocks import RelayUptime


class FakeOutages:
    def __init__(self) -> None:
        self.known: RelayUptime | None = None

    def uptime(self) -> RelayUptime | None:
        return self.known

    def note(self, now_ms: int) -> None:
        self.known = self.known.noted(now_ms) if self.known else RelayUptime(now_ms)
