"""The gateway's WebSockets: from ASGI's messages to the application's `answer_frame`, and back."""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from arbiter.application.connections import network_of
from arbiter.application.gateway.deps import FrameResult, GatewayDeps, StoredAsked
from arbiter.application.gateway.handler import admit, answer_frame, forget
from arbiter.application.gateway.subscriptions import ASK_LATER, stored_texts
from arbiter.nostr.client_messages import closed_text
from server.bounded_socket import BoundedSocket
from server.limits import MAX_SOCKETS_OF_ADDRESS
from server.metrics import Metrics
from server.reading import ReaderFailed, Reading, TooMuch
from server.rounds import Rounds
from server.sockets import LocalSockets, Send, Session
from server.spending import Meter
from server.transaction_loop import TransactionLoop

_log = logging.getLogger("arbiter")

_CONNECTION_ID_BYTES = 12

_TOO_MANY: tuple[dict[str, Any], ...] = (
    {"type": "websocket.http.response.start", "status": 429, "headers": []},
    {"type": "websocket.http.response.body", "body": b""},
)

_FAULT = "error: a fault of ours: ask again"

FRAMES_FIRST, FIRST_SECONDS = 40, 10.0
"""Frames of a player's socket in so many seconds that are not a stranger's: more than a person
sends. Keys that play among themselves gain no more.
"""
SLOWED_SECONDS = 0.25
"""Pause of a stranger's socket after a frame that is one too many of its address: a refusal takes
as long as an answer.
"""
_PLAYS = {"queued", "chat", "authenticated"}
"""The results of frames after which their sender is a stranger no more."""

Receive = Callable[[], Awaitable[dict[str, Any]]]


class _First:
    """The frames of one socket that may still be first."""

    __slots__ = ("_left", "_seconds", "_until")

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds, self._left, self._until = seconds, 0, 0.0

    def take(self) -> bool:
        if (now := self._seconds()) >= self._until:
            self._left, self._until = FRAMES_FIRST, now + FIRST_SECONDS
        self._left -= 1
        return self._left >= 0


class Gateway:
    """Serves one socket a call."""

    def __init__(
        self,
        deps: GatewayDeps,
        sockets: LocalSockets,
        transactions: TransactionLoop,
        metrics: Metrics,
        reading: Reading,
        rounds: Rounds,
        meter: Meter,
    ) -> None:
        """``rounds`` are those of strangers."""
        self._meter = meter
        self._deps = deps
        self._sockets = sockets
        self._transactions = transactions
        self._metrics = metrics
        self._reading = reading
        self._rounds = rounds
        self._open_from: Counter[str] = Counter()

    async def serve(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Let the socket in, answer its frames one after the other, and forget it."""
        await receive()
        connection_id = secrets.token_urlsafe(_CONNECTION_ID_BYTES)
        client = scope.get("client")
        address = client[0] if client else ""
        network = network_of(address)
        if limit := self._exceeded(connection_id, address, network):
            self._metrics.count("Refused", limit=limit)
            self._note(connection_id, "refused-rate-limited")
            for message in _TOO_MANY:
                await send(message)
            return
        connection = scope.get("extensions", {}).get("arbiter.edge")
        session = Session(send, connection)
        self._open_from[network] += 1
        try:
            await send({"type": "websocket.accept"})
            self._sockets.add(connection_id, session)
            self._note(connection_id, "opened")
            await self._converse(connection_id, network, session, receive, connection)
        except OSError:
            pass  # it went away while it was let in
        finally:
            session.is_closed = True
            self._sockets.remove(connection_id)
            forget(self._deps, connection_id)
            self._open_from[network] -= 1
            if not self._open_from[network]:
                del self._open_from[network]
            self._note(connection_id, "closed")

    def _exceeded(self, connection_id: str, address: str, network: str) -> str:
        """The name of the limit on sockets that is exceeded; empty if it is let in."""
        if self._open_from[network] >= MAX_SOCKETS_OF_ADDRESS:
            return "sockets_of_address"
        is_admitted = admit(self._deps, connection_id, address)
        return "" if is_admitted else "address_connections_per_minute"

    async def _converse(
        self,
        connection_id: str,
        address: str,
        session: Session,
        receive: Receive,
        connection: BoundedSocket | None,
    ) -> None:
        group, first = "", _First(asyncio.get_running_loop().time)
        while (message := await receive())["type"] == "websocket.receive":
            # What a frame waits for from here on is our delay, which no clock counts.
            received_at_ms = self._deps.clock.now_ms()
            # Until there is room, this socket is not read.
            await self._transactions.wait_for_room()
            text: str | None = message.get("text")
            frame: str | bytes = message["bytes"] if text is None else text
            is_player = self._transactions.groups.is_first(group) and first.take()
            answer = partial(self._answer, connection_id, frame, received_at_ms)
            work = partial(self._meter.timed, address, answer)
            answered = work() if is_player else await self._rounds.do(address, work)
            group = answered.group or group
            if connection is not None and answered.status in _PLAYS:
                connection.is_known()
            if answered.asked is not None:
                await self._show(connection_id, answered.asked, is_player=is_player)
            if session.is_closed or session.is_behind:
                await session.wait_drained()
            if session.is_closed:
                return
            if answered.limit == "address_frames_per_ten_seconds" and not is_player:
                await asyncio.sleep(SLOWED_SECONDS)

    async def _show(self, connection_id: str, asked: StoredAsked, *, is_player: bool) -> None:
        """Send the stored events that a REQ asks for; its socket is not read before."""
        try:
            events = await self._reading.ask(asked, asked.keys, is_player=is_player)
            texts = stored_texts(asked.subscription_id, events)
        except (TooMuch, ReaderFailed) as refused:
            self._deps.connections.unsubscribe(connection_id, asked.subscription_id)
            text = ASK_LATER if isinstance(refused, TooMuch) else _FAULT
            texts = (closed_text(asked.subscription_id, text),)
        for text in texts:
            self._sockets.send(connection_id, text)

    def _answer(self, connection_id: str, frame: str | bytes, received_at_ms: int) -> FrameResult:
        try:
            answered = answer_frame(self._deps, connection_id, frame, received_at_ms)
        finally:
            self._sockets.held = None
        if answered.limit:
            self._metrics.count("Refused", limit=answered.limit)
        if answered.failure:
            self._metrics.count("GatewayFaults")
            named = {"connection": connection_id, "event": answered.event_id}
            named |= {"game": answered.game_id} if answered.game_id else {}
            _log.error({"status": "failed", **named}, exc_info=answered.failure)
        else:
            self._note(connection_id, answered.status, answered.event_id)
        return answered

    def _note(self, connection_id: str, status: str, event_id: str = "") -> None:
        """Count it, and log ids and a reason, never a stranger's text."""
        self._metrics.count("Frames", status=status)
        if status != "queued":
            _log.info({"status": status, "connection": connection_id, "event": event_id})
