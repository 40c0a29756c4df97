"""The cost of this process's functions, estimated: each invocation, frame and call at its list
price.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from time import perf_counter

from arbiter.adapters.prices import Usage, read_units, write_units
from arbiter.application.spending import Spending

MICRO_DOLLARS = "micro_dollars"

_WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"}
_READS = {"GetItem", "BatchGetItem", "Query"}
_TIMES = {"TransactWriteItems": 2}
"""A transaction writes each item twice."""
_OBJECTS = {"PutObject": "object_puts", "GetObject": "object_gets"}
_LOGGED_BYTES = 300
"""Of an invocation: a line of ours, and Lambda's report."""


class Bill:
    """Amounts that are counted and not yet charged to the caller of an invocation. Thread-safe."""

    def __init__(
        self, spending: Spending, gigabytes: float, seconds: Callable[[], float] = perf_counter
    ) -> None:
        self._seconds = seconds
        self.spending = spending
        self._gigabytes = gigabytes
        self._lock = Lock()
        self._used = Counter[str]()
        self._owed = 0.0

    def count_call(self, operation: str, sent: int, received: int) -> None:
        with self._lock:
            self._used.update(_usage_of(operation, sent, received))

    @contextmanager
    def invocation(self, address: str = "", **received: int) -> Iterator[None]:
        """Count an invocation, and what is ``received`` with it, for this address."""
        began = self._seconds()
        try:
            yield
        finally:
            gb_seconds = (self._seconds() - began) * self._gigabytes
            with self._lock:
                used = {**self._used, "logged_bytes": _LOGGED_BYTES, "invocations": 1}
                for name, amount in received.items():
                    used[name] = used.get(name, 0) + amount
                self._used.clear()
                # A fraction of a millionth is owed until the next time.
                self._owed += Usage(**used, gb_seconds=gb_seconds).dollars() * 1e6
                whole = int(self._owed)
                self._owed -= whole
            self.spending.add({MICRO_DOLLARS: whole}, address)


def _usage_of(operation: str, sent: int, received: int) -> Mapping[str, int]:
    if operation == "PostToConnection":
        return {"socket_messages": 1, "transferred_bytes": sent}
    if operation in _OBJECTS:
        return {_OBJECTS[operation]: 1}
    if operation in _READS:
        return {"read_units": read_units(received)}
    if operation in _WRITES or operation in _TIMES:
        return {"write_units": write_units(sent) * _TIMES.get(operation, 1)}
    return {"queue_requests": 1}
