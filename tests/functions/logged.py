"""A function's log, line by line, and its answer as Lambda reads it."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from arbiter.adapters.json_logging import JsonLines

MARK = "zzz-never-in-a-log-zzz"
WRITTEN = JsonLines()


def lines(records: Sequence[logging.LogRecord], logger: str = "arbiter") -> list[dict[str, Any]]:
    """The lines of this logger, read back, without when and how severe."""
    read = [json.loads(WRITTEN.format(record)) for record in records if record.name == logger]
    return [
        {name: value for name, value in line.items() if name not in {"timestamp", "level"}}
        for line in read
    ]


def failed_ids(response: Any) -> list[str]:
    """The ids that are to be delivered again, out of a response of the very shape Lambda reads."""
    assert set(response) == {"batchItemFailures"}
    assert [item for item in response["batchItemFailures"] if set(item) != {"itemIdentifier"}] == []
    assert json.loads(json.dumps(response)) == response
    return [item["itemIdentifier"] for item in response["batchItemFailures"]]
