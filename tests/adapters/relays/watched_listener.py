"""A listener that a test can watch."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.listener import Listener, ListenerLimits
from arbiter.adapters.relays.loopback_probe import LoopbackPacing
from arbiter.adapters.relays.protocol import Pacing
from arbiter.adapters.relays.sender import SenderLimits
from arbiter.application.ports import Outages, PlayersOfGames
from tests.adapters.relays.stand_ins import SystemTime, WatchedCounters, WatchedQueue
from tests.builders import SERVER
from tests.fakes.relay import PATIENCE_SECONDS, FakeRelay

AT_ONCE = Backoff(first_seconds=0.001, longest_seconds=0.001)
PATIENT = Pacing(resubscribe=AT_ONCE)
PROBING = Pacing(
    probe=LoopbackPacing(
        silence=Backoff(first_seconds=0.02, longest_seconds=0.02),
        after_loss=AT_ONCE,
        back_within_seconds=0.3,
    )
)


class WatchedListener:
    """A listener, with what a test wants to know of it."""

    def __init__(
        self,
        relays: Sequence[FakeRelay],
        pacing: Pacing,
        sender: SenderLimits,
        outages: Outages | None = None,
        games: PlayersOfGames | None = None,
    ) -> None:
        self.queue = WatchedQueue()
        self.counters = WatchedCounters()
        self.listener = Listener(
            relays=[relay.url for relay in relays],
            server_pubkey=SERVER.pubkey,
            event_queue=self.queue,
            clock=SystemTime(),
            outages=outages,
            games=games,
            chance=lambda: 0.5,
            counters=self.counters,
            limits=ListenerLimits(
                pacing=replace(pacing, reconnect=AT_ONCE),
                sender=sender,
                flush_seconds=PATIENCE_SECONDS,
            ),
        )


@contextmanager
def listening(
    *relays: FakeRelay,
    pacing: Pacing = PATIENT,
    sender: SenderLimits | None = None,
    outages: Outages | None = None,
    games: PlayersOfGames | None = None,
) -> Iterator[WatchedListener]:
    watched = WatchedListener(relays, pacing, sender or SenderLimits(), outages, games)
    watched.listener.start()
    try:
        yield watched
    finally:
        watched.queue.is_open.set()
        watched.listener.close()
