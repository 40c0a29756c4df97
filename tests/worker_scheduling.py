"""The order and the shares of `make test`'s workers, so that both end together.

A file goes to a worker, as in xdist's own ``--dist loadfile``, with two differences. Folders whose
tests stand on what is started once a session go to a worker whole, or each worker would start its
own. And they are begun first, and then what waits for processes: xdist begins with what has most
tests, which is what is quick, and one worker would be at a game against a whole arbiter long after
the others are done.
"""

from xdist.scheduler import LoadFileScheduling, LoadScopeScheduling

TOGETHER = (
    "tests/e2e/",  # a whole arbiter
    "tests/contract/",  # moto and MiniStack
    "tests/runtime/",  # layers that are built, and a moto
)
"""The slowest first."""

WAITING = ("tests/server/", "tests/bridge/", "tests/clients/test_web_client.py")
"""While one worker waits here, another computes."""

_SHARE_AN_ARBITER = tuple(
    f"tests/e2e/test_{name}.py::" for name in ("chessgame", "games", "nip100", "reads")
)


class OneArbiter(LoadScopeScheduling):  # type: ignore[misc]  # xdist tells no types
    """Hands out modules, as ``--dist loadscope``; those that share an arbiter go to one worker: on
    the emulated cloud each is a deployment.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(_SHARE_AN_ARBITER):
            return "tests/e2e/"
        return str(super()._split_scope(nodeid))


class LongestFirst(LoadFileScheduling):  # type: ignore[misc]  # xdist tells no types
    """Hands out folders and files in the order in which their tests were collected."""

    def _split_scope(self, nodeid: str) -> str:
        return next(
            (folder for folder in TOGETHER if nodeid.startswith(folder)),
            super()._split_scope(nodeid),
        )


def rank(nodeid: str) -> int:
    """The place of a test among the others; most are equal, and stay in their order."""
    begun = (*TOGETHER, *WAITING)
    places = (at for at, place in enumerate(begun) if nodeid.startswith(place))
    return next(places, len(begun))
