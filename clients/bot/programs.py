"""What the bot's programs share: they run until they are told to end."""

import asyncio
import contextlib
import signal
from collections.abc import Coroutine


def run_until_told(work: Coroutine[None, None, None]) -> None:
    """Runs until the work is done, SIGTERM or Ctrl-C; either lets it clean up."""

    async def run() -> None:
        task = asyncio.ensure_future(work)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())
