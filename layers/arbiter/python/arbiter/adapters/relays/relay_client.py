"""The publisher's connection to one relay, kept open, with rests after failures.

Invariant: ``offer`` never raises for a relay and ends at its deadline. A kept connection may be
dead, since a Lambda is frozen between invocations: its first answer gets a share of the time, then
the same bytes go out on a new connection, once.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import (
    Pong,
    RelayConnection,
    RelayFailure,
    RelayFailureError,
    address_of,
    connect,
)
from arbiter.adapters.relays.publish_attempt import PublishAttempt, RelayState, StoredQuestion
from arbiter.nostr.event import VerifiedEvent

_LOG = logging.getLogger(__name__)

_REST = Backoff(first_seconds=2.0, longest_seconds=30.0)
_WARM_SHARE = 0.25
"""The share of the deadline for the first answer on a kept connection."""


class RelayClient:
    """One relay; threads take turns. ``monotonic`` is for rests, ``chance`` in [0, 1)."""

    def __init__(
        self, relay: RelayState, monotonic: Callable[[], float], chance: Callable[[], float]
    ) -> None:
        address_of(relay.url)
        self.url = relay.url
        self._relay = relay
        self._monotonic = monotonic
        self._chance = chance
        self._turn = threading.Lock()
        self._connection: RelayConnection | None = None
        self._pings = 0
        self._failures = 0
        self._rests_until = -math.inf
        self._answered_in_seconds = 0.0

    def attempt(self, events: Mapping[str, VerifiedEvent]) -> PublishAttempt:
        return PublishAttempt(self._relay, events)

    def offer(
        self, attempt: PublishAttempt, deadline: float, sent: Callable[[], None] = lambda: None
    ) -> None:
        """Publish until all is settled or ``deadline``; ``sent`` once they are on their way."""
        ends_at = self._monotonic() + deadline - time.monotonic()
        if not self._turn.acquire(timeout=_left(deadline)):
            self._relay.counters.add("busy")
            return
        try:
            # The thread before may have found that the relay is dead.
            if self._monotonic() < self._rests_until:
                self._relay.counters.add("rested")
                return
            self._offer_twice(attempt, deadline, sent)
            self._note_result(attempt, ends_at)
            if attempt.was_refused_namelessly:
                self._disconnect()
        finally:
            self._turn.release()

    def ask(self, question: StoredQuestion, deadline: float) -> None:
        """Ask on a new connection, to which a relay shows only stored events."""
        try:
            connection = connect(self.url, _left(deadline))
            try:
                connection.send(question.text, _left(deadline))
                while not question.is_done and (left := _left(deadline)) > 0:
                    frame = connection.receive(left)
                    if isinstance(frame, bytes):
                        question.receive(frame)
            finally:
                connection.close()
        except RelayFailureError as error:
            self._relay.counters.add(f"read-back-{error.failure}")

    def close(self) -> None:
        with self._turn:
            self._disconnect()

    def _offer_twice(
        self, attempt: PublishAttempt, deadline: float, sent: Callable[[], None]
    ) -> None:
        """Once more on a new connection, if one was open and failed."""
        for is_second in (False, True):
            try:
                connection, answer_by = self._connected(deadline)
            except RelayFailureError as error:
                self._failed(error)
                return
            try:
                self._exchange(connection, attempt, answer_by, deadline, sent)
            except RelayFailureError as error:
                self._failed(error)
            else:
                if is_second:
                    self._relay.counters.add("reconnected")
                return

    def _connected(self, deadline: float) -> tuple[RelayConnection, float]:
        """The kept connection or a new one, and until when its first answer is awaited."""
        left = _left(deadline)
        if self._connection is not None:
            # A far relay is slow, not dead, and reconnecting would take even longer.
            wait = max(left * _WARM_SHARE, 2 * self._answered_in_seconds)
            return self._connection, time.monotonic() + min(left, wait)
        if left <= 0:
            raise RelayFailureError(RelayFailure.SILENT)
        self._relay.connected()
        self._connection = connect(self.url, left)
        return self._connection, deadline

    def _exchange(
        self,
        connection: RelayConnection,
        attempt: PublishAttempt,
        answer_by: float,
        deadline: float,
        sent: Callable[[], None],
    ) -> None:
        """Exchange messages until all is settled or time is over. Raises on silence."""
        began = time.monotonic()
        passed_over_at = math.inf
        pong = self._send(connection, attempt, attempt.connected(), deadline)
        sent()
        while not attempt.is_done():
            ends_at = min(deadline if attempt.was_answered else answer_by, passed_over_at)
            if (left := _left(ends_at)) <= 0:
                if ends_at == passed_over_at:
                    attempt.pass_over(attempt.unanswered())
                    passed_over_at = math.inf
                    continue
                if attempt.was_answered:
                    return
                raise RelayFailureError(RelayFailure.SILENT)
            frame = connection.receive(left)
            was_silent = not attempt.was_answered
            if isinstance(frame, bytes) and (texts := attempt.receive(frame)):
                passed_over_at = math.inf
                pong = self._send(connection, attempt, texts, deadline)
            elif pong is not None and frame == pong:
                passed_over_at = time.monotonic() + attempt.was_read()
            if was_silent and attempt.was_answered:
                self._answered_in_seconds = time.monotonic() - began

    def _send(
        self,
        connection: RelayConnection,
        attempt: PublishAttempt,
        texts: Sequence[str],
        deadline: float,
    ) -> Pong | None:
        """Send these, and a ping if OKs may never come; the answer to that."""
        for text in texts:
            connection.send(text, _left(deadline))
        if not attempt.unanswered():
            return None
        self._pings += 1
        pong = Pong(str(self._pings).encode())
        connection.ping(pong.payload, _left(deadline))
        return pong

    def _failed(self, error: RelayFailureError) -> None:
        self._relay.counters.add(error.failure)
        _LOG.info({"relay": self.url, "trouble": error.failure})
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _note_result(self, attempt: PublishAttempt, ends_at: float) -> None:
        """A relay that did not answer rests, from ``ends_at`` at the latest."""
        if attempt.was_answered or attempt.is_done():
            self._failures = 0
            return
        self._failures += 1
        rest_seconds = _REST.delay_seconds(self._failures, self._chance())
        self._rests_until = min(self._monotonic(), ends_at) + rest_seconds


def _left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.0)
