"""`arbiter serve` is killed at any moment while games go on. ``KILLS=1000`` kills it so often."""

import os
import random
from pathlib import Path

import pytest

from tests.chaos.kills import rounds

KILLS = int(os.environ.get("KILLS", "6"))


@pytest.mark.slow
def test_nothing_that_was_answered_is_lost_or_done_twice_by_kill_9_at_any_moment(
    tmp_path: Path,
) -> None:
    for row in rounds(tmp_path, KILLS, random.Random()):
        assert row.passed, row.as_markdown()
        assert row.acknowledged
