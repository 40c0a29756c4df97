"""Points at which a stand-in can be made to fail.

Each stand-in calls its hook with the name of the point it has come to, such as ``games.commit``
(nothing is written yet) and ``games.committed`` (it is, and the caller does not know). A hook that
raises is a fault at that point; one that remembers is a trace; one that writes to the same store is
a rival.
"""

from collections.abc import Callable

Hook = Callable[[str], None]


class Crash(Exception):
    """The process died, or the network did."""


def quiet(point: str) -> None:
    """No fault anywhere."""


def crash_at(point: str, times: int = 1) -> Hook:
    """Crash when this point is reached, that many times, and never again."""
    left = times

    def hook(reached: str) -> None:
        nonlocal left
        if reached == point and left > 0:
            left -= 1
            raise Crash(point)

    return hook
