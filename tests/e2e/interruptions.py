"""A game during which something happens to the arbiter."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from clients.probes.independent_client import PGN_NOTE, IndependentClient
from clients.probes.matches import OPERA_GAME, check_note, check_start, check_states, seated
from tests.e2e.arbiter_run import ArbiterRun

LIMIT_SECONDS = 120
_INTERRUPTED_AT_PLY = 9


@dataclass(frozen=True, slots=True)
class Ending:
    """What both players were told: the plies of the last state, and the note's own words."""

    plies: int
    result: str
    termination: str


OPERA_MATE = Ending(33, "1-0", "checkmate")


def play_on_through(arbiter: ArbiterRun, interruption: Callable[[], object]) -> Ending:
    """Play the Opera Game to its mate, with this happening while the players are moving.

    Whatever must be true of any game is checked here; how it ended is for the test to judge.
    """

    async def play() -> Ending:
        async with asyncio.timeout(LIMIT_SECONDS), seated(arbiter.endpoints, OPERA_GAME) as match:
            await match.play_to(_INTERRUPTED_AT_PLY)
            async with asyncio.TaskGroup() as both:
                both.create_task(match.play_to(len(OPERA_GAME)))
                both.create_task(asyncio.to_thread(interruption))
            await match.until_heard(PGN_NOTE)
            check_start(match)
            check_states(match, OPERA_GAME)
            check_note(match, OPERA_GAME, "1-0", "checkmate")
            (ending,) = {_ending_for(player) for player in match.players}
            return ending

    return asyncio.run(play())


def _ending_for(player: IndependentClient) -> Ending:
    assert player.game is not None
    (note,) = player.notes
    (result,), (termination,) = note.values("result"), note.values("termination")
    return Ending(max(position.ply for position in player.game.positions), result, termination)
