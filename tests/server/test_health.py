"""Health of the file: whether it can be read, and written."""

import os
import subprocess
from pathlib import Path
from typing import Any, cast

import pytest

from arbiter.adapters.sqlite.store import Store
from server.health import KEPT_MS, LocalHealth
from tests.fakes.clock import FakeClock


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_disk_that_is_full_is_told_until_it_has_room_again(tmp_path: Path) -> None:
    disk, clock = tmp_path / "disk", FakeClock(1_000_000)
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system can be mounted on this machine")
    try:
        with Store.open(disk / "arbiter.db") as store:
            health = LocalHealth(store, cast("Any", []), (), clock)
            assert health.has_table()
            with pytest.raises(OSError, match="No space"):
                (disk / "other").write_bytes(b"x" * 2_000_000)
            clock.ms += KEPT_MS
            assert [health.has_table() for _ in range(40)][-1] is False
            (disk / "other").unlink()
            assert health.has_table()
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_file_that_can_be_written_is_tried_every_half_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, tried = FakeClock(1_000_000), list[None]()
    with Store.open(tmp_path / "arbiter.db") as store:
        try_to_write = store.try_to_write
        monkeypatch.setattr(store, "try_to_write", lambda: tried.append(try_to_write()))
        health = LocalHealth(store, cast("Any", []), (), clock)
        for _ in range(4):
            assert health.has_table()
            clock.ms += KEPT_MS // 2
    assert len(tried) == 2
