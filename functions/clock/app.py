"""The clock function: due timers are forwarded to their games, the others wait again."""

import logging
from collections import Counter
from typing import Any

from arbiter import wiring
from arbiter.application.intake.due_timers import TimerStatus, forward_due_timers
from arbiter.application.intake.queue_messages import parse_timer

log = logging.getLogger("arbiter")


def handler(invocation: dict[str, Any], context: object) -> dict[str, list[dict[str, str]]]:
    """Take a batch of the clock queue. Returns Lambda's partial batch response."""
    del context
    wiring.set_up_logs()
    records = invocation.get("Records", [])
    statuses = forward_due_timers(wiring.clock_deps(), [record["body"] for record in records])
    timers = [parse_timer(record["body"]) for record in records]
    games = " ".join(dict.fromkeys(timer.game_id for timer in timers if timer))
    if statuses:
        log.info({"timers": Counter(statuses), "game": games})  # timers, under their stored name
    failed = []
    for record, timer, status in zip(records, timers, statuses, strict=True):
        if status is TimerStatus.FAILED:
            failed.append(record["messageId"])
            game = timer.game_id if timer else ""
            log.warning({"status": "failed", "record": record["messageId"], "game": game})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}
