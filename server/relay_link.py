"""One connection to one relay for all that is published there; `PublishAttempt` decides.

Invariant: a relay's failures are never raised; what is unsettled goes by the next connection.
"""

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from arbiter.adapters.relays.backoff import Backoff
from arbiter.adapters.relays.counters import Counters
from arbiter.adapters.relays.publish_attempt import Authenticate, PublishAttempt, RelayState
from arbiter.nostr.event import VerifiedEvent
from arbiter.nostr.limits import MAX_FRAME_BYTES
from arbiter.nostr.relay_messages import PublishStatus, event_message

_log = logging.getLogger("arbiter")

_CONNECT_SECONDS = 5.0
_STEADY_SECONDS = 30.0
_QUIET_SECONDS, _ANSWER_SECONDS = 4.0, 3.0
"""A relay that was not heard for so long is pinged, and left if it stays silent."""
_REST = Backoff(first_seconds=1.0, longest_seconds=30.0)

Settled = asyncio.Future[PublishStatus]


class _Connect(connect):
    """Follows no redirect: only configured relays are connected to."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class RelayLink:
    """One relay."""

    def __init__(
        self,
        url: str,
        authenticate: Authenticate,
        connected: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``connected`` is called with the URL at each new connection."""
        self.url = url
        self._connected = connected
        self._events: dict[str, VerifiedEvent] = {}
        self._waiting: dict[str, Settled] = {}
        self._relay = RelayState(
            url=url, counters=Counters(), authenticate=authenticate, unix_seconds=time.time
        )
        self._attempt = PublishAttempt(self._relay, self._events)
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket: ClientConnection | None = None
        self._heard = 0.0
        self._serving = asyncio.get_running_loop().create_task(self._serve())

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, event: VerifiedEvent) -> Settled:
        if (settled := self._waiting.get(event.id)) is not None:
            return settled
        settled = asyncio.get_running_loop().create_future()
        self._waiting[event.id], self._events[event.id] = settled, event
        if self._socket is not None:
            self._sending(self._socket, (event_message(event),), (event.id,))
        return settled

    def give_up(self, event_id: str) -> None:
        self._settle(event_id, PublishStatus.RETRY)

    async def close(self) -> None:
        self._serving.cancel()
        with suppress(asyncio.CancelledError):
            await self._serving

    async def _serve(self) -> None:
        failures = 0
        while True:
            began = time.monotonic()
            try:
                await self._converse()
            except (OSError, TimeoutError, WebSocketException) as trouble:
                _log.info({"relay": self.url, "trouble": type(trouble).__name__})
            except Exception as bug:  # noqa: BLE001 - the link must outlive it
                _log.error({"relay": self.url, "trouble": "bug"}, exc_info=bug)
            finally:
                self._socket = None
            failures = 0 if time.monotonic() - began > _STEADY_SECONDS else failures + 1
            await asyncio.sleep(_REST.delay_seconds(failures, random.random()))  # noqa: S311 - no secret

    async def _converse(self) -> None:
        self._relay.connected()
        async with _Connect(
            self.url,
            open_timeout=_CONNECT_SECONDS,
            close_timeout=1,
            max_size=MAX_FRAME_BYTES,
            compression=None,
            ping_interval=None,
            proxy=None,
        ) as socket:
            self._socket, self._heard = socket, time.monotonic()
            self._connected(self.url)
            self._sending(socket, self._attempt.connected(), (*self._events,))
            watching = asyncio.get_running_loop().create_task(self._watch(socket))
            try:
                async for frame in socket:
                    self._heard = time.monotonic()
                    octets = frame.encode() if isinstance(frame, str) else frame
                    if texts := self._attempt.receive(octets):
                        self._sending(socket, texts, (*self._events,))
                    self._settle_answered()
            finally:
                watching.cancel()

    async def _watch(self, socket: ClientConnection) -> None:
        """End the connection once it is silent. Any frame shows life, as a pong may be late."""
        with suppress(OSError, WebSocketException):
            while True:
                await asyncio.sleep(self._heard + _QUIET_SECONDS - time.monotonic())
                asked = time.monotonic()
                if asked - self._heard < _QUIET_SECONDS:
                    continue
                pong = asyncio.ensure_future(await socket.ping())
                await asyncio.wait((pong,), timeout=_ANSWER_SECONDS)
                if pong.done():
                    self._heard = time.monotonic()
                elif self._heard < asked:
                    socket.transport.abort()
                    return

    def _sending(
        self, socket: ClientConnection, texts: Sequence[str], event_ids: Sequence[str]
    ) -> None:
        """Send these texts, and find out whether these events were read if no OK may come."""

        async def send() -> None:
            # A connection that ends is noticed by who reads it, and all is sent again.
            with suppress(OSError, WebSocketException):
                for text in texts:
                    await socket.send(text)
                if self._attempt.unanswered():
                    await (await socket.ping())
                    await asyncio.sleep(self._attempt.was_read())
                    self._attempt.pass_over(event_ids)
                    self._settle_answered()

        task = asyncio.get_running_loop().create_task(send())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _settle_answered(self) -> None:
        for event_id, status in [*self._attempt.settled.items()]:
            self._settle(event_id, status)

    def _settle(self, event_id: str, status: PublishStatus) -> None:
        self._events.pop(event_id, None)
        self._attempt.forget(event_id)
        settled = self._waiting.pop(event_id, None)
        if settled is not None and not settled.done():
            settled.set_result(status)
