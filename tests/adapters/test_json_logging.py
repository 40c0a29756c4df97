"""What is written into a log is one line of JSON, and tells of an exception without its words."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from arbiter.adapters.json_logging import JsonLines, write_json_lines
from arbiter.adapters.ssm_signer import KeyUnavailable

MARK = "zzz-never-in-a-log-zzz"


def a_record(said: object, *arguments: object, failure: Exception | None = None) -> Any:
    about = (type(failure), failure, failure.__traceback__) if failure else None
    return logging.LogRecord("arbiter.x", logging.INFO, "x.py", 1, said, arguments, about)


def written(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonLines().format(record)
    assert line.isascii()
    assert line.isprintable()
    told: dict[str, Any] = json.loads(line)
    return told


def test_a_mapping_is_written_as_fields() -> None:
    told = written(a_record({"status": "played", "event": "ab", "game": None}))

    assert told.pop("timestamp").endswith("Z")
    assert told == {"level": "INFO", "status": "played", "event": "ab", "game": None}


def test_a_sentence_is_written_with_who_said_it() -> None:
    told = written(a_record("refused %d of %d", 2, 3))

    assert (told["logger"], told["said"]) == ("arbiter.x", "refused 2 of 3")


@pytest.mark.parametrize("text", ["a\nb", 'a"b', "a\u2028b", "\x00\x1b[31m", "\ud800"])
def test_no_text_can_look_like_another_line(text: str) -> None:
    assert written(a_record(text))["said"] == text
    assert written(a_record({"status": text}))["status"] == text


def test_what_json_has_no_word_for_is_told_by_its_type() -> None:
    assert written(a_record({"status": object()}))["status"] == "object"


def _raised(make: Any) -> Exception:
    try:
        make()
    except Exception as failure:  # noqa: BLE001 - it is what was wanted
        return failure
    raise AssertionError


def _quotes_a_stranger() -> None:
    try:
        dict[str, str]()[MARK]
    except KeyError as cause:
        raise ValueError(MARK) from cause


def test_an_exception_is_told_by_its_types_and_places_and_not_in_its_words() -> None:
    told = written(a_record({"status": "failed"}, failure=_raised(_quotes_a_stranger)))

    assert told["failure"] == "ValueError from KeyError"
    assert any("_quotes_a_stranger" in place for place in told["where"])
    assert MARK not in json.dumps(told)


def test_a_service_is_quoted_with_its_code_alone() -> None:
    def refuse() -> None:
        raise ClientError({"Error": {"Code": "Throttled", "Message": MARK}}, "UpdateItem")

    assert written(a_record("x", failure=_raised(refuse)))["failure"] == "Throttled in UpdateItem"


def test_a_key_that_cannot_be_had_says_which() -> None:
    def refuse() -> None:
        raise KeyUnavailable("no key in /arbiter/key: AccessDeniedException")

    assert (
        "/arbiter/key: AccessDenied" in written(a_record("x", failure=_raised(refuse)))["failure"]
    )


def test_exceptions_that_lead_in_a_circle_end() -> None:
    failure = ValueError()
    failure.__cause__ = failure

    assert written(a_record("x", failure=failure))["failure"].startswith("ValueError from Value")


@contextmanager
def bare_root() -> Iterator[logging.Logger]:
    """The root logger as a fresh process has it: pytest's handlers come back afterwards."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    root.handlers.clear()
    try:
        yield root
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def test_lambdas_own_handler_writes_lines_and_there_is_no_second_one() -> None:
    handler = logging.StreamHandler()
    with bare_root() as root:
        root.addHandler(handler)
        write_json_lines("WARNING")
        write_json_lines("WARNING")

        assert root.handlers == [handler]
        assert root.level == logging.WARNING
    assert isinstance(handler.formatter, JsonLines)


class LambdasHandler(logging.Handler):
    """Writes what its formatter says and not a byte more, as Lambda's does."""

    def __init__(self) -> None:
        super().__init__()
        self.written = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.written += self.format(record)


def test_lines_have_an_end_where_the_handler_writes_none() -> None:
    handler = LambdasHandler()
    with bare_root() as root:
        root.addHandler(handler)
        write_json_lines("INFO")
        root.info({"status": "one"})
        root.info({"status": "two"})

    assert [json.loads(line)["status"] for line in handler.written.splitlines()] == ["one", "two"]
    assert handler.written.endswith("\n")


def test_a_process_without_a_handler_gets_one() -> None:
    with bare_root() as root:
        write_json_lines("INFO")

        (handler,) = root.handlers
    assert isinstance(handler.formatter, JsonLines)
