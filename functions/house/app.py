"""The house function: requests in, signed answers of house players into the queues of events."""

import logging
from collections.abc import Iterable
from typing import Any

from arbiter import wiring
from arbiter.application.house import HouseDeps, Question, answer_house_request
from arbiter.nostr.event import EventTemplate, NostrEvent
from clients.bot.house_config import config_of
from clients.bot.turn import Heard, answers
from clients.player.events import Draft

log = logging.getLogger("arbiter")


def handler(invocation: dict[str, Any], context: object) -> dict[str, list[dict[str, str]]]:
    """Take the house queue's record, for seconds. Returns Lambda's partial batch response."""
    del context
    wiring.set_up_logs()
    deps, failed = wiring.house_deps(), []
    for record in invocation.get("Records", []):
        try:
            status = answer_house_request(deps, record["body"], lambda asked: _answer(deps, asked))
        except Exception:
            failed.append({"itemIdentifier": record["messageId"]})
            log.exception({"status": "house-failed", "record": record["messageId"]})
        else:
            log.info({"status": status, "record": record["messageId"]})
    return {"batchItemFailures": failed}


def _answer(deps: HouseDeps, asked: Question) -> Iterable[EventTemplate]:
    # A house player never meets another: their answers would call this function without end.
    config = config_of(asked.level, block_list=(player.pubkey for player in deps.house))
    heard = [
        Heard(_signed(asked.server, known.event), known.since_ms) for known in asked.known_events
    ]
    drafts = answers(
        config, asked.level, asked.pubkey, heard, deps.clock.now_ms, asked.work, asked.place
    )
    return [draft.template for draft in drafts]


def _signed(server: str, event: EventTemplate) -> NostrEvent:
    """The event as players get it: its id needs no signature."""
    tags = tuple(tuple(tag) for tag in event.tags)
    draft = Draft(server, event.created_at, event.kind, tags, event.content)
    return NostrEvent(draft.id, server, event.created_at, event.kind, tags, event.content, "")
