"""Figures of this process for the operator's page, and the work that the page starts."""

import logging
from collections import deque
from collections.abc import Callable, Mapping
from threading import Thread

from arbiter.application.ports import Clock
from server.metrics import FAULTS, Metrics

_log = logging.getLogger("arbiter")

_HOUR_MS, _DAY_MS = 60 * 60 * 1000, 24 * 60 * 60 * 1000
_EVERY_MS = 60_000


class Rises:
    """The rise of counters over the last hour and the last day, by what they were each minute."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._seen: deque[tuple[int, int, int]] = deque()

    def look(self, now_ms: int) -> tuple[int, int]:
        """Moves of the last hour and faults of the last day, or since the start."""
        moves = self._metrics.sum("Records", status="played")
        faults = sum(map(self._metrics.sum, FAULTS))
        if not self._seen or now_ms - self._seen[-1][0] >= _EVERY_MS:
            self._seen.append((now_ms, moves, faults))
        while now_ms - self._seen[0][0] > _DAY_MS:
            self._seen.popleft()
        hour = next(seen for seen in self._seen if now_ms - seen[0] <= _HOUR_MS)
        return moves - hour[1], faults - self._seen[0][2]


def figures_of(metrics: Metrics, clock: Clock) -> Callable[[], Mapping[str, object]]:
    """The function that tells the figures of this process."""
    rises = Rises(metrics)
    metrics.gauge("MovesOfHour", lambda: rises.look(clock.now_ms())[0])

    def figures() -> Mapping[str, object]:
        moves, faults = rises.look(clock.now_ms())
        gauges = metrics.gauges()
        heard = {"relays heard": gauges["RelaysHeard"]} if "RelaysHeard" in gauges else {}
        return {
            "sockets": gauges.get("Sockets", 0),
            "moves in an hour": moves,
            "faults in a day": faults,
            **heard,
        }

    return figures


def start_rating(work: Callable[[], int]) -> None:
    """Do this work in a thread."""

    def run() -> None:
        try:
            _log.info({"status": "rated-anew", "ratings": work()})
        except Exception as failure:  # noqa: BLE001 - the operator may ask again
            _log.error({"status": "failed"}, exc_info=failure)

    Thread(target=run, name="rating", daemon=True).start()
