"""Delivers events to the subscribers at our own gateway, as `ports.Publisher`.

Invariant: each open subscription that wants an event, and is in its `Reach`, is sent exactly one
copy. Trouble is in the report and never raised: a socket that is gone is forgotten.

One read finds the subscriptions of all topics, but for crowded ones. Those that name the game or a
player are served before those to everything of a kind, which any client may crowd.

Lambda suspends a process between invocations, so what was not sent by the deadline is given up and
reported as not taken.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from threading import Event
from typing import Any, Protocol, TypeVar

from arbiter.application.connections import (
    Connections,
    Sockets,
    Subscriber,
    TopicSubscribers,
    send_frame,
)
from arbiter.application.gateway.reach import MayReach, Reach
from arbiter.application.gateway.subscriptions import topics_at_large, topics_by_name
from arbiter.application.ports import Clock, Publisher, Report
from arbiter.application.spending import Spending, is_for_games_only
from arbiter.nostr.client_messages import delivery_text, event_text
from arbiter.nostr.event import VerifiedEvent

_log = logging.getLogger(__name__)

AT_ONCE = 16
"""Sockets written to at the same time, some ten milliseconds each."""

_NONE = TopicSubscribers(())

_T = TypeVar("_T")
_Frame = tuple[str, str]
"""An event's id, and the frame that delivers it to one subscription."""

_TopicsOf = Callable[[VerifiedEvent], Sequence[str]]


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """``failed``: ids of events that did not, or may not have, reached all who want them."""

    failed: frozenset[str] = frozenset()

    def is_accepted(self, event_id: str) -> bool:
        """Whether every subscription that wants this event was sent it, be there none."""
        return event_id not in self.failed


class Fanout:
    """Publishes to our own subscribers. May be used from several threads."""

    def __init__(
        self,
        connections: Connections,
        sockets: Sockets,
        clock: Clock,
        at_once: int = AT_ONCE,
        spending: Spending | None = None,
    ) -> None:
        """``clock`` is for deadlines. Beyond the day's budget, players alone hear."""
        self._spending = spending
        self._connections = connections
        self._sockets = sockets
        self._clock = clock
        self._at_once = at_once

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        may_reach: MayReach | None = None,
    ) -> DeliveryReport:
        """Send each event where it reaches: by name, then at large; ``may_reach`` counts."""
        now_ms = self._clock.now_ms()
        ends_at_ms = now_ms + round(deadline_seconds * 1000)
        once = {event.id: event for event in events}
        topics = dict.fromkeys(
            topic
            for event in once.values()
            for topic in (*topics_by_name(event), *topics_at_large(event))
        )
        kinds = {event.kind for event in events}
        looking = self._threads.submit(self._connections.subscribers, [*topics], kinds, now_ms)
        self._await([looking], ends_at_ms)
        filed = _result(looking)
        if filed is None:
            return DeliveryReport(frozenset(once))
        is_spent = is_for_games_only(self._spending)
        reach = {
            id_: Reach(it, self._connections, may_reach, is_spent=is_spent)
            for id_, it in once.items()
        }
        failed: set[str] = set()
        for topics_of in (topics_by_name, topics_at_large):
            failed |= self._publish_to(once, topics_of, filed, reach, ends_at_ms)
        return DeliveryReport(frozenset(failed))

    def _publish_to(
        self,
        events: Mapping[str, VerifiedEvent],
        topics_of: _TopicsOf,
        filed: Mapping[str, TopicSubscribers],
        reach: Mapping[str, Reach],
        ends_at_ms: int,
    ) -> set[str]:
        """Send to those ``filed`` within ``reach``; ids of events that did not reach them all."""
        topics = {id_: topics_of(event) for id_, event in events.items()}
        others = self._others({topic for of_one in topics.values() for topic in of_one}, filed)
        self._await([*others.values()], ends_at_ms)
        crowds = {topic: _result(found) for topic, found in others.items()}
        failed: set[str] = set()
        frames: dict[str, list[_Frame]] = {}
        for id_, event in events.items():
            if any(crowds.get(topic, ()) is None for topic in topics[id_]):
                failed.add(id_)
            subscribers = (
                subscriber
                for topic in topics[id_]
                for subscriber in (*filed.get(topic, _NONE).subscribers, *(crowds.get(topic) or ()))
            )
            for subscriber in reach[id_].among(subscribers):
                frame = (id_, delivery_text(subscriber.subscription_id, event_text(event)))
                frames.setdefault(subscriber.connection_id, []).append(frame)
        is_over = Event()
        sending = {
            to: self._threads.submit(self._send_all, to, frames[to], is_over) for to in frames
        }
        self._await([*sending.values()], ends_at_ms)
        is_over.set()
        for to, sent in sending.items():
            failed |= {id_ for id_, _ in frames[to][_result(sent) or 0 :]}
        return failed

    def _others(
        self, topics: set[str], filed: Mapping[str, TopicSubscribers]
    ) -> dict[str, Future[Sequence[Subscriber]]]:
        return {
            topic: self._threads.submit(self._connections.overflow_subscribers, topic)
            for topic in topics
            if filed.get(topic, _NONE).has_more
        }

    def _send_all(self, to: str, frames: Sequence[_Frame], is_over: Event) -> int:
        """The number of frames that need no more attempt: all of them if the socket is gone."""
        for number, (_, text) in enumerate(frames):
            if is_over.is_set():
                return number
            try:
                is_open = self._send(to, text)
            except Exception as failure:  # noqa: BLE001 - one socket's trouble is not another's
                _log.warning("a socket was not reached: %s", type(failure).__name__)
                return number
            if not is_open:
                break
        return len(frames)

    def _send(self, to: str, text: str) -> bool:
        try:
            return send_frame(self._connections, self._sockets, to, text)
        except Exception:  # noqa: BLE001 - whatever it was, a second try costs little
            # Two copies are better than none: a client knows an event by its id.
            return send_frame(self._connections, self._sockets, to, text)

    def _await(self, futures: Sequence[Future[Any]], ends_at_ms: int) -> None:
        left_seconds = (ends_at_ms - self._clock.now_ms()) / 1000
        for late in wait(futures, timeout=max(left_seconds, 0.0)).not_done:
            late.cancel()

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._at_once, thread_name_prefix="deliver")


@dataclass(frozen=True, slots=True)
class BothReport:
    """The report on one publication; ``relays`` is None where none are configured."""

    relays: Report | None
    gateway: Report

    def is_accepted(self, event_id: str) -> bool:
        return (self.relays or self.gateway).is_accepted(event_id)


class Relays(Protocol):
    """Publishes to relays, and has time while they think."""

    def publish(
        self,
        events: Sequence[VerifiedEvent],
        deadline_seconds: float,
        meanwhile: Callable[[], None],
    ) -> Report:
        """As `ports.Publisher`; ``meanwhile`` is called once the events are sent."""
        ...


class RelaysAndGateway:
    """Publishes to the relays, and to our own subscribers while the relays think.

    Invariant: where there are relays, an event is taken when one of them accepted it. A gateway
    that failed meanwhile is only logged: to publish again would go to every relay, and the player's
    next REQ is answered with the whole state.
    """

    def __init__(self, relays: Relays | None, gateway: Publisher) -> None:
        """``relays`` is None where none are configured."""
        self._relays = relays
        self._gateway = gateway

    def publish(self, events: Sequence[VerifiedEvent], deadline_seconds: float) -> BothReport:
        """Offer the events to both, each with the whole deadline."""
        if self._relays is None:
            return BothReport(None, self._gateway.publish(events, deadline_seconds))
        told: list[Report] = []

        def tell_gateway() -> None:
            told.append(self._gateway.publish(events, deadline_seconds))

        relays = self._relays.publish(events, deadline_seconds, tell_gateway)
        (gateway,) = told
        report = BothReport(relays, gateway)
        missed = [
            event.id
            for event in events
            if report.is_accepted(event.id) and not gateway.is_accepted(event.id)
        ]
        if missed:
            _log.warning("%d events reached relays and not all of our sockets", len(missed))
        return report


def _result(future: Future[_T]) -> _T | None:
    if not future.done() or future.cancelled():
        _log.warning("a delivery was given up: no time was left")
        return None
    if failure := future.exception():
        _log.warning("a delivery failed: %s", type(failure).__name__)
        return None
    return future.result()
