"""A publisher for tests, and two events for it."""

from collections.abc import Iterator
from contextlib import contextmanager

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.publish_attempt import Authenticate
from arbiter.adapters.relays.publisher import Publisher, PublishReport
from arbiter.adapters.relays.relay_client import RelayClientLimits
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.relay_messages import PublishStatus
from tests.adapters.relays.watching import a_move
from tests.builders import SERVER
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay

ONE, TWO = a_move("e2e4", by=SERVER), a_move("e7e5", by=SERVER)
SOON_SECONDS = 1.0
"""A deadline that is meant to pass, but not before a well relay on a busy machine has answered."""


class Seconds:
    """A clock for rests that stands still."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def publishing(
    *urls: str,
    authenticate: Authenticate | None = None,
    monotonic: Seconds | None = None,
    settle_seconds: float = PATIENCE_SECONDS,
) -> Iterator[Publisher]:
    publisher = Publisher(
        urls,
        authenticate=authenticate,
        monotonic=monotonic or Seconds(),
        chance=lambda: 1.0,
        settle_seconds=settle_seconds,
        limits=RelayClientLimits(
            warm_share=0.25, rest=Backoff(first_seconds=2.0, longest_seconds=30.0)
        ),
    )
    try:
        yield publisher
    finally:
        publisher.close()


def published(
    publisher: Publisher,
    *events: VerifiedEvent,
    deadline_seconds: float = PATIENCE_SECONDS,
) -> PublishReport:
    return publisher.publish(events or (ONE,), deadline_seconds)


def statuses(report: PublishReport, event: VerifiedEvent = ONE) -> list[PublishStatus]:
    return list(report.statuses[event.id].values())


def a_dead_url() -> str:
    with FakeRelay() as relay:
        return relay.url
