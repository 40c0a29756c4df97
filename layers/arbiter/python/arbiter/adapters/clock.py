"""The time of day, from the machine."""

import time


class SystemClock:
    """Unix time, as exact as the machine's own clock."""

    def now_ms(self) -> int:
        """Unix milliseconds."""
        return time.time_ns() // 1_000_000
