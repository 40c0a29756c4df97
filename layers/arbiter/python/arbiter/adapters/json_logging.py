"""Every line of our logs is one JSON object, so that a metric filter can read it by its fields.

The law: an exception is told by its type and its places, never in its own words, for those may
quote what a stranger sent, or what a service was asked. Whoever logs a mapping has its fields in
the line; a text stands under ``said``.
"""

import json
import logging
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from arbiter.adapters.ssm_signer import KeyUnavailable

_MOST_CAUSES = 5


class JsonLines(logging.Formatter):
    """One record, one line. ``timestamp`` and ``level`` are spelled as Lambda reads them.

    ``end`` is a line's end for handlers that write none, as Lambda's own does not.
    """

    def __init__(self, end: str = "") -> None:
        super().__init__()
        self._end = end

    def format(self, record: logging.LogRecord) -> str:
        """The line: ASCII alone, so that no text can look like another line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, Any] = {
            "timestamp": at.replace("+00:00", "Z"),
            "level": record.levelname,
        }
        if isinstance(record.msg, Mapping):
            line |= record.msg
        else:
            line |= {"logger": record.name, "said": record.getMessage()}
        if record.exc_info and record.exc_info[1] is not None:
            line |= told_of(record.exc_info[1])
        return json.dumps(line, separators=(",", ":"), default=_unknown) + self._end


def write_json_lines(level: str) -> None:
    """Have all that is logged from this severity on written so: by the handlers that are there (in
    Lambda its own), or to standard error.
    """
    root = logging.getLogger()
    root.setLevel(level)
    if not root.handlers:
        root.addHandler(logging.StreamHandler())
    for handler in root.handlers:
        if not isinstance(handler.formatter, JsonLines):
            ends_lines = isinstance(handler, logging.StreamHandler)
            handler.setFormatter(JsonLines("" if ends_lines else "\n"))


def told_of(failure: BaseException) -> dict[str, Any]:
    """What a line says of an exception: what it is, what it came from, and where it happened."""
    return {
        "failure": " from ".join(_named(error) for error in _with_causes(failure)),
        "where": [
            f"{place.filename}:{place.lineno} {place.name}"
            for place in traceback.extract_tb(failure.__traceback__)
        ],
    }


def _with_causes(failure: BaseException) -> Iterator[BaseException]:
    error: BaseException | None = failure
    for _ in range(_MOST_CAUSES):
        if error is None:
            return
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _named(error: BaseException) -> str:
    name = type(error).__name__
    match error:
        case KeyUnavailable():
            return f"{name} ({error})"  # names a parameter and a code, by its own promise
        case ClientError():
            # The service's code and the call; its message may quote what was asked.
            return f"{error.response['Error']['Code']} in {error.operation_name}"
        case _:
            return name


def _unknown(value: object) -> str:
    """What JSON has no word for is told by its type: its repr may say too much."""
    return type(value).__name__
