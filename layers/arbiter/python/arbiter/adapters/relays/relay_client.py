"""The publisher's connection to one relay, kept open, with rests after failures.

Invariant: ``offer`` never raises for a failing relay and ends at its deadline, unless a name server
hangs. A kept connection may be dead without notice, since a Lambda environment is frozen between
invocations. So its first answer gets a share of the time only, or twice the time that this relay
took last; then the same bytes go out on a new connection, once.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import (
    Pong,
    RelayConnection,
    RelayFailure,
    RelayFailureError,
    address_of,
    connect,
)
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import (
    AuthChallenge,
    Authenticate,
    EphemeralOks,
    FindStored,
    PublishAttempt,
    VerifyStored,
)
from arbiter.nostr.event import VerifiedEvent

_LOG = logging.getLogger(__name__)

_REST = Backoff(first_seconds=2.0, longest_seconds=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayClientLimits:
    """``warm_share`` is the share of the deadline for the first answer on a kept connection."""

    warm_share: float = 0.25
    rest: Backoff = _REST


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherConfig:
    """Values that all relay clients share. ``monotonic`` is the clock for rests, ``chance`` in [0,
    1).
    """

    authenticate: Authenticate | None
    counters: Counters
    unix_seconds: Callable[[], float]
    monotonic: Callable[[], float]
    chance: Callable[[], float]
    limits: RelayClientLimits


class RelayClient:
    """One relay. Threads take turns."""

    def __init__(self, url: str, config: PublisherConfig) -> None:
        address_of(url)
        self.url = url
        self._config = config
        self._turn = threading.Lock()
        self._connection: RelayConnection | None = None
        self._challenge = AuthChallenge()
        self._oks = EphemeralOks()
        self._pings = 0
        self._failures = 0
        self._rests_until = -float("inf")
        self._answered_in_seconds = 0.0

    def attempt(self, events: Mapping[str, VerifiedEvent]) -> PublishAttempt:
        """An attempt for ``offer``. ``events`` are by their ids."""
        config = self._config
        return PublishAttempt(
            self.url,
            events,
            self._challenge,
            self._oks,
            config.counters,
            config.authenticate,
            config.unix_seconds,
        )

    def offer(
        self, attempt: PublishAttempt, deadline: float, sent: Callable[[], None] = lambda: None
    ) -> None:
        """Publish until all is settled or ``deadline`` (monotonic seconds). ``sent`` is called when
        the events are on their way, and in any case at the end.
        """
        try:
            self._offer(attempt, deadline, sent)
        finally:
            sent()

    def _offer(self, attempt: PublishAttempt, deadline: float, sent: Callable[[], None]) -> None:
        ends_at = self._config.monotonic() + deadline - time.monotonic()
        if not self._turn.acquire(timeout=max(deadline - time.monotonic(), 0.0)):
            self._config.counters.add("busy")
            return
        try:
            # The thread before may have found that the relay is dead.
            if self._config.monotonic() < self._rests_until:
                self._config.counters.add("rested")
                return
            try:
                self._offer_twice(attempt, deadline, sent)
            except RelayFailureError as error:
                self._on_failure(error)
            self._note_result(attempt, ends_at)
            if attempt.was_refused_namelessly:
                self._disconnect()
        finally:
            self._turn.release()

    def ask(self, question: VerifyStored | FindStored, deadline: float) -> None:
        """Ask on a new connection, until answered or ``deadline``: a relay may show unstored events
        to the connection that sent them.
        """
        try:
            connection = connect(self.url, max(deadline - time.monotonic(), 0.0))
            try:
                connection.send(question.connected(), max(deadline - time.monotonic(), 0.0))
                while not question.is_done and (left := deadline - time.monotonic()) > 0:
                    frame = connection.receive(left)
                    if isinstance(frame, bytes):
                        question.receive(frame)
            finally:
                connection.close()
        except RelayFailureError as error:
            self._config.counters.add(f"read-back-{error.failure}")

    def close(self) -> None:
        """Disconnect. Never raises."""
        with self._turn:
            self._disconnect()

    def _offer_twice(
        self, attempt: PublishAttempt, deadline: float, sent: Callable[[], None]
    ) -> None:
        """On the kept connection, then once on a new one if that failed."""
        answer_by = deadline
        if self._connection is None:
            connection = self._connected(deadline)
        else:
            connection = self._connection
            now = time.monotonic()
            # A far relay is slow, not dead, and reconnecting would take even longer.
            share = (deadline - now) * self._config.limits.warm_share
            answer_by = min(deadline, now + max(share, 2 * self._answered_in_seconds))
        try:
            self._exchange(connection, attempt, (answer_by, deadline), sent)
        except RelayFailureError as error:
            self._on_failure(error)
        else:
            return
        self._exchange(self._connected(deadline), attempt, (deadline, deadline), sent)
        self._config.counters.add("reconnected")

    def _connected(self, deadline: float) -> RelayConnection:
        left = deadline - time.monotonic()
        if left <= 0:
            raise RelayFailureError(RelayFailure.SILENT)
        self._challenge.text = None
        self._oks.connected()
        self._connection = connect(self.url, left)
        return self._connection

    def _exchange(
        self,
        connection: RelayConnection,
        attempt: PublishAttempt,
        until: tuple[float, float],
        sent: Callable[[], None],
    ) -> None:
        """Exchange messages until all is settled or time is over. Raises on silence until the first
        of ``until``; the second is the deadline.
        """
        answer_by, deadline = until
        began = time.monotonic()
        passed_over_at = math.inf
        pong = self._send(connection, attempt, attempt.connected(), deadline)
        sent()
        while not attempt.is_done():
            ends_at = min(deadline if attempt.was_answered else answer_by, passed_over_at)
            if (left := ends_at - time.monotonic()) <= 0:
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
            connection.send(text, max(deadline - time.monotonic(), 0.0))
        if not attempt.unanswered():
            return None
        self._pings += 1
        pong = Pong(str(self._pings).encode())
        connection.ping(pong.payload, max(deadline - time.monotonic(), 0.0))
        return pong

    def _on_failure(self, error: RelayFailureError) -> None:
        self._config.counters.add(error.failure)
        _LOG.info({"relay": self.url, "trouble": error.failure})
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _note_result(self, attempt: PublishAttempt, ends_at: float) -> None:
        """A relay that answered is well; any other rests for a while, counted from ``ends_at`` at
        the latest: an environment that was frozen meanwhile finds out only when it is thawed.
        """
        if attempt.was_answered or attempt.is_done():
            self._failures = 0
            return
        self._failures += 1
        rest_seconds = self._config.limits.rest.delay_seconds(self._failures, self._config.chance())
        self._rests_until = min(self._config.monotonic(), ends_at) + rest_seconds
