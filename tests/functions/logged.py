"""What a function wrote into its log, line by line."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from arbiter.adapters.json_logging import JsonLines

WRITTEN = JsonLines()


def lines(records: Sequence[logging.LogRecord], logger: str = "arbiter") -> list[dict[str, Any]]:
    """The lines of this logger, read back, without when and how severe."""
    read = [json.loads(WRITTEN.format(record)) for record in records if record.name == logger]
    return [
        {name: value for name, value in line.items() if name not in {"timestamp", "level"}}
        for line in read
    ]
