"""The publisher's line to one relay: a warm connection, and a rest for a relay that failed.

The law: `offer` never raises for trouble with the relay and is over at its deadline, but for a name
server that hangs. A connection that was kept may be dead without knowing it (a Lambda environment
is frozen between two invocations, and the relay goes on without it), so the first answer on it is
awaited for a share of the time only, or twice as long as this relay took the last time; then the
same bytes go out on a new one, once.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.connection import RelayConnection, connect
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.deadline_socket import RelayFailure, RelayFailureError, address_of
from arbiter.adapters.relays.publish_attempt import (
    Authenticate,
    Challenge,
    PublishAttempt,
    VerifyStored,
)

_LOG = logging.getLogger(__name__)

_REST = Backoff(first_seconds=2.0, longest_seconds=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayClientLimits:
    """``warm_share`` of the deadline is what a kept connection gets for its first answer."""

    warm_share: float = 0.25
    rest: Backoff = _REST


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherConfig:
    """What lines have in common. ``monotonic`` is the clock of rests, ``chance`` in [0, 1)."""

    authenticate: Authenticate | None
    tally: Counters
    unix_seconds: Callable[[], float]
    monotonic: Callable[[], float]
    chance: Callable[[], float]
    limits: RelayClientLimits


class RelayClient:
    """One relay. Threads take turns."""

    def __init__(self, url: str, around: PublisherConfig) -> None:
        address_of(url)
        self.url = url
        self._around = around
        self._turn = threading.Lock()
        self._connection: RelayConnection | None = None
        self._challenge = Challenge()
        self._failures = 0
        self._rests_until = -float("inf")
        self._answered_in_seconds = 0.0

    def offering(self, frames: Mapping[str, str]) -> PublishAttempt:
        """What `offer` will work on: EVENT messages by event id."""
        around = self._around
        return PublishAttempt(
            self.url,
            frames,
            self._challenge,
            around.tally,
            around.authenticate,
            around.unix_seconds,
        )

    def offer(self, offering: PublishAttempt, deadline: float) -> None:
        """Offer it until all is settled or the (real) monotonic ``deadline``."""
        if not self._turn.acquire(timeout=max(deadline - time.monotonic(), 0.0)):
            self._around.tally.add("busy")
            return
        try:
            # Whoever had the turn before may have found out that the relay is dead.
            if self._around.monotonic() < self._rests_until:
                self._around.tally.add("rested")
                return
            try:
                self._offer_twice(offering, deadline)
            except RelayFailureError as error:
                self._meet(error)
            self._judge(offering)
            if offering.was_refused_namelessly:
                self._hang_up()
        finally:
            self._turn.release()

    def ask(self, question: VerifyStored, deadline: float) -> None:
        """Ask on a connection of its own, until it is answered or the (real) ``deadline``.

        What a connection wrote, the relay may show to that connection alone.
        """
        try:
            connection = connect(self.url, max(deadline - time.monotonic(), 0.0))
            try:
                connection.send(question.opened(), max(deadline - time.monotonic(), 0.0))
                while not question.is_done and (left := deadline - time.monotonic()) > 0:
                    frame = connection.receive(left)
                    if isinstance(frame, bytes):
                        question.heard(frame)
            finally:
                connection.close()
        except RelayFailureError as error:
            self._around.tally.add(f"read-back-{error.trouble}")

    def close(self) -> None:
        """Hang up. Never raises."""
        with self._turn:
            self._hang_up()

    def _offer_twice(self, offering: PublishAttempt, deadline: float) -> None:
        """On the connection there is, then on one new one if that was dead or died."""
        answer_by = deadline
        if self._connection is None:
            connection = self._dialled(deadline)
        else:
            connection = self._connection
            now = time.monotonic()
            # A far relay is no dead one, and dialling it anew would take longer still.
            share = (deadline - now) * self._around.limits.warm_share
            answer_by = min(deadline, now + max(share, 2 * self._answered_in_seconds))
        try:
            self._exchange(connection, offering, answer_by, deadline)
        except RelayFailureError as error:
            self._meet(error)
        else:
            return
        self._exchange(self._dialled(deadline), offering, deadline, deadline)
        self._around.tally.add("reconnected")

    def _dialled(self, deadline: float) -> RelayConnection:
        left = deadline - time.monotonic()
        if left <= 0:
            raise RelayFailureError(RelayFailure.SILENT)
        self._challenge.text = None
        self._connection = connect(self.url, left)
        return self._connection

    def _exchange(
        self,
        connection: RelayConnection,
        offering: PublishAttempt,
        answer_by: float,
        deadline: float,
    ) -> None:
        """Talk until all is settled or time is over; silence until ``answer_by`` is trouble."""
        began = time.monotonic()
        for text in offering.opened():
            connection.send(text, max(deadline - time.monotonic(), 0.0))
        while not offering.is_done():
            left = (deadline if offering.was_answered else answer_by) - time.monotonic()
            if left <= 0:
                if offering.was_answered:
                    return
                raise RelayFailureError(RelayFailure.SILENT)
            frame = connection.receive(left)
            was_silent = not offering.was_answered
            if isinstance(frame, bytes):
                for text in offering.heard(frame):
                    connection.send(text, max(deadline - time.monotonic(), 0.0))
            if was_silent and offering.was_answered:
                self._answered_in_seconds = time.monotonic() - began

    def _meet(self, error: RelayFailureError) -> None:
        self._around.tally.add(error.trouble)
        _LOG.info({"relay": self.url, "trouble": error.trouble})
        self._hang_up()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _judge(self, offering: PublishAttempt) -> None:
        """A relay that answered anything is well; any other is left alone for a while."""
        if offering.was_answered or offering.is_done():
            self._failures = 0
            return
        self._failures += 1
        rest_seconds = self._around.limits.rest.delay_seconds(self._failures, self._around.chance())
        self._rests_until = self._around.monotonic() + rest_seconds
