"""The arbiter function: a batch of records in, the ids of those to deliver again out."""

import logging
from collections import Counter
from typing import Any

from arbiter import config, wiring
from arbiter.application import day_figures
from arbiter.application.announce import announce, announcement
from arbiter.application.intake.batch import Processed, Record, process_batch

log = logging.getLogger("arbiter")


def handler(invocation: dict[str, Any], context: object) -> dict[str, list[dict[str, str]]]:
    """Process records of moves, seeks and republish queue; or ``{"announce": true}`` the profile,
    ``{"announce": "lost"}`` only where a relay has none. Returns a partial batch response.
    """
    del context
    wiring.set_up_logs()
    if invocation.get("announce") is True:
        _announce(is_for_all=True)
    elif invocation.get("announce") == "lost":
        _announce(is_for_all=False)
    records = [_record(record) for record in invocation.get("Records", [])]
    if not records:
        return {"batchItemFailures": []}
    # The batch is received and deleted; each record was sent before.
    with wiring.invoked(queue_requests=2):
        deps, statuses = wiring.arbiter_deps(), Counter[str]()

        def log_and_count(processed: Processed) -> None:
            statuses[_log(processed)] += 1

        failed = process_batch(deps, records, log_and_count)
        if statuses["played"]:
            wiring.count(day_figures.moves(statuses["played"], deps.clock.now_ms()))
        for _ in range(statuses["failed"]):
            wiring.count(day_figures.FAULT)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _announce(*, is_for_all: bool) -> None:
    """Announce the arbiter to all relays, or to those that have nothing of the last day."""
    deps = wiring.arbiter_deps()
    events = announcement(deps, config.server_name(), config.own_relays(), config.house())
    events += wiring.profiles_of_house(events[0].created_at)
    accepted = announce(deps, events) if is_for_all else wiring.restore(deps.signer, events)
    log.info({"status": "announced", "events": accepted})


def _record(record: dict[str, Any]) -> Record:
    attributes = record.get("attributes", {})
    # A standard queue has no groups: there each record is its own.
    group = attributes.get("MessageGroupId", record["messageId"])
    return Record(id=record["messageId"], group=group, body=record["body"])


def _log(processed: Processed) -> str:
    """Log a record's ids and reasons, never a stranger's text and never a key; its status."""
    if processed.result is None:
        # It stays in the queue: for its own failure, or to wait behind one.
        status = "failed" if processed.failure else "behind-a-failure"
        log.error({"status": status, "record": processed.record.id}, exc_info=processed.failure)
        return status
    result = processed.result
    log.info({"status": result.status, "event": result.event_key, "game": result.game_id})
    return result.status
