"""A day whose budget is used up while games go on, and the next, which begins with nothing spent.

Each function writes what it spent once a minute, and so learns what the day's counter is.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from arbiter.adapters.bill import MICRO_DOLLARS
from arbiter.adapters.dynamodb.connections import DynamoDbDayCounters
from arbiter.application.spending import ALL, SPENT, day_of
from clients.probes.endpoints import Endpoints
from clients.probes.independent_client import IndependentClient
from clients.probes.matches import FOOLS_MATE
from clients.probes.raw_socket import opened, seated
from local.console import step
from local.rehearsal import expect
from local.rehearsal.side_games import play_on

_LIMIT_SECONDS = 150.0
_BETWEEN_SECONDS = 2.0
_MUCH = 10**9
_REFUSED = f"restricted: {SPENT}"


@contextlib.asynccontextmanager
async def spent_day(endpoints: Endpoints, counters: DynamoDbDayCounters) -> AsyncIterator[None]:
    """Spend the budget of the day for the block, in which running games end."""
    async with asyncio.timeout(4 * _LIMIT_SECONDS), seated(endpoints) as (white, black, first):
        begun = await play_on(white, black, first, FOOLS_MATE[:2])
        with step("spending the day's budget in the middle of games", "nothing new is taken"):
            day = _spend(counters, _MUCH)
            await asyncio.gather(
                _asked_over_the_gateway(endpoints, is_refused=True),
                _asked_over_relays(endpoints, is_refused=True),
            )
        with step("a game over the gateway, to mate", "ended"):
            ended = await play_on(white, black, begun, FOOLS_MATE[2:])
        expect(["result", "0-1"] in ended["tags"], f"no mate: {ended}")
        yield
    with step("the day after, whose counter has nothing", "requests to play are taken"):
        expect(_spend(counters, -_MUCH) == day, "the day ended in between: rehearse again")
        await asyncio.gather(
            _asked_over_the_gateway(endpoints, is_refused=False),
            _asked_over_relays(endpoints, is_refused=False),
        )


def _spend(counters: DynamoDbDayCounters, amount: int) -> str:
    """Count so much; the day for which."""
    day = day_of(int(time.time() * 1000))
    counters.add(day, ALL, {MICRO_DOLLARS: amount})
    return day


async def _asked_over_the_gateway(endpoints: Endpoints, *, is_refused: bool) -> None:
    """Ask for a game and to look on, as a stranger, until both are refused, or both taken."""
    async with asyncio.timeout(_LIMIT_SECONDS), opened(endpoints) as stranger:
        while True:
            asked = await stranger.ask_to_play(["time", "1234+5"])
            await stranger.say("REQ", "look", {"kinds": [20302], "#d": ["0" * 32]})
            looked = await stranger.hear()
            if asked[2] is not is_refused and (looked[0] == "CLOSED") is is_refused:
                break
            await asyncio.sleep(_BETWEEN_SECONDS)
    told = (asked[3], looked[-1]) if is_refused else (_REFUSED, _REFUSED)
    expect(told == (_REFUSED, _REFUSED), f"it is refused otherwise: {told}")


async def _asked_over_relays(endpoints: Endpoints, *, is_refused: bool) -> None:
    """Ask for a game until that is refused, or taken."""
    async with asyncio.timeout(_LIMIT_SECONDS):
        is_done, minutes = False, 100
        while not is_done:
            minutes += 1  # Two of the same terms would be paired.
            terms = [("time", f"{60 * minutes}+{0 if is_refused else 1}")]
            stranger = IndependentClient(endpoints.relays, endpoints.server, (), terms=terms)
            async with stranger.connected():
                is_done = (SPENT in await stranger.ask_until_answered()) is is_refused
            await asyncio.sleep(_BETWEEN_SECONDS)
