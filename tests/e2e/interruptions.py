"""A game during which something happens to the arbiter."""

import asyncio
from collections.abc import Callable

from tests.e2e.arbiter_run import ArbiterRun
from tests.e2e.independent_client import PGN_NOTE
from tests.e2e.matches import OPERA_GAME, check_note, check_start, check_states, seated

LIMIT_SECONDS = 120
_INTERRUPTED_AT_PLY = 9


def play_on_through(
    arbiter: ArbiterRun, interruption: Callable[[], None], *, may_go_back: bool = False
) -> None:
    """Play the Opera Game to its mate, with this happening while the players are moving."""

    async def play() -> None:
        async with asyncio.timeout(LIMIT_SECONDS), seated(arbiter.endpoints, OPERA_GAME) as match:
            await match.play_to(_INTERRUPTED_AT_PLY)
            async with asyncio.TaskGroup() as both:
                both.create_task(match.play_to(len(OPERA_GAME)))
                both.create_task(asyncio.to_thread(interruption))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME, may_go_back=may_go_back)
            check_note(match, OPERA_GAME, "1-0", "checkmate")

    asyncio.run(play())
