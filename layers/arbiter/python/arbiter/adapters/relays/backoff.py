"""How long to wait after the n-th failure in a row.

The law: pure; chance is an argument. The wait doubles up to a cap and half of it is chance, so that
a relay coming back is not met by all its listeners at once, and is never tried again at once either
(chorus bans whoever reconnects within a second).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The shortest and the longest full wait, in seconds."""

    first_seconds: float
    longest_seconds: float

    def delay_seconds(self, failures: int, chance: float) -> float:
        """The wait after ``failures`` (1 or more) in a row; ``chance`` lies in [0, 1)."""
        # Beyond sixty doublings every cap is reached, and floats would soon overflow.
        doublings = min(max(failures, 1) - 1, 60)
        full = min(self.first_seconds * 2.0**doublings, self.longest_seconds)
        return full * (0.5 + 0.5 * chance)
