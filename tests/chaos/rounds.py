"""One fault while games go on: what their players received, how long they waited, and the row that
says so.

A round passes when every game went on after the fault and every position that was shown is in the
game that was kept. Times are reported, never judged.
"""

import asyncio
import contextlib
import itertools
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tests.chaos.played import Played

_PACE_SECONDS = 0.25
_PLIES_BEFORE = 4
_PLIES_AFTER = 4
_LIMIT_SECONDS = 150.0
_POLL_SECONDS = 0.05


class Going(Protocol):
    """A game that is played ply by ply while something happens to the arbiter."""

    @property
    def name(self) -> str:
        """Who plays, over what."""
        ...

    async def move_on(self) -> None:
        """Play one ply, however long it takes, until both players were shown it."""
        ...

    async def finish(self) -> Played:
        """End the game, and read back what was kept of it."""
        ...


@dataclass(frozen=True, slots=True)
class Fault:
    """``strike`` blocks until the fault is over, and may return what it did. ``stops_clocks``: a
    game whose clocks run must outlive it too; ``stops_scuttlebutt``: one of Scuttlebutt too.
    """

    name: str
    strike: Callable[[], str | None]
    stops_clocks: bool = False
    stops_scuttlebutt: bool = False


HEADING = """\
| fault | lasted | longest wait | all moved after | moves | lost | twice | players saw |
|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What came of one fault. ``waited`` is the game that waited longest; ``recovered_seconds`` is
    from the fault's end until all games had moved; ``failures`` are reasons not to pass.
    """

    fault: str
    lasted_seconds: float
    longest_wait_seconds: float
    waited: str
    recovered_seconds: float
    acknowledged: int
    lost: int
    twice: int
    sightings: Counter[str]
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was lost or applied twice, and every game went on."""
        return not (self.lost or self.twice or self.failures)

    def as_markdown(self) -> str:
        """The row of the table; failures stand at its end."""
        saw = ", ".join(
            f"{word} {count}" for word, count in sorted(self.sightings.items()) if count
        )
        cells = (
            self.fault,
            f"{self.lasted_seconds:.1f} s",
            f"{self.longest_wait_seconds:.1f} s ({self.waited})",
            f"{self.recovered_seconds:.1f} s",
            str(self.acknowledged),
            str(self.lost),
            str(self.twice),
            saw or "nothing",
            *(f"**{failure}**" for failure in self.failures),
        )
        return f"| {' | '.join(cells)} |"


def broken_off(fault: Fault, failure: BaseException) -> Row:
    """A round that did not come to its end."""
    nothing = Counter[str]()
    why = f"{type(failure).__name__}: {failure!s:.200}".replace("\n", " ")
    return Row(
        fault=fault.name,
        lasted_seconds=0.0,
        longest_wait_seconds=float("inf"),
        waited="all",
        recovered_seconds=float("inf"),
        acknowledged=0,
        lost=0,
        twice=0,
        sightings=nothing,
        failures=(why,),
    )


@dataclass(slots=True)
class _Beat:
    """When a game moved, and when the fault ended, in monotonic seconds."""

    game: Going
    at: list[float] = field(default_factory=list)
    ended: float = float("inf")

    @property
    def went_on(self) -> bool:
        return sum(at > self.ended for at in self.at) >= _PLIES_AFTER


async def play_round(
    fault: Fault, games: Sequence[Going], pace_seconds: float = _PACE_SECONDS
) -> Row:
    """Play these games through this fault, end them, and judge. ``pace_seconds`` pass between two
    moves of a game.
    """
    beats = [_Beat(game) for game in games]
    playing = [asyncio.create_task(_keep_going(beat, pace_seconds)) for beat in beats]
    failures: list[str] = []
    await _until(lambda: all(len(beat.at) >= _PLIES_BEFORE for beat in beats), playing)
    began = time.monotonic()
    what = await asyncio.to_thread(fault.strike)
    ended = time.monotonic()
    for beat in beats:
        beat.ended = ended
    await _until(lambda: all(beat.went_on for beat in beats), playing)
    stuck = [beat.game.name for beat in beats if not beat.went_on]
    failures += [f"{name} did not go on" for name in stuck]
    for task in playing:
        with contextlib.suppress(asyncio.CancelledError):
            if stuck:
                task.cancel()
            await task
    played: list[Played] = []
    for beat in beats:
        try:
            async with asyncio.timeout(_LIMIT_SECONDS):
                one = await beat.game.finish()
            played.append(one)
            if one.lost or one.twice:
                failures.append(f"{beat.game.name}: {one.lost} lost, {one.twice} twice")
        except (AssertionError, TimeoutError) as failure:
            failures.append(f"{beat.game.name}: {failure!r:.200}")
    longest_wait, waited = max((_longest_wait(beat.at, began), beat.game.name) for beat in beats)
    return Row(
        fault=f"{fault.name} ({what})" if what else fault.name,
        lasted_seconds=ended - began,
        longest_wait_seconds=longest_wait,
        waited=waited,
        recovered_seconds=max(_first_after(beat.at, ended) for beat in beats),
        acknowledged=sum(one.acknowledged for one in played),
        lost=sum(one.lost for one in played),
        twice=sum(one.twice for one in played),
        sightings=sum((one.sightings for one in played), Counter[str]()),
        failures=tuple(failures),
    )


async def _keep_going(beat: _Beat, pace_seconds: float) -> None:
    while not beat.went_on:
        await beat.game.move_on()
        beat.at.append(time.monotonic())
        await asyncio.sleep(pace_seconds)


async def _until(is_so: Callable[[], bool], playing: Sequence["asyncio.Task[None]"]) -> None:
    """Wait for this, but not for ever; a failure of a game is raised at once."""
    deadline = time.monotonic() + _LIMIT_SECONDS
    while not is_so() and time.monotonic() < deadline:
        for task in playing:
            if task.done():
                task.result()
        await asyncio.sleep(_POLL_SECONDS)


def _longest_wait(at: Sequence[float], began: float) -> float:
    """The longest time between two moves of which the second was made during the fault or later."""
    pairs = itertools.pairwise(at)
    return max((after - before for before, after in pairs if after > began), default=0.0)


def _first_after(at: Sequence[float], ended: float) -> float:
    return min((moment - ended for moment in at if moment > ended), default=float("inf"))
