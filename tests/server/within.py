"""A play that must come to its end in time, run to there."""

import asyncio
from collections.abc import Coroutine
from typing import Any


def run_within(limit_seconds: float, play: Coroutine[Any, Any, None]) -> None:
    """Run this; TimeoutError if it takes longer."""

    async def within_the_limit() -> None:
        async with asyncio.timeout(limit_seconds):
            await play

    asyncio.run(within_the_limit())
