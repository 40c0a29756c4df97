"""Points at which a stand-in can be made to fail.

Each stand-in calls its hook with the name of the point it has come to, such as ``games.commit``
(nothing is written yet) and ``games.committed`` (it is, and the caller does not know). A hook that
raises is a fault at that point; one that remembers is a trace; one that writes to the same store is
a rival.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from arbiter.application.ports import Conflict

Hook = Callable[[str], None]
C = TypeVar("C", bound=type)


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


def with_points(store: str, doing: str = "commit", done: str = "committed") -> Callable[[C], C]:
    """Each method that the class has from its base gets a point of its own name, such as
    ``games.load``, and ``doing`` another one, such as ``games.committed``, if it succeeded.
    """

    def decorate(made: C) -> C:
        for name, method in vars(made.__mro__[1]).items():
            if callable(method) and not name.startswith("_"):
                after = f"{store}.{done}" if name == doing else ""
                setattr(made, name, _pointed(f"{store}.{name}", after, getattr(made, name)))
        return made

    return decorate


def _pointed(before: str, after: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(self: Any, *given: Any) -> Any:
        self.hook(before)
        result = method(self, *given)
        if after and result is not False and not isinstance(result, Conflict):
            self.hook(after)
        return result

    return called
