"""Publishes signed events to every configured relay at once.

Invariant: failures are in the report and never raised. A dead relay costs the deadline once, and
then rests. Connections live as long as the object. An OK is a claim: events that must be stored are
asked for again, on another connection.
"""

import contextlib
import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import (
    VERIFY_STORED_SECONDS,
    Authenticate,
    PublishAttempt,
    RelayState,
    lasts,
    whether_replaced,
    whether_stored,
)
from arbiter.adapters.relays.relay_client import RelayClient
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus

_LOG = logging.getLogger(__name__)

_ACCEPTED = (PublishStatus.ACCEPTED, PublishStatus.NO_SUBSCRIBERS, PublishStatus.UNANSWERED)

_SENT_SECONDS = 0.02
"""Time for a publication to leave, before the work begins that waits for it."""

_ASK_SECONDS = 1.0
"""Time for relays to answer whether they stored an event; the next moves wait."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """For each event id, the status at each relay; RETRY for one that rests or is silent."""

    statuses: Mapping[str, Mapping[str, PublishStatus]]

    def is_accepted(self, event_id: str) -> bool:
        """Whether at least one relay accepted it, had no subscribers for it, or answers none."""
        statuses = self.statuses.get(event_id, {}).values()
        return any(counts_as_accepted(status) for status in statuses)


class RelayPublisher:
    """Publishes to ws:// or wss:// URLs (ValueError for others); ``authenticate`` signs NIP-42
    answers; ``settle_seconds`` bounds a slow relay's cost when others are well; ``monotonic`` is
    the clock for rests, ``chance`` is in [0, 1).
    """

    def __init__(
        self,
        relays: Sequence[str],
        *,
        authenticate: Authenticate | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        settle_seconds: float = 1.0,
    ) -> None:
        self._counters = Counters()
        self._settle_seconds = settle_seconds
        self._clients = [
            RelayClient(
                RelayState(
                    url=url,
                    counters=self._counters,
                    authenticate=authenticate,
                    unix_seconds=time.time,
                ),
                monotonic,
                chance,
            )
            for url in dict.fromkeys(relays)
        ]

    @property
    def counters(self) -> Counter[str]:
        return self._counters.counts()

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> PublishReport:
        """Send the events, in this order, to every relay, until all have answered; ``meanwhile`` is
        called once they are sent. Once each is accepted somewhere, slower relays get
        ``settle_seconds`` more. Events that must be stored are then asked for, for a second at
        most.
        """
        deadline = time.monotonic() + deadline_seconds
        by_id = {event.id: event for event in events}
        attempts = {client: client.attempt(by_id) for client in self._clients}
        asked = self._clients if by_id else []
        sent = {client: threading.Event() for client in asked}

        def offer(client: RelayClient) -> None:
            try:
                client.offer(attempts[client], deadline, sent[client].set)
            finally:
                sent[client].set()

        finished = self._in_threads(asked, offer)
        sent_by = time.monotonic() + _SENT_SECONDS
        for is_sent in sent.values():
            is_sent.wait(max(sent_by - time.monotonic(), 0.0))
        meanwhile()
        ends_at = deadline
        with contextlib.suppress(queue.Empty):
            for _ in asked:
                finished.get(timeout=max(ends_at - time.monotonic(), 0.0))
                report = _report(by_id, attempts)
                if all(report.is_accepted(event_id) for event_id in by_id):
                    ends_at = min(ends_at, time.monotonic() + self._settle_seconds)
        self._check_stored(events, attempts)
        report = _report(by_id, attempts)
        for client in asked:
            _log_unaccepted(client.url, [report.statuses[id_][client.url] for id_ in by_id])
        return report

    def restore(
        self,
        relay: str,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        age_seconds: int = 0,
    ) -> int:
        """Publish to this relay those events of whose author and kind it has none so young
        (``age_seconds``); how many it took. None, if it does not say what it has.
        """
        (client,) = (one for one in self._clients if one.url == relay)
        question = whether_replaced(events, age_seconds)
        client.ask(question, time.monotonic() + _ASK_SECONDS)
        missing = {event.id: event for event in question.missing()}
        attempt = client.attempt(missing)
        if missing:
            client.offer(attempt, time.monotonic() + deadline_seconds)
        return sum(status in _ACCEPTED for status in attempt.statuses().values())

    def _check_stored(
        self, events: Sequence[VerifiedEvent], attempts: Mapping[RelayClient, PublishAttempt]
    ) -> None:
        oldest = time.time() - VERIFY_STORED_SECONDS
        lasting = [event for event in events if lasts(event) and event.created_at >= oldest]
        questions = {}
        for client, attempt in attempts.items():
            if accepted := [event for event in lasting if attempt.has_accepted(event.id)]:
                questions[client] = whether_stored(accepted)
        deadline = time.monotonic() + _ASK_SECONDS
        finished = self._in_threads(
            [*questions], lambda client: client.ask(questions[client], deadline)
        )
        with contextlib.suppress(queue.Empty):
            for _ in questions:
                finished.get(timeout=max(deadline - time.monotonic(), 0.0))
        for client, question in questions.items():
            for event in question.missing():
                attempts[client].settled[event.id] = PublishStatus.NOT_STORED

    def _in_threads(
        self, clients: Sequence[RelayClient], work: Callable[[RelayClient], None]
    ) -> "queue.SimpleQueue[None]":
        """Run ``work`` for each relay, in threads; the queue gets one item as each ends."""
        finished = queue.SimpleQueue[None]()

        def run(client: RelayClient) -> None:
            try:
                work(client)
            except Exception as error:  # noqa: BLE001 - a thread must not end without a log line
                self._counters.add("bug")
                _LOG.error({"relay": client.url, "trouble": "bug"}, exc_info=error)
            finally:
                finished.put(None)

        for client in clients:
            threading.Thread(target=run, args=(client,), name="publish", daemon=True).start()
        return finished

    def close(self) -> None:
        for client in self._clients:
            client.close()


def _log_unaccepted(relay: str, statuses: Sequence[PublishStatus]) -> None:
    """One log line for each relay that did not accept all, for the metric."""
    unaccepted = [status for status in statuses if not counts_as_accepted(status)]
    if unaccepted:
        why = sorted({status.name.lower() for status in unaccepted})
        _LOG.warning({"status": "untaken", "relay": relay, "events": len(unaccepted), "why": why})


def _report(
    event_ids: Iterable[str], attempts: Mapping[RelayClient, PublishAttempt]
) -> PublishReport:
    by_relay = {client.url: attempt.statuses() for client, attempt in attempts.items()}
    return PublishReport(
        {id_: {url: statuses[id_] for url, statuses in by_relay.items()} for id_ in event_ids}
    )


def counts_as_accepted(status: PublishStatus) -> bool:
    """Whether a relay with this answer need not be sent the event again."""
    return status in _ACCEPTED
