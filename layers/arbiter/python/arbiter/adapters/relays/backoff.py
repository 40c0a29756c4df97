"""Exponential backoff with jitter. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """Waits from ``first_seconds``, doubled up to ``longest_seconds``."""

    first_seconds: float
    longest_seconds: float

    def delay_seconds(self, failures: int, chance: float) -> float:
        """The wait after so many failures. ``chance`` in [0, 1) decides half of it, so that a relay
        does not meet all listeners at once; the other half, for chorus bans who is back at once.
        """
        # Sixty doublings reach every cap, and more would overflow a float.
        doublings = min(max(failures, 1) - 1, 60)
        full = min(self.first_seconds * 2.0**doublings, self.longest_seconds)
        return full * (0.5 + 0.5 * chance)
