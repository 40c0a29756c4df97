"""The clock function: due timers are forwarded to their games, the others wait again."""

import logging
from collections import Counter
from typing import Any

from arbiter import wiring
from arbiter.application.intake.due_timers import TimerStatus, forward_due_timers

log = logging.getLogger("arbiter")


def handler(invocation: dict[str, Any], context: object) -> dict[str, list[dict[str, str]]]:
    """Take a batch of SQS records of the clock queue.

    Returns Lambda's partial batch response: ``{"batchItemFailures": [{"itemIdentifier": <message
    id>}, …]}``.
    """
    del context
    wiring.set_up_logs()
    records = invocation.get("Records", [])
    statuses = forward_due_timers(wiring.clock_deps(), [record["body"] for record in records])
    if statuses:
        log.info({"timers": Counter(statuses)})  # timers, under their stored name
    failed = [
        record["messageId"]
        for record, status in zip(records, statuses, strict=True)
        if status is TimerStatus.FAILED
    ]
    for message_id in failed:
        log.warning({"status": "failed", "record": message_id})
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}
