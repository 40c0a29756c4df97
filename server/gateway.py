"""The gateway's WebSockets: from ASGI's messages to the application's `answer_frame`, and back."""

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from arbiter.application.gateway.deps import GatewayDeps
from arbiter.application.gateway.handler import admit, answer_frame, forget
from server.metrics import Metrics
from server.sockets import LocalSockets, Send, Session
from server.transaction_loop import TransactionLoop

_log = logging.getLogger("arbiter")

_CONNECTION_ID_BYTES = 12

_TOO_MANY: tuple[dict[str, Any], ...] = (
    {"type": "websocket.http.response.start", "status": 429, "headers": []},
    {"type": "websocket.http.response.body", "body": b""},
)

Receive = Callable[[], Awaitable[dict[str, Any]]]


class Gateway:
    """Serves one socket a call."""

    def __init__(
        self,
        deps: GatewayDeps,
        sockets: LocalSockets,
        transactions: TransactionLoop,
        metrics: Metrics,
    ) -> None:
        self._deps = deps
        self._sockets = sockets
        self._transactions = transactions
        self._metrics = metrics

    async def serve(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Let the socket in, answer its frames one after the other, and forget it."""
        await receive()
        connection_id = secrets.token_urlsafe(_CONNECTION_ID_BYTES)
        client = scope.get("client")
        if not admit(self._deps, connection_id, client[0] if client else ""):
            self._note(connection_id, "refused-rate-limited")
            for message in _TOO_MANY:
                await send(message)
            return
        session = Session(send)
        try:
            await send({"type": "websocket.accept"})
            self._sockets.add(connection_id, session)
            self._note(connection_id, "opened")
            await self._converse(connection_id, session, receive)
        except OSError:
            pass  # it went away while it was let in
        finally:
            session.is_closed = True
            self._sockets.remove(connection_id)
            forget(self._deps, connection_id)
            self._note(connection_id, "closed")

    async def _converse(self, connection_id: str, session: Session, receive: Receive) -> None:
        while (message := await receive())["type"] == "websocket.receive":
            # Until there is room, this socket is not read.
            await self._transactions.wait_for_room()
            text: str | None = message.get("text")
            self._answer(connection_id, message["bytes"] if text is None else text)
            if session.is_closed or session.is_behind:
                await session.wait_drained()
            if session.is_closed:
                return

    def _answer(self, connection_id: str, frame: str | bytes) -> None:
        try:
            answered = answer_frame(self._deps, connection_id, frame)
        finally:
            self._sockets.held = None
        if answered.failure:
            self._metrics.count("GatewayFaults")
            named = {"connection": connection_id, "event": answered.event_id}
            _log.error({"status": "failed", **named}, exc_info=answered.failure)
        else:
            self._note(connection_id, answered.status, answered.event_id)

    def _note(self, connection_id: str, status: str, event_id: str = "") -> None:
        """Count it, and log one line of ids and a reason, never a stranger's text."""
        self._metrics.count("Frames", status=status)
        _log.info({"status": status, "connection": connection_id, "event": event_id})
