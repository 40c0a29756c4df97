"""All seeded bugs."""

from tests.simulation.bugs import (
    bridging,
    hearing,
    judging,
    pairing,
    remembering,
    speaking,
    storing,
    timing,
)

BUGS = (
    *storing.BUGS,
    *remembering.BUGS,
    *judging.BUGS,
    *timing.BUGS,
    *pairing.BUGS,
    *hearing.BUGS,
    *speaking.BUGS,
    *bridging.BUGS,
)
