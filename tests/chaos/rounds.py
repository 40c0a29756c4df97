"""One fault while games go on: what their players received, how long they waited, and the row that
says so.

A round passes when every game went on after the fault and every position that was shown is in the
game that was kept. Times are reported, never judged.
"""

import asyncio
import contextlib
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Sequence
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
        """The players, and their wire."""
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
    game whose clocks run must outlive it too.
    """

    name: str
    strike: Callable[[], str | None]
    stops_clocks: bool = False


HEADING = """\
| fault | lasted | longest wait | moves | lost | twice |
|---|---|---|---|---|---|"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one fault. ``waited`` is the game that waited longest; ``failures`` are reasons
    not to pass.
    """

    fault: str
    lasted_seconds: float = 0.0
    longest_wait_seconds: float = 0.0
    waited: str = ""
    played: Sequence[Played] = ()
    failures: tuple[str, ...] = ()

    @property
    def moves(self) -> int:
        return sum(one.acknowledged for one in self.played)

    @property
    def lost(self) -> int:
        return sum(one.lost for one in self.played)

    @property
    def twice(self) -> int:
        return sum(one.twice for one in self.played)

    def as_markdown(self) -> str:
        """The row of the table; failures stand at its end."""
        cells = (
            self.fault,
            f"{self.lasted_seconds:.1f} s",
            f"{self.longest_wait_seconds:.1f} s ({self.waited})",
            str(self.moves),
            str(self.lost),
            str(self.twice),
            *(f"**{failure}**" for failure in self.failures),
        )
        return f"| {' | '.join(cells)} |"


def report(heading: str, rows: Iterable[Row]) -> int:
    """Print each row when it comes, and what all came to; 1 if a round did not pass."""
    started, seen = time.monotonic(), list[Row]()
    say(f"{heading}\n\n{HEADING}")
    for row in rows:
        say(row.as_markdown())
        seen.append(row)
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    moves, lost, twice = (
        sum(getattr(row, name) for row in seen) for name in ("moves", "lost", "twice")
    )
    say(f"\n{minutes} min {seconds} s: {moves} moves acknowledged, {lost} lost, {twice} twice")
    return 1 if any(row.failures for row in seen) else 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@dataclass(slots=True)
class _Beat:
    """The times of a game's moves and of the fault's end, in monotonic seconds."""

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
        played=played,
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
