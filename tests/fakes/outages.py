"""What listeners noted, in memory."""

from arbiter.core.outages import Hearing


class FakeOutages:
    def __init__(self) -> None:
        self.known: Hearing | None = None

    def hearing(self) -> Hearing | None:
        return self.known

    def note(self, now_ms: int) -> None:
        self.known = self.known.heard(now_ms) if self.known else Hearing(now_ms)
