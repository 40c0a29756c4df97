"""All seeded bugs."""

from tests.simulation.bugs import (
    bridging,
    cheating,
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
    *cheating.BUGS,
    *hearing.BUGS,
    *speaking.BUGS,
    *bridging.BUGS,
)
