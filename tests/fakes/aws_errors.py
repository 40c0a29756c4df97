"""Exceptions of AWS's clients, made by hand, and botocore's part in them before we hear of it."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from botocore.exceptions import (
    ClientError,
    ConnectionError,  # noqa: A004 - botocore's own, which is no OSError
    EndpointConnectionError,
    HTTPClientError,
    ReadTimeoutError,
)

from tests.fakes.faults import Hook

ATTEMPTS: Final = 3
"""As ``arbiter.adapters.aws_clients`` sets botocore."""

_ENDPOINT: Final = "https://aws.invalid"
_SERVER_FAULTS: Final = 500
_STATUSES: Final = {"InternalServerError": 500, "InternalError": 500, "GoneException": 410}
"""By the error's code; all others are 400."""
_THROTTLED: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "ThrottlingException",
        "TransactionInProgressException",
    }
)

_Answer = TypeVar("_Answer")


class Unsupported(AssertionError):
    """Our code asked for something that the stand-in does not know. It is taught, or not asked: a
    guess would prove nothing.
    """


class Refused(Exception):
    """AWS refuses a call, or an entry of one, with this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def aws_error(code: str, operation: str, message: str = "", **more: Any) -> ClientError:
    """The error of this code, as botocore raises it; ``more`` is beside it in the answer."""
    status = _STATUSES.get(code, 400)
    response: Any = {
        "Error": {"Code": code, "Message": message or code},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **more,
    }
    return ClientError(response, operation)


def throttled(operation: str) -> ClientError:
    """Too much at once; nothing was done."""
    return aws_error("ThrottlingException", operation)


def answer_lost() -> ReadTimeoutError:
    return ReadTimeoutError(endpoint_url=_ENDPOINT)


def unreachable() -> EndpointConnectionError:
    return EndpointConnectionError(endpoint_url=_ENDPOINT)


def transaction_conflict(operation: str, items: int = 1) -> ClientError:
    """A transaction is at one of these items; botocore does not try again."""
    if operation != "TransactWriteItems":
        return aws_error("TransactionConflictException", operation)
    reasons = [{"Code": "TransactionConflict"}, *({"Code": "None"} for _ in range(items - 1))]
    return aws_error("TransactionCanceledException", operation, CancellationReasons=reasons)


def answered(service: str, name: str, hook: Hook, make: Callable[[], _Answer]) -> _Answer:
    """Make a call as botocore does in its standard mode: what was throttled, failed on their side
    or got no answer is sent again, the very same. What is Refused is raised as botocore raises it.

    The hook hears ``<service>.<name>.asked`` before each attempt, and ``<service>.<name>.done``
    after it. The waiting between attempts takes no time here.
    """
    for left in range(ATTEMPTS - 1, -1, -1):
        try:
            hook(f"{service}.{name}.asked")
            answer = make()
            hook(f"{service}.{name}.done")
        except Refused as error:
            operation = "".join(map(str.capitalize, name.split("_")))
            raise aws_error(error.code, operation, str(error)) from error
        except (ClientError, ConnectionError, HTTPClientError) as error:
            if not left or not _is_sent_again(error):
                raise
        else:
            return answer
    raise AssertionError("at least one attempt is made")


def _is_sent_again(error: Exception) -> bool:
    if not isinstance(error, ClientError):
        return True
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    return status >= _SERVER_FAULTS or error.response["Error"]["Code"] in _THROTTLED
