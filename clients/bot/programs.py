"""Parts that the bot's programs share: they run until they are told to end, and print events."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path

from clients.player.address import RUN_DIR


def run_dir() -> Path:
    """The folder of `make run`."""
    return Path(os.environ.get("RUN_DIR") or RUN_DIR)


def run_until_told(work: Coroutine[None, None, None]) -> None:
    """Runs until the work is done, SIGTERM or Ctrl-C; either lets it clean up."""

    async def run() -> None:
        task = asyncio.ensure_future(work)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())


def sayer(name: str) -> Callable[[str], None]:
    """Prints lines with the time and this name."""

    def say(text: str) -> None:
        print(f"{datetime.now(UTC):%H:%M:%S.%f} {name}: {text}", flush=True)

    return say
