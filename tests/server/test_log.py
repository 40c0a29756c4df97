"""The server's log, where it cannot be written."""

import contextlib
import logging
import sys
from pathlib import Path

import pytest

from server.log import BatchedLines


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_line_that_finds_no_room_is_lost_and_raises_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record = logging.LogRecord("arbiter", logging.ERROR, __file__, 1, "no room", None, None)
    full = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - closing it raises
    monkeypatch.setattr(sys, "stderr", full)

    BatchedLines().emit(record)

    with contextlib.suppress(OSError):
        full.close()
