"""Timers in memory, which never fire by themselves."""

from arbiter.application.queue_messages import Timer, timer_body
from arbiter.application.timers import delay_seconds, due_second, is_far
from tests.fakes.faults import Hook, quiet


class FakeTimers:
    """``near`` holds bodies and the seconds they are held back, ``far`` the due unix second of each
    nudge that is more than a quarter of an hour off. Points of the hook: ``timers.set``,
    ``timers.was-set``.
    """

    def __init__(self, hook: Hook = quiet) -> None:
        self.near: list[tuple[str, int]] = []
        self.far: dict[Timer, int] = {}
        self.hook = hook

    def set(
        self, game_id: str, ply: int, at_ms: int, now_ms: int, player: str | None = None
    ) -> None:
        self.hook("timers.set")
        nudge = Timer(game_id, ply, at_ms, player)
        if is_far(nudge, now_ms):
            self.far[nudge] = due_second(nudge)
        else:
            self.near.append((timer_body(nudge), delay_seconds(nudge, now_ms)))
        self.hook("timers.was-set")
