"""Timers in memory, which never fire by themselves."""

from collections.abc import Sequence

from arbiter.application.intake.queue_messages import timer_body
from arbiter.application.play.timers import delay_seconds, due_second, is_far
from arbiter.application.records import Timer
from tests.fakes.faults import Hook, quiet


class FakeTimers:
    """``near`` holds bodies and the seconds they are held back, ``far`` the due unix second of each
    timer that is more than a quarter of an hour off. Points of the hook: ``timers.set``,
    ``timers.was-set``.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.near: list[tuple[str, int]] = []
        self.far: dict[Timer, int] = {}
        self.hook = hook

    def set(self, timers: Sequence[Timer], now_ms: int) -> None:
        for timer in timers:
            self.hook("timers.set")
            if is_far(timer, now_ms):
                self.far[timer] = due_second(timer)
            else:
                self.near.append((timer_body(timer), delay_seconds(timer, now_ms)))
            self.hook("timers.was-set")
