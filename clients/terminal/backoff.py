"""How long to stay away from a relay that could not be reached or was lost."""

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0
STEADY_SECONDS = 30.0
"""A connection that held this long was a good one: the next loss starts from the beginning."""


def delay_seconds(failures: int, chance: float) -> float:
    """Before attempt number ``failures`` + 1; ``chance`` in 0..1 spreads clients over half the
    delay, so that a relay that comes back is not met by all of them at once.
    """
    longest: float = min(FIRST_SECONDS * 2 ** min(failures - 1, 10), LONGEST_SECONDS)
    return longest * (0.5 + chance / 2)
