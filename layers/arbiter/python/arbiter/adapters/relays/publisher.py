"""Publishes signed events to every configured relay at once.

Invariant: relays' failures are in the report and never raised. A dead relay costs the others the
deadline once, and then rests for a while. Connections live as long as the object, so that a warm
Lambda pays no handshake. An OK is a claim: events that must be stored are asked for again, on
another connection.
"""

import contextlib
import logging
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import (
    EPHEMERAL,
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
"""Time for a publication to leave, before the rest of the work begins that waits for it: a relay
that is not connected takes longer.
"""

_ASK_SECONDS = 1.0
"""Time for relays to answer whether they stored an event. The batch waits for it, and with it the
next moves of its other games.
"""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """For each event id, the status at each relay (by URL).

    RETRY also for a relay that was not reached, rests, or was silent until the deadline; NOT_STORED
    for one that accepted an event and does not have it.
    """

    statuses: Mapping[str, Mapping[str, PublishStatus]]

    def is_accepted(self, event_id: str) -> bool:
        """Whether at least one relay accepted it, had no subscribers for it, or answers none."""
        statuses = self.statuses.get(event_id, {}).values()
        return any(status in _ACCEPTED for status in statuses)


class RelayPublisher:
    """Publishes to ws:// or wss:// URLs (raises ValueError for others).

    ``authenticate`` signs the answer to NIP-42 challenges; without it, relays that require it
    accept nothing. ``settle_seconds`` bounds what a slow relay costs when others are well: a far
    one takes four round trips to connect, about 400 ms. ``monotonic`` is the clock for rests,
    ``chance`` returns a float in [0, 1).
    """

    def __init__(
        self,
        relays: Sequence[str],
        *,
        authenticate: Authenticate | None = None,
        unix_seconds: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        settle_seconds: float = 1.0,
    ) -> None:
        self._counters = Counters()
        self._unix_seconds = unix_seconds
        self._settle_seconds = settle_seconds
        self._clients = [
            RelayClient(
                RelayState(
                    url=url,
                    counters=self._counters,
                    authenticate=authenticate,
                    unix_seconds=unix_seconds,
                ),
                monotonic,
                chance,
            )
            for url in dict.fromkeys(relays)
        ]

    @property
    def counters(self) -> Counter[str]:
        """A copy of the counts by name."""
        return self._counters.counts()

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> PublishReport:
        """Send the events, in this order, to every relay; returns as soon as all have answered.
        ``meanwhile`` is called once they are sent, while the relays think; what it raises is
        raised.

        Once each event is accepted somewhere, slower relays get ``settle_seconds`` more. Events
        without an answer by then were sent nevertheless, unless the relay could not be reached.
        Events that must be stored are then asked for, for a second at most.
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
                report = _report(events, attempts)
                if all(report.is_accepted(event_id) for event_id in by_id):
                    ends_at = min(ends_at, time.monotonic() + self._settle_seconds)
        report = self._checked(events, _report(events, attempts))
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
        """Publish to this relay (by URL) those of the events that it has stored none like, by
        author and kind, dated at most ``age_seconds`` before; how many it took. None, if it does
        not say what it has.
        """
        (client,) = (one for one in self._clients if one.url == relay)
        question = whether_replaced(events, age_seconds)
        client.ask(question, time.monotonic() + _ASK_SECONDS)
        missing = {event.id: event for event in question.missing()}
        attempt = client.attempt(missing)
        if missing:
            client.offer(attempt, time.monotonic() + deadline_seconds)
        return sum(status in _ACCEPTED for status in attempt.statuses().values())

    def _checked(self, events: Sequence[VerifiedEvent], report: PublishReport) -> PublishReport:
        """The report, with NOT_STORED where a relay accepted an event that it does not have."""
        oldest = self._unix_seconds() - VERIFY_STORED_SECONDS
        lasting = [event for event in events if lasts(event) and event.created_at >= oldest]
        questions = {
            client: whether_stored(stored)
            for client in self._clients
            if (stored := [one for one in lasting if _is_accepted_by(client, one, report)])
        }
        deadline = time.monotonic() + _ASK_SECONDS
        finished = self._in_threads(
            [*questions], lambda client: client.ask(questions[client], deadline)
        )
        with contextlib.suppress(queue.Empty):
            for _ in questions:
                finished.get(timeout=max(deadline - time.monotonic(), 0.0))
        statuses = {id_: dict(by_relay) for id_, by_relay in report.statuses.items()}
        for client, question in questions.items():
            for event in question.missing():
                statuses[event.id][client.url] = PublishStatus.NOT_STORED
        return PublishReport(statuses)

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
        """Disconnect from all relays."""
        for client in self._clients:
            client.close()


def _is_accepted_by(client: RelayClient, event: VerifiedEvent, report: PublishReport) -> bool:
    return report.statuses[event.id][client.url] is PublishStatus.ACCEPTED


def _log_unaccepted(relay: str, statuses: Sequence[PublishStatus]) -> None:
    """One log line for each relay that did not accept all, so that failures are counted by
    relay.
    """
    unaccepted = [status for status in statuses if status not in _ACCEPTED]
    if unaccepted:
        why = sorted({status.name.lower() for status in unaccepted})
        _LOG.warning({"status": "untaken", "relay": relay, "events": len(unaccepted), "why": why})


def _report(
    events: Sequence[VerifiedEvent], attempts: Mapping[RelayClient, PublishAttempt]
) -> PublishReport:
    """The statuses so far."""
    statuses = {client.url: attempt.statuses() for client, attempt in attempts.items()}
    return PublishReport(
        {
            event.id: {url: _status(event.kind, statuses[url][event.id]) for url in statuses}
            for event in events
        }
    )


def counts_as_accepted(kind: int, status: PublishStatus) -> bool:
    """Whether a relay with this answer need not be sent an event of this kind again."""
    return _status(kind, status) in _ACCEPTED


def _status(kind: int, status: PublishStatus) -> PublishStatus:
    """No subscribers is a loss unless the event is ephemeral (NIP-01)."""
    is_lost = status is PublishStatus.NO_SUBSCRIBERS and kind not in EPHEMERAL
    return PublishStatus.RETRY if is_lost else status
