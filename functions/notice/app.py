"""The notice function: what a player is to be told in, direct messages and pushes out."""

import json
import logging
from typing import Any

from arbiter import wiring
from arbiter.application.intake.queue_messages import parse_notice
from arbiter.application.notices.tell import see_to

log = logging.getLogger("arbiter")


def handler(invocation: dict[str, Any], context: object) -> None:
    """Take one notice of the arbiter function's. What fails is raised: Lambda asks twice more."""
    del context
    wiring.set_up_logs()
    notice = parse_notice(json.dumps(invocation))
    with wiring.invoked():
        log.info({"status": see_to(wiring.notice_deps(), notice) if notice else "unreadable"})
