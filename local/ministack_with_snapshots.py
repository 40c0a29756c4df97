"""MiniStack, saving its tables and queues every few seconds and not only when it is stopped.

MiniStack's own Python runs this file. Alone, MiniStack writes its state on SIGTERM, and a machine
that loses power would lose every game since the start. So once a moment this saves what games
consist of: the queues and the tables. SIGUSR1 saves everything; the deployment asks for that.

The law: a saved queue is never younger than the saved table beside it. A record that is in both
was applied and will be recognised by its event's id; one that were in neither would be lost.
"""

import asyncio
import importlib
import json
import logging
import signal
import threading
import time
from typing import Any

_PAUSE_SECONDS = 2.0
# Saving holds up everything else, so it never takes more than a twentieth of the time.
_PAUSES_PER_SAVING = 20

_logger = logging.getLogger("snapshots")


class Snapshots:
    """Saves MiniStack's state from within. Its parts are handed in, for they cannot be imported
    where this is checked.
    """

    def __init__(self, app: Any, persistence: Any, sqs: Any, dynamodb: Any) -> None:  # noqa: ANN401
        """The modules ministack.app, core.persistence, services.sqs and services.dynamodb."""
        self._app = app
        self._persistence = persistence
        self._sqs = sqs
        self._dynamodb = dynamodb
        self._saved = ("", "")
        self._all_asked = threading.Event()
        self._wake = threading.Event()

    def ask_for_all(self, *_signal: object) -> None:
        """Save everything soon."""
        self._all_asked.set()
        self._wake.set()

    def keep_saving(self) -> None:
        """Save until MiniStack ends.

        To be run in a thread; the saving itself is done on MiniStack's own, where its tables never
        change under our hands.
        """
        while True:
            started = time.monotonic()
            loop = self._app._MAIN_LOOP  # noqa: SLF001
            if loop is not None and loop.is_closed():
                return
            if loop is not None:
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
        """Save the queues and the tables, if they changed."""
        # Queues are also worked on by the thread that feeds functions; this is its lock.
        with self._sqs._queues_lock:  # noqa: SLF001
            queues = self._sqs.get_state()
        tables = self._dynamodb.get_state()
        now = (self._as_text(queues), self._as_text(tables))
        if now == self._saved:
            return
        # Table before queue: should we die between the two lines, the queue is the older one.
        self._persistence.save_state("dynamodb", tables)
        self._persistence.save_state("sqs", queues)
        self._saved = now

    def _as_text(self, state: object) -> str:
        return json.dumps(state, default=self._persistence._json_default)  # noqa: SLF001


def main() -> None:
    """Run MiniStack as its own command would, with snapshots."""
    app = importlib.import_module("ministack.app")
    snapshots = Snapshots(
        app,
        importlib.import_module("ministack.core.persistence"),
        importlib.import_module("ministack.services.sqs"),
        importlib.import_module("ministack.services.dynamodb"),
    )
    logging.getLogger("persistence").setLevel(logging.WARNING)  # a line each time is too much
    signal.signal(signal.SIGUSR1, snapshots.ask_for_all)
    threading.Thread(target=snapshots.keep_saving, name="snapshots", daemon=True).start()
    app.main()


if __name__ == "__main__":
    main()
