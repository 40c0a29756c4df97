"""Games that begin in one phase and end in another.

Invariant: games begin in every phase and end in the next, and one game goes through all of them to
its mate.
"""

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from clients.probes.endpoints import Endpoints
from clients.probes.matches import OPERA_GAME
from tests.chaos.played import Played, random_script
from tests.chaos.relay_games import native_game
from tests.chaos.rounds import Going
from tests.chaos.server_games import browser_game, socket_game
from tests.releases.side_by_side import NEW, OLD

_PLIES_A_PHASE = 8
_LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Phase:
    """The release that serves for a while."""

    name: str
    release: str


PHASES = (
    Phase("before the update", OLD),
    Phase("updated", NEW),
    Phase("rolled back", OLD),
    Phase("updated again", NEW),
)


@dataclass(slots=True)
class Account:
    """All games, and how many moves were published in each phase."""

    played: list[tuple[str, Played]] = field(default_factory=list)
    moves: dict[str, int] = field(default_factory=dict)


async def play_through(
    endpoints: Endpoints, change: Callable[[Phase], None], chance: random.Random
) -> Account:
    """Play all games through all phases. Raises AssertionError or TimeoutError."""
    account = Account()
    async with contextlib.AsyncExitStack() as stack:
        change(PHASES[0])
        relays = endpoints.relays, endpoints.relays
        opera = await stack.enter_async_context(
            native_game("native, to mate", endpoints, OPERA_GAME, relays, _hours(chance))
        )
        before: Sequence[Going] = ()
        for number, phase in enumerate(PHASES):
            await asyncio.to_thread(change, phase)
            async with asyncio.timeout(_LIMIT_SECONDS):
                begun = await _begun(stack, endpoints, chance)
                left = _share(len(OPERA_GAME), number)
                await asyncio.gather(
                    _played_on(opera, left),
                    *(_played_on(game, _PLIES_A_PHASE) for game in (*before, *begun)),
                )
                account.moves[phase.name] = left + _PLIES_A_PHASE * (len(before) + len(begun))
                account.played += [(game.name, await game.finish()) for game in before]
            before = begun
        async with asyncio.timeout(_LIMIT_SECONDS):
            account.played += [(game.name, await game.finish()) for game in (*before, opera)]
    return account


async def _begun(
    stack: contextlib.AsyncExitStack, endpoints: Endpoints, chance: random.Random
) -> tuple[Going, ...]:
    """A game in each dialect, one after the other, so that the intended players meet."""
    relays = endpoints.relays, endpoints.relays
    terms = (*_hours(chance), ("mode", "rated"))
    return (
        await stack.enter_async_context(
            native_game("native, rated", endpoints, random_script(chance), relays, terms)
        ),
        await stack.enter_async_context(socket_game(endpoints, random_script(chance))),
        await stack.enter_async_context(browser_game(endpoints, random_script(chance))),
    )


async def _played_on(game: Going, plies: int) -> None:
    for _ in range(plies):
        await game.move_on()


def _share(plies: int, number: int) -> int:
    """The number of a game's plies that are played in the phase of this number."""
    return plies * (number + 1) // len(PHASES) - plies * number // len(PHASES)


def _hours(chance: random.Random) -> tuple[tuple[str, str]]:
    """Clocks that no other game asks for."""
    return (("time", f"{chance.randint(3_600, 10_800)}+{chance.randint(0, 180)}"),)
