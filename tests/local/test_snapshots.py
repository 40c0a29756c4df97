"""Saving the emulated cloud while it runs: the queue never younger than the table."""

import json
import threading
from types import SimpleNamespace
from typing import Any

from local.ministack_with_snapshots import Snapshots


class Emulator:
    """MiniStack's four modules, as far as a snapshot touches them."""

    def __init__(self) -> None:
        self.queues: dict[str, Any] = {"moves": ["record"]}
        self.tables: dict[str, Any] = {"games": {}}
        self.saved: list[tuple[str, str]] = []
        self.lock = threading.Lock()
        self.snapshots = Snapshots(
            app=SimpleNamespace(),
            persistence=SimpleNamespace(save_state=self._save, _json_default=str),
            sqs=SimpleNamespace(get_state=self._get_queues, _queues_lock=self.lock),
            dynamodb=SimpleNamespace(get_state=self._get_tables),
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
        self.saved.append((service, json.dumps(state)))


def test_a_record_processed_in_the_middle_of_a_snapshot_is_in_both_halves_not_in_neither() -> None:
    emulator = Emulator()
    emulator.snapshots.save_games()
    saved = dict(emulator.saved)
    assert "record" in saved["sqs"]
    assert "record" in saved["dynamodb"]


def test_the_table_is_written_before_the_queue() -> None:
    emulator = Emulator()
    emulator.snapshots.save_games()
    assert [service for service, _ in emulator.saved] == ["dynamodb", "sqs"]


def test_what_did_not_change_is_not_written_again() -> None:
    emulator = Emulator()
    emulator.snapshots.save_games()
    emulator.snapshots.save_games()  # the record has left the queue since
    written = len(emulator.saved)
    emulator.snapshots.save_games()
    assert len(emulator.saved) == written
