"""Questions to the pairing function: it is invoked, and answers later through the moves queue.

A FIFO queue before it would be polled by five, for $0.33 a month in which no event is played.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.sqs import code_of
from arbiter.application.ports import EventQueue
from arbiter.application.records import QueueEntry

_log = logging.getLogger(__name__)


class QueuesAndPairing:
    """The queues of events, and a function for what would join the queue ``pairing``."""

    def __init__(self, queues: EventQueue, client: Callable[[], Any], function: str) -> None:
        """``client`` returns Lambda's client, on first use; ``function`` is a name or an ARN."""
        self._queues = queues
        self._client = client
        self._function = function

    def send(self, batch: Sequence[QueueEntry]) -> Sequence[QueueEntry]:
        """Those that were not taken, in their order. Never raises for infrastructure."""
        queued = [entry for entry in batch if entry.queue != "pairing"]
        failed = [*(self._queues.send(queued) if queued else ())]
        asked = (entry for entry in batch if entry.queue == "pairing")
        failed += [entry for entry in asked if not self._invoke(entry)]
        return tuple(entry for entry in batch if entry in failed)

    def _invoke(self, entry: QueueEntry) -> bool:
        try:
            self._client().invoke(
                FunctionName=self._function, InvocationType="Event", Payload=entry.body.encode()
            )
        except (BotoCoreError, ClientError) as error:
            _log.warning("the pairing function is not asked: %s", code_of(error))
            return False
        return True
