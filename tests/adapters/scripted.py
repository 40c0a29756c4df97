"""A DynamoDB client that answers as a test says, and the failures that no emulator gives."""

import threading
from typing import Any

from botocore.exceptions import ClientError, ReadTimeoutError


class ScriptedClient:
    """Remembers each call, and answers it from ``answers``: for each operation one answer, or a
    list of which each call takes one. An exception is raised, a function called with the arguments;
    without an answer, it is empty.
    """

    def __init__(self, **answers: Any) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._answers = answers
        self._lock = threading.Lock()

    def __getattr__(self, operation: str) -> Any:
        def call(**arguments: Any) -> Any:
            with self._lock:
                self.calls.append((operation, arguments))
                answer = self._answers.get(operation, {})
                if isinstance(answer, list):
                    answer = answer.pop(0) if answer else {}
            if isinstance(answer, Exception):
                raise answer
            return answer(arguments) if callable(answer) else answer

        return call

    @property
    def operations(self) -> list[str]:
        return [operation for operation, _ in self.calls]


def refused(code: str, **more: Any) -> ClientError:
    response: Any = {"Error": {"Code": code, "Message": ""}, **more}
    return ClientError(response, "AnOperation")


def cancelled(*codes: str) -> ClientError:
    reasons = [{"Code": code} for code in codes]
    return refused("TransactionCanceledException", CancellationReasons=reasons)


FAILURES = [
    refused("ProvisionedThroughputExceededException"),
    refused("InternalServerError"),
    ReadTimeoutError(endpoint_url="http://127.0.0.1"),
]
