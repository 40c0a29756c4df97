"""The listeners: who keeps them alive, and how they die.

The real `Listener` runs, threads and all; this is the schedule that starts it. There are two at any
time and no leader, as in the cloud.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from arbiter import wiring
from tests.simulation.links import LISTENER
from tests.simulation.scheduler import Process

if TYPE_CHECKING:
    from tests.simulation.world import World

LIVES_SECONDS = 690.0


class Listeners:
    """All listeners of the account."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._alive: list[Process] = []
        self._number = 0
        self.is_wanted = True

    def start(self) -> Process:
        """One more, for as long as a scheduled one lives."""
        self._number += 1
        process = Process(f"{LISTENER} {self._number}", self._world.environment())
        self._world.started(process)
        self._alive.append(process)
        lives = LIVES_SECONDS * (0.5 + 0.5 * self._world.chance.random())
        self._world.scheduler.spawn(process, lambda: self._run(process, lives))
        return process

    def alive(self) -> list[Process]:
        """Those that listen."""
        return [*self._alive]

    def died(self, process: Process) -> None:
        """One is no more; its place is taken, a moment later."""
        if process in self._alive:
            self._alive.remove(process)
            self._replace()

    def _replace(self) -> None:
        if self.is_wanted and len(self._alive) < 2:
            self._world.scheduler.after(self._world.chance.random() * 15, self._start_if_missed)

    def _start_if_missed(self) -> None:
        if self.is_wanted and len(self._alive) < 2:
            self.start()

    def _run(self, process: Process, seconds: float) -> None:
        try:
            wiring.listener().run(seconds)
        except Exception as failure:  # noqa: BLE001 - a listener that ends early is started again
            self._world.note_failure(failure)
        self._world.scheduler.at(self._world.scheduler.now, self._ended(process))

    def _ended(self, process: Process) -> Callable[[], None]:
        return lambda: self._world.kill(process)
