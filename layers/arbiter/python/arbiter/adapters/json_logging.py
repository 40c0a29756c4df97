"""Log lines as JSON objects, which metric filters read by field; CloudWatch itself notes the time.

Invariant: an exception is logged by type and traceback, never by its message, which may quote a
stranger's bytes. A logged mapping becomes fields of the line; a text is under ``said``.
"""

import logging
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from arbiter.adapters.ssm_signer import KeyUnavailable
from arbiter.nostr.strict_json import write_ascii

_MAX_CAUSES = 5


class JsonLines(logging.Formatter):
    """Formats one record as one line. Lambda's handler writes no ends of lines of its own."""

    def __init__(self, *, is_lambdas: bool = False) -> None:
        super().__init__()
        self._is_lambdas = is_lambdas

    def format(self, record: logging.LogRecord) -> str:
        """The line, in ASCII, so that no text can look like another line."""
        line: dict[str, Any] = {} if self._is_lambdas else {"timestamp": _time(record.created)}
        line["level"] = record.levelname
        if isinstance(record.msg, Mapping):
            line |= record.msg
        else:
            line |= {"logger": record.name, "said": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            line |= exception_fields(record.exc_info[1])
        return write_ascii(line, _unknown) + ("\n" if self._is_lambdas else "")


def write_json_lines(level: str) -> None:
    """Log so from this level on, by the present handlers (Lambda's) or to standard error."""
    root = logging.getLogger()
    if logging.getLevelName(root.level) != level:  # setting it clears the caches of all loggers
        root.setLevel(level)
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    for handler in root.handlers:
        if not isinstance(handler.formatter, JsonLines):
            is_lambdas = not isinstance(handler, logging.StreamHandler)
            handler.setFormatter(JsonLines(is_lambdas=is_lambdas))


def exception_fields(failure: BaseException) -> dict[str, Any]:
    return {
        "failure": " from ".join(_named(error) for error in _with_causes(failure)),
        "where": [
            f"{place.filename}:{place.lineno} {place.name}"
            for place in traceback.extract_tb(failure.__traceback__)
        ],
    }


def _time(seconds: float) -> str:
    at = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


def _with_causes(failure: BaseException) -> Iterator[BaseException]:
    error: BaseException | None = failure
    for _ in range(_MAX_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _named(error: BaseException) -> str:
    name = type(error).__name__
    match error:
        case KeyUnavailable():
            return f"{name} ({error})"  # its message holds a parameter's name and a code only
        case ClientError():
            # The message may quote the request.
            return f"{error.response['Error']['Code']} in {error.operation_name}"
        case _:
            return name


def _unknown(value: object) -> str:
    """The type of a value that JSON cannot express: its repr may hold too much."""
    return type(value).__name__
