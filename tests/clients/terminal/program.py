"""The client as a script runs it: a child process that speaks JSON lines."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 20.0


class Program:
    """One run of `python -m clients.terminal --json`. Use it in a ``with``."""

    def __init__(
        self, *, secret: str, server: str, relays: list[str], options: Sequence[str] = ()
    ) -> None:
        environment = dict(os.environ) | {
            "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/arbiter/python'}",
            "ARBITER_SECRET_KEY": secret,
            "SERVER": server,
            "RELAYS": ",".join(relays),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "clients.terminal", "--json", *options],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.said: list[dict[str, Any]] = []
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)
        self._reader.join(PATIENCE_SECONDS)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def enter(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next object of this type with these fields."""
        while True:
            value = self.until_one_of(kind)
            if all(value[name] == want for name, want in fields.items()):
                return value

    def until_one_of(self, *kinds: str) -> dict[str, Any]:
        """The next object of one of these types."""
        while True:
            try:
                value = self._lines.get(timeout=PATIENCE_SECONDS)
            except queue.Empty:
                raise AssertionError(f"waited in vain for {kinds}: {self.said}") from None
            if value["type"] in kinds:
                return value

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            value = json.loads(line)
            self.said.append(value)
            self._lines.put(value)
