"""Invocations of functions beside the arbiter's: pairing, notices. Lambda's own queue keeps them,
which nothing polls: a FIFO queue costs $0.33 a month in which nothing is played.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.sqs import code_of
from arbiter.application.intake.queue_messages import notice_body
from arbiter.application.ports import EventQueue
from arbiter.application.records import Notice, QueueEntry

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
            _invoke(self._client(), self._function, entry.body)
        except (BotoCoreError, ClientError) as error:
            _log.warning("the pairing function is not asked: %s", code_of(error))
            return False
        return True


class InvokedNotices:
    """As `ports.NoticeQueue`: the notice function, once for each notice."""

    def __init__(self, client: Callable[[], Any], function: str) -> None:
        self._client = client
        self._function = function

    def send(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            _invoke(self._client(), self._function, notice_body(notice))


def _invoke(client: Any, function: str, body: str) -> None:  # noqa: ANN401 - as in AwsClients
    """Have the function run with this JSON, soon. Raises botocore's errors."""
    client.invoke(FunctionName=function, InvocationType="Event", Payload=body.encode())
