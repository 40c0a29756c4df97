"""Listeners' notes, in memory."""

from arbiter.core.outages import FOR_GOOD_MS, RelayUptime


class FakeOutages:
    def __init__(self) -> None:
        self.known: RelayUptime | None = None

    def uptime(self) -> RelayUptime | None:
        return self.known

    def report_connected(self, now_ms: int, active_until_ms: int = FOR_GOOD_MS) -> None:
        first = RelayUptime(now_ms, active_until_ms=active_until_ms)
        self.known = self.known.after_report(now_ms, active_until_ms) if self.known else first
