"""Signed events out, to every configured relay at once.

The law: trouble with relays is in the report and never raised; a dead relay costs the others
nothing but the deadline, once, and is then left alone for a while. Connections live as long as the
object, so that a warm Lambda pays no handshake. What must last is asked for again where it was
taken, on a connection of its own: an OK is a claim.
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

from arbiter.adapters.relays.counters import MemoryCounters
from arbiter.adapters.relays.publish_attempt import (
    VERIFY_STORED_SECONDS,
    Authenticate,
    PublishAttempt,
    VerifyStored,
    lasts,
)
from arbiter.adapters.relays.relay_client import PublisherConfig, RelayClient, RelayClientLimits
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus, event_message

_LOG = logging.getLogger(__name__)

_TAKEN = (PublishStatus.ACCEPTED, PublishStatus.NO_SUBSCRIBERS)

_EPHEMERAL = range(20_000, 30_000)

_ASK_SECONDS = 1.0
"""How long relays have to answer whether they kept something. The batch waits for that answer, so
the next moves of its other games do, too."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """For each event id, what each relay (by URL) made of it.

    RETRY stands also where a relay was not reached, left alone, or silent until the deadline, and
    UNKEPT where it said that it took an event which it does not have.
    """

    statuses: Mapping[str, Mapping[str, PublishStatus]]

    def taken(self, event_id: str) -> bool:
        """Whether at least one relay took it. One where nobody listened had it, and passed it on
        to all who wanted it.
        """
        statuses = self.statuses.get(event_id, {}).values()
        return any(status in _TAKEN for status in statuses)

    def took(self, event_id: str, relay: str) -> bool:
        """Whether this relay said that it took it."""
        return self.statuses[event_id][relay] is PublishStatus.ACCEPTED

    def without(self, unkept: Mapping[str, frozenset[str]]) -> "PublishReport":
        """The same, but for what each relay (by URL) turned out not to have (event ids)."""
        return PublishReport(
            {
                id_: {
                    url: PublishStatus.NOT_STORED if id_ in unkept.get(url, ()) else status
                    for url, status in statuses.items()
                }
                for id_, statuses in self.statuses.items()
            }
        )


class Publisher:
    """The way to the relays: configured ws:// or wss:// URLs (ValueError for anything else).

    ``authenticate`` signs the answer to a relay that asks who publishes (NIP-42); without it such a
    relay takes nothing. ``settle_seconds`` bounds what a dead relay costs when others are well: a
    far one needs four round trips to connect, some 400 ms. ``monotonic`` is the clock by which
    failed relays rest, ``chance`` gives a float in [0, 1).
    """

    def __init__(
        self,
        relays: Sequence[str],
        *,
        authenticate: Authenticate | None = None,
        unix_seconds: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        limits: RelayClientLimits | None = None,
        settle_seconds: float = 1.0,
    ) -> None:
        self._tally = MemoryCounters()
        self._unix_seconds = unix_seconds
        self._settle_seconds = settle_seconds
        around = PublisherConfig(
            authenticate=authenticate,
            tally=self._tally,
            unix_seconds=unix_seconds,
            monotonic=monotonic,
            chance=chance,
            limits=limits or RelayClientLimits(),
        )
        # A relay named twice is one relay.
        self._lines = [RelayClient(url, around) for url in dict.fromkeys(relays)]

    @property
    def counters(self) -> Counter[str]:
        """What happened so far, by name: a copy."""
        return self._tally.counts()

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> PublishReport:
        """Offer the events, in this order, to every relay; back as soon as all have answered.

        Once each event is taken somewhere, the slower relays get ``settle_seconds`` more. What they
        did not answer by then was sent to them all the same, unless they cannot even be dialled.
        What must last is then asked for where it was taken, for a second at most.
        """
        deadline = time.monotonic() + deadline_seconds
        frames = {event.id: event_message(event) for event in events}
        offerings = {line: line.offering(frames) for line in self._lines}
        asked = self._lines if frames else []
        finished = self._side_by_side(asked, lambda line: line.offer(offerings[line], deadline))
        ends_at = deadline
        with contextlib.suppress(queue.Empty):
            for _ in asked:
                finished.get(timeout=max(ends_at - time.monotonic(), 0.0))
                report = _report(events, offerings)
                if all(report.taken(event_id) for event_id in frames):
                    ends_at = min(ends_at, time.monotonic() + self._settle_seconds)
        report = self._checked(events, _report(events, offerings))
        for line in asked:
            _tell_of_untaken(line.url, [report.statuses[id_][line.url] for id_ in frames])
        return report

    def _checked(self, events: Sequence[VerifiedEvent], report: PublishReport) -> PublishReport:
        """The report, with UNKEPT where a relay said otherwise and does not have it."""
        oldest = self._unix_seconds() - VERIFY_STORED_SECONDS
        lasting = [event for event in events if lasts(event) and event.created_at >= oldest]
        questions = {
            line: VerifyStored([event for event in lasting if report.took(event.id, line.url)])
            for line in self._lines
        }
        deadline = time.monotonic() + _ASK_SECONDS
        asked = [line for line in self._lines if not questions[line].is_done]
        finished = self._side_by_side(asked, lambda line: line.ask(questions[line], deadline))
        with contextlib.suppress(queue.Empty):
            for _ in asked:
                finished.get(timeout=max(deadline - time.monotonic(), 0.0))
        unkept = {line.url: questions[line].missing() for line in asked}
        return report.without(unkept)

    def _side_by_side(
        self, lines: Sequence[RelayClient], work: Callable[[RelayClient], None]
    ) -> "queue.SimpleQueue[None]":
        """Do it for each relay, in threads; one item comes as each has ended."""
        finished = queue.SimpleQueue[None]()

        def run(line: RelayClient) -> None:
            try:
                work(line)
            except Exception as error:  # noqa: BLE001 - one relay's thread must not end unheard
                self._tally.add("bug")
                _LOG.error({"relay": line.url, "trouble": "bug"}, exc_info=error)
            finally:
                finished.put(None)

        for line in lines:
            threading.Thread(target=run, args=(line,), name="publish", daemon=True).start()
        return finished

    def close(self) -> None:
        """Hang up everywhere."""
        for line in self._lines:
            line.close()


def _tell_of_untaken(relay: str, statuses: Sequence[PublishStatus]) -> None:
    """One line for a relay that did not take all, so that failures are counted by relay."""
    untaken = [status for status in statuses if status not in _TAKEN]
    if untaken:
        why = sorted({status.name.lower() for status in untaken})
        _LOG.warning({"status": "untaken", "relay": relay, "events": len(untaken), "why": why})


def _report(
    events: Sequence[VerifiedEvent], offerings: Mapping[RelayClient, PublishAttempt]
) -> PublishReport:
    """What is known now. A relay that is still busy may have taken some already."""
    statuses = {line.url: offering.statuses() for line, offering in offerings.items()}
    return PublishReport(
        {
            event.id: {url: _status(event.kind, statuses[url][event.id]) for url in statuses}
            for event in events
        }
    )


def _status(kind: int, status: PublishStatus) -> PublishStatus:
    """Only of an ephemeral event (NIP-01) is it no loss that nobody was listening."""
    is_lost = status is PublishStatus.NO_SUBSCRIBERS and kind not in _EPHEMERAL
    return PublishStatus.RETRY if is_lost else status
