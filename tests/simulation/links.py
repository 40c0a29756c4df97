"""A simulated websocket: two ends, frames on the way, and what a network does to them.

The law: between two ends frames keep their order, unless a fault says otherwise; a link that is cut
says so to both ends or, half-open, to neither. A mute one answers, and brings nothing new.
"""

from collections.abc import Callable
from typing import Any

from tests.simulation.scheduler import Scheduler

Frame = str
LISTENER = "listener"
"""How those of our processes are called that listen to relays."""

PONG = "\x00pong"
PING = "\x00ping"
"""Control frames, as what no text frame can be."""


class Link:
    """One connection between ``who`` and a server. ``hear`` and ``lost`` are the client's ears."""

    def __init__(
        self,
        scheduler: Scheduler,
        who: str,
        server: Any,
        latency: Callable[[str], float],
    ) -> None:
        self.who = who
        self.server = server
        self.is_open = True
        self.is_half_open = False
        self.is_mute = False
        self.is_ours = False
        self.is_of_listener = who.startswith(LISTENER)
        self.subscriptions: dict[str, list[dict[str, Any]]] = {}
        self.pubkeys: set[str] = set()
        self.challenge = ""
        self.hear: Callable[[Frame], None] = ignore
        self.lost: Callable[[], None] = nothing
        self._scheduler = scheduler
        self._latency = latency
        self._last_up = 0.0
        self._last_down = 0.0

    def up(self, text: Frame) -> None:
        """The client sends."""
        if not self.is_open:
            return
        when = max(self._scheduler.now + self._latency(self.who), self._last_up)
        self._last_up = when
        self._scheduler.at(when, lambda: self._arrive(text))

    def down(self, text: Frame, *, overtakes: bool = False, extra: float = 0.0) -> None:
        """The server sends."""
        if not self.is_open:
            return
        when = self._scheduler.now + self._latency(self.who) + extra
        if not overtakes:
            when = max(when, self._last_down)
            self._last_down = when
        self._scheduler.at(when, lambda: self._reach(text))

    def cut(self) -> None:
        """The connection ends, and both ends learn of it."""
        if not self.is_open:
            return
        self.is_open = False
        self.server.forget(self)
        self._scheduler.after(self._latency(self.who), self.lost)

    def _arrive(self, text: Frame) -> None:
        if self.is_open and not self.is_half_open:
            self.server.hear(self, text)

    def _reach(self, text: Frame) -> None:
        if self.is_open and not self.is_half_open:
            self.hear(text)


def ignore(text: Frame) -> None:
    """Nobody listens."""


def nothing() -> None:
    """Nobody minds."""
