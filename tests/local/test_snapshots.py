"""Saving the emulated cloud while it runs: a saved queue is never younger than the table."""

import json
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from local.ministack_with_snapshots import Snapshots, forget_earlier_lives


class Emulator:
    """MiniStack's modules, as far as a snapshot touches them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_full = False
        self.queues: dict[str, Any] = {"moves": ["record"]}
        self.tables: dict[str, Any] = {"games": {}}
        self.saved: list[tuple[str, str]] = []
        self.queue_data: dict[str, Any] = {}
        self.lock = threading.Lock()
        self.snapshots = Snapshots(
            app=SimpleNamespace(),
            persistence=SimpleNamespace(
                save_state=self._save, _json_default=str, STATE_DIR=str(folder)
            ),
            services={
                "sqs": SimpleNamespace(
                    get_state=self._get_queues,
                    _queues_lock=self.lock,
                    _queues=SimpleNamespace(_data=self.queue_data),
                ),
                "dynamodb": SimpleNamespace(get_state=self._get_tables),
                "scheduler": SimpleNamespace(get_state=lambda: {"schedules": ["flag"]}),
            },
            tables_saved=lambda: self.saved.append(("cut", "")),
        )

    def _get_queues(self) -> dict[str, Any]:
        assert self.lock.locked(), "read while the thread that feeds functions may write"
        copy: dict[str, Any] = json.loads(json.dumps(self.queues))
        return copy

    def _get_tables(self) -> dict[str, Any]:
        # A record is processed between the two copies: gone from the queue, into the table.
        self.queues, self.tables = {"moves": []}, {"games": {"g": "record"}}
        return self.tables

    def _save(self, service: str, state: object) -> None:
        """As MiniStack does: a failure is logged, and the file stays as it was."""
        if not self.is_full:
            self.saved.append((service, json.dumps(state)))
            draft = self.folder / "draft"
            draft.write_text(json.dumps(state))
            draft.replace(self.folder / f"{service}.json")


def test_a_snapshot_writes_the_queues_last_and_only_what_changed(tmp_path: Path) -> None:
    emulator = Emulator(tmp_path)
    emulator.snapshots.save_games()
    saved = dict(emulator.saved)
    # Processed in the middle of the snapshot, the record is in both halves.
    assert "record" in saved["sqs"]
    assert "record" in saved["dynamodb"]
    assert [*saved] == ["dynamodb", "cut", "scheduler", "sqs"]
    emulator.snapshots.save_games()  # the record has left the queue since
    written = len(emulator.saved)
    emulator.snapshots.save_games()
    assert len(emulator.saved) == written


def test_received_records_become_visible_again_and_delayed_ones_do_not(
    tmp_path: Path,
) -> None:
    far = time.time() + 600
    received = {"receive_count": 1, "visible_at": far}
    delayed = {"receive_count": 0, "visible_at": far}
    waiting = {"receive_count": 1, "visible_at": 7.0}
    emulator = Emulator(tmp_path)
    emulator.queue_data["q"] = {"messages": [received, delayed, waiting]}
    emulator.snapshots.release()
    assert received["visible_at"] <= time.time()
    assert delayed["visible_at"] == far
    assert waiting["visible_at"] == 7.0


def test_a_failed_save_is_repeated(tmp_path: Path) -> None:
    emulator = Emulator(tmp_path)
    emulator.snapshots.save_games()
    before = len(emulator.saved)
    emulator.is_full = True
    emulator.snapshots.save_games()
    assert len(emulator.saved) == before
    emulator.is_full = False
    emulator.snapshots.save_games()
    assert [service for service, _ in emulator.saved[before:]] == [
        "dynamodb",
        "cut",
        "scheduler",
        "sqs",
    ]


def test_unpacked_code_of_a_killed_emulator_is_deleted(tmp_path: Path) -> None:
    unpacked = tmp_path / "ministack-lambda-arbiter-ProcessEventsFunction-5ws5bpag"
    (unpacked / "code").mkdir(parents=True)
    (unpacked / "code" / "app.py").write_text("pass")
    (tmp_path / "ministack-7101.pid").write_text("4242")
    forget_earlier_lives(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["ministack-7101.pid"]
