"""``/healthz``: whether the arbiter can do its work right now, and what makes it think so."""

from arbiter.application.queries import DEAD_LETTERS, QueueDepth, Signs
from arbiter.web.views import View

OLDEST_SECONDS = 60
"""A move that waits for longer than this waits for something that is broken."""


def faults_in(signs: Signs, *, has_table: bool) -> list[str]:
    """What keeps the arbiter from its work, in words; empty for a healthy one."""
    faults = [] if has_table else ["the table cannot be read"]
    for queue in signs.queues:
        if queue.waiting is None:
            faults.append(f"the queue {queue.name} does not answer")
        elif _is_late(queue):
            faults.append(f"the queue {queue.name} is not emptied")
    if signs.relays and all(relay.trouble for relay in signs.relays):
        faults.append("no relay can be reached")
    return faults


def health_view(signs: Signs, *, has_table: bool) -> View:
    """What was found. A number that is null is not known; dead letters and single relays in trouble
    are told, and are no fault.
    """
    faults = faults_in(signs, has_table=has_table)
    return {
        "status": "fault" if faults else "ok",
        "faults": faults,
        "table": has_table,
        "queues": [
            {"name": queue.name, "waiting": queue.waiting, "oldest_seconds": queue.age_seconds}
            for queue in signs.queues
        ],
        "relays": [
            {"url": relay.url, "reached": relay.trouble is None, "trouble": relay.trouble}
            for relay in signs.relays
        ],
        "looked_at_ms": signs.looked_at_ms,
    }


def _is_late(queue: QueueDepth) -> bool:
    if queue.name == DEAD_LETTERS or queue.age_seconds is None:
        return False
    return queue.age_seconds > OLDEST_SECONDS
