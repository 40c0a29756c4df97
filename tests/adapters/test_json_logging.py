"""Log lines: one JSON object each, and of exceptions never their text."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.json_logging import JsonLines, write_json_lines
from arbiter.adapters.ssm_signer import KeyUnavailable
from arbiter.core.replies import Reason, Rejected

MARK = "zzz-never-in-a-log-zzz"
RECORD = Rejected(MARK, Reason.MALFORMED, MARK)


def a_record(said: object, *arguments: object, failure: Exception | None = None) -> Any:
    about = (type(failure), failure, failure.__traceback__) if failure else None
    return logging.LogRecord("arbiter.x", logging.INFO, "x.py", 1, said, arguments, about)


def written(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonLines().format(record)
    assert line.isascii()
    assert line.isprintable()
    told: dict[str, Any] = json.loads(line)
    return told


def test_a_mapping_is_written_as_fields_and_a_sentence_with_its_logger() -> None:
    told = written(a_record({"status": "played", "event": "ab", "game": None}))
    assert told.pop("timestamp").endswith("Z")
    assert told == {"level": "INFO", "status": "played", "event": "ab", "game": None}

    told = written(a_record("refused %d of %d", 2, 3))
    assert (told["logger"], told["said"]) == ("arbiter.x", "refused 2 of 3")


@pytest.mark.parametrize("text", ["a\nb", 'a"b', "a\u2028b", "\x00\x1b[31m", "\ud800"])
def test_no_text_can_look_like_another_line(text: str) -> None:
    assert written(a_record(text))["said"] == text
    assert written(a_record({"status": text}))["status"] == text


@pytest.mark.parametrize("value", [object(), datetime.now(UTC), RECORD])
def test_a_value_that_json_cannot_express_is_written_as_its_type(value: object) -> None:
    assert written(a_record({"status": value}))["status"] == type(value).__name__


def test_an_exception_is_written_as_its_types_and_places_without_its_text() -> None:
    def fail() -> None:
        try:
            dict[str, str]()[MARK]
        except KeyError as cause:
            raise ValueError(MARK) from cause

    with pytest.raises(ValueError, match=MARK) as caught:
        fail()
    told = written(a_record({"status": "failed"}, failure=caught.value))

    assert told["failure"] == "ValueError from KeyError"
    assert any("fail" in place for place in told["where"])
    assert MARK not in json.dumps(told)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (
            ClientError({"Error": {"Code": "Throttled", "Message": MARK}}, "UpdateItem"),
            "Throttled in UpdateItem",
        ),
        (
            KeyUnavailable("no key in /arbiter/key: AccessDenied"),
            "KeyUnavailable (no key in /arbiter/key: AccessDenied)",
        ),
    ],
)
def test_a_failed_call_is_written_with_its_code(failure: Exception, words: str) -> None:
    assert written(a_record("x", failure=failure))["failure"] == words


def test_exceptions_that_lead_in_a_circle_end() -> None:
    failure = ValueError()
    failure.__cause__ = failure

    assert written(a_record("x", failure=failure))["failure"].startswith("ValueError from Value")


@contextmanager
def bare_root() -> Iterator[logging.Logger]:
    """The root logger as a new process has it: pytest's handlers come back afterwards."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    root.handlers.clear()
    try:
        yield root
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def test_the_present_handler_writes_lines_and_a_process_without_one_gets_one() -> None:
    handler = logging.StreamHandler()
    with bare_root() as root:
        root.addHandler(handler)
        for _ in range(2):
            write_json_lines("WARNING")
        assert root.handlers == [handler]
        assert root.level == logging.WARNING
    with bare_root() as root:
        write_json_lines("INFO")
        (made,) = root.handlers
    assert isinstance(handler.formatter, JsonLines)
    assert isinstance(made.formatter, JsonLines)


class LambdasHandler(logging.Handler):
    """Writes what its formatter returns and not a byte more, as Lambda's does."""

    written = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.written += self.format(record)


def test_lambdas_lines_have_an_end_and_no_time() -> None:
    handler = LambdasHandler()
    with bare_root() as root:
        root.addHandler(handler)
        write_json_lines("INFO")
        for status in ("one", "two"):
            root.info({"status": status})

    lines = [json.loads(line) for line in handler.written.splitlines()]
    assert lines == [{"level": "INFO", "status": "one"}, {"level": "INFO", "status": "two"}]
    assert handler.written.endswith("\n")
