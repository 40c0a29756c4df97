"""MiniStack that saves its state every few seconds and not only when it stops.

MiniStack's own Python runs this file. MiniStack alone writes its state on SIGTERM, and a power cut
would lose every game. So queues, tables and schedules are saved periodically, and writes to tables
in between are logged (`local/table_journal`). SIGUSR1 saves everything, as a deployment requests.

Invariant: a saved queue is never younger than what is saved beside it. A record in both queue and
table was applied and is recognized by its event's id; one in neither would be lost.
"""

import asyncio
import importlib
import json
import logging
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partialmethod
from pathlib import Path
from typing import Any

_PAUSE_SECONDS = 2.0
_POLL_SECONDS = 0.02
_LOG_WAIT_SECONDS = 0.002
# Saving holds up everything else, so it never takes more than a twentieth of the time.
_PAUSES_PER_SAVING = 20
_BESIDE_QUEUES = ("dynamodb", "scheduler")

_logger = logging.getLogger("snapshots")


class Snapshots:
    """Saves MiniStack's state from within. Its parts are handed in, for they cannot be imported
    where this is checked.
    """

    def __init__(
        self,
        app: Any,  # noqa: ANN401
        persistence: Any,  # noqa: ANN401
        services: Mapping[str, Any],
        tables_saved: Callable[[], None],
    ) -> None:
        """The modules ministack.app and core.persistence, and those of services by name.
        ``tables_saved`` is called when the tables are on disk.
        """
        self._app = app
        self._persistence = persistence
        self._services = services
        self._tables_saved = tables_saved
        self._saved: dict[str, str] = {}
        self._all_asked = threading.Event()
        self._wake = threading.Event()

    def release(self) -> None:
        """Make records visible again that functions were working on when MiniStack ended.

        Otherwise an interrupted game waits for the queue's visibility timeout, most of a minute.
        """
        sqs = self._services["sqs"]
        with sqs._queues_lock:  # noqa: SLF001
            for queue in sqs._queues._data.values():  # noqa: SLF001
                for message in queue["messages"]:
                    # One that was never received is not visible because it is delayed.
                    if message["receive_count"]:
                        message["visible_at"] = min(message["visible_at"], time.time())

    def ask_for_all(self, *_signal: object) -> None:
        """Save everything soon."""
        self._all_asked.set()
        self._wake.set()

    def keep_saving(self) -> None:
        """Save until MiniStack ends.

        To be run in a thread; the saving itself is done on MiniStack's own, where its tables never
        change under our hands.
        """
        while (loop := self._app._MAIN_LOOP) is None:  # noqa: SLF001
            time.sleep(_POLL_SECONDS)
        # The loop turns only when the saved state has been loaded.
        loop.call_soon_threadsafe(self.release)
        while not loop.is_closed():
            started = time.monotonic()
            try:
                asyncio.run_coroutine_threadsafe(self._save(), loop).result()
            except Exception:
                _logger.exception("saving failed; trying again")
            took_seconds = time.monotonic() - started
            self._wake.wait(max(_PAUSE_SECONDS, _PAUSES_PER_SAVING * took_seconds))
            self._wake.clear()

    async def _save(self) -> None:
        if self._all_asked.is_set():
            self._all_asked.clear()
            self._persistence.save_all(self._app._build_persistence_save_dict())  # noqa: SLF001
        self.save_games()

    def save_games(self) -> None:
        """Save the tables, the schedules and the queues, if they changed."""
        sqs = self._services["sqs"]
        # Queues are also worked on by the thread that feeds functions; this is its lock.
        with sqs._queues_lock:  # noqa: SLF001
            queues = sqs.get_state()
        others = {name: self._services[name].get_state() for name in _BESIDE_QUEUES}
        # Queues last: should we die in the middle of this, they are the older ones.
        states = {**others, "sqs": queues}
        now = {name: self._as_text(state) for name, state in states.items()}
        if now == self._saved:
            return
        if not self._save_state("dynamodb", states["dynamodb"]):
            return
        # Nothing changes the tables before this returns.
        self._tables_saved()
        if all(self._save_state(name, states[name]) for name in ("scheduler", "sqs")):
            self._saved = now

    def _save_state(self, name: str, state: object) -> bool:
        """Whether it was saved: MiniStack logs that it was not, and goes on."""
        path = Path(self._persistence.STATE_DIR, f"{name}.json")
        before = _identity(path)
        self._persistence.save_state(name, state)
        return _identity(path) != before

    def _as_text(self, state: object) -> str:
        return json.dumps(state, default=self._persistence._json_default)  # noqa: SLF001


def _identity(path: Path) -> tuple[int, int] | None:
    """What differs whenever a file was replaced by another."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def forget_earlier_lives(scratch: Path) -> None:
    """Remove the functions that were unpacked for workers which ended with an earlier MiniStack.

    MiniStack does so when it is stopped. One that is killed leaves a hundred megabytes, and so does
    the next: sooner or later the disk is full, and then nothing can be kept.
    """
    for left in scratch.glob("ministack-lambda-*"):
        shutil.rmtree(left, ignore_errors=True)


def _wait_less_for_logs() -> None:
    """Answer an invocation as soon as the function has.

    MiniStack waits 50 ms for a first log line, and most requests log none. A later line comes with
    the next invocation.
    """
    runtime = importlib.import_module("ministack.core.lambda_runtime")
    drain = runtime.Worker._drain_stderr_bounded  # noqa: SLF001
    runtime.Worker._drain_stderr_bounded = partialmethod(  # noqa: SLF001
        drain, first_line_wait=_LOG_WAIT_SECONDS
    )


def main() -> None:
    """Run MiniStack as its own command would, with snapshots."""
    # Last: our modules would hide MiniStack's.
    sys.path.append(str(Path(__file__).resolve().parent.parent))
    forget_earlier_lives(Path(os.environ["TMPDIR"]))
    app = importlib.import_module("ministack.app")
    persistence = importlib.import_module("ministack.core.persistence")
    services = {
        name: importlib.import_module(f"ministack.services.{name}")
        for name in (*_BESIDE_QUEUES, "sqs")
    }
    journal = importlib.import_module("local.table_journal").Journal(
        services["dynamodb"],
        importlib.import_module("ministack.core.responses"),
        Path(persistence.STATE_DIR, "dynamodb.journal"),
    )
    journal.install()
    snapshots = Snapshots(app, persistence, services, journal.cut)
    logging.getLogger("persistence").setLevel(logging.WARNING)  # a line each time is too much
    _wait_less_for_logs()
    signal.signal(signal.SIGUSR1, snapshots.ask_for_all)
    threading.Thread(target=snapshots.keep_saving, name="snapshots", daemon=True).start()
    app.main()


if __name__ == "__main__":
    main()
