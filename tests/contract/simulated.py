"""The simulator's own cloud, in the place of a stand-in that is a process."""

from collections.abc import Callable
from threading import Lock
from typing import Any

from tests.builders import NOW_MS
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import SimDynamoDb
from tests.fakes.sqs import SimSqs


class InTurn:
    """A client of which threads may share one: the simulator has one thread, and no locks."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = Lock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return self._in_turn(found) if callable(found) else found

    def _in_turn(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*places: Any, **arguments: Any) -> Any:
            with self._lock:
                return call(*places, **arguments)

        return answer


class SimulatedClients:
    """One simulated cloud, asked for as ``AwsClients`` is; its time stops unless moved."""

    def __init__(self) -> None:
        self.clock = FakeClock(NOW_MS)
        self._dynamodb = InTurn(SimDynamoDb(self.clock))
        self._sqs = InTurn(SimSqs(self.clock))

    def dynamodb(self) -> Any:
        return self._dynamodb

    def sqs(self) -> Any:
        return self._sqs
