"""The open sockets of our gateway, through API Gateway's @connections.

Invariant: a socket that is gone is a result, not an error. A client that does not read is
disconnected: a player must not delay what is behind their message, and can reconnect. But API
Gateway says the same of its own haste, so a socket is closed only when others take what they are
sent and it refused again and again. A message that botocore sends twice is harmless.
"""

import contextlib
from collections.abc import Callable
from threading import Lock
from typing import Any
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.adapters.signed_calls import Service
from arbiter.application.connections import SocketBusy

MAX_MESSAGE_BYTES = 128 * 1024
"""API Gateway's limit. It splits a message into frames of 32 KiB itself."""

_TOO_MUCH = "LimitExceededException"
""""The client is sending more than the allowed number of requests per unit of time or the WebSocket
client side buffer is full" (API Gateway's reference). It was retried by then.
"""

MAX_REFUSALS = 3
"""Of one socket, in a row; before each another took a message, so not all are refused."""

_MAX_REMEMBERED = 1_000
"""Sockets whose refusals are remembered."""

_GONE = 410
_BAD_REQUEST = 400


class MessageTooLarge(ValueError):
    """A bug of ours: all messages that we accept or create are far smaller."""


class Management:
    """botocore's ``apigatewaymanagementapi`` client, as far as it is needed, by signed calls."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> None:  # noqa: N803
        headers = {"Content-Type": "application/octet-stream"}
        self._service.call("PostToConnection", "POST", _path(ConnectionId), headers, Data)

    def delete_connection(self, *, ConnectionId: str) -> None:  # noqa: N803
        self._service.call("DeleteConnection", "DELETE", _path(ConnectionId), {}, b"")


class ApiGatewaySockets:
    """The sockets of one WebSocket API. Thread-safe."""

    def __init__(self, client: Callable[[], Any]) -> None:
        """``client`` returns the ``Management``, or botocore's client, on first use."""
        self._client = client
        self._lock = Lock()
        self._refusals: dict[str, tuple[int, int]] = {}
        """Of each socket how many count, and how many messages were taken by all when one did."""
        self._taken = 0

    def send(self, connection_id: str, text: str) -> bool:
        """Send one text message; False if the socket is gone, invalid, or was disconnected. Raises
        SocketBusy where it may be taken later, MessageTooLarge beyond 128 KiB, and botocore's
        errors.
        """
        data = text.encode()
        if len(data) > MAX_MESSAGE_BYTES:
            raise MessageTooLarge(f"{len(data)} bytes for a socket that takes {MAX_MESSAGE_BYTES}")
        try:
            self._client().post_to_connection(ConnectionId=connection_id, Data=data)
        except ClientError as error:
            if error.response["Error"]["Code"] == _TOO_MUCH:
                if not self._does_not_read(connection_id):
                    raise SocketBusy(connection_id) from error
                with contextlib.suppress(ClientError, BotoCoreError):
                    self.close(connection_id)
            elif not _is_gone(error):
                raise
            return False
        with self._lock:
            self._taken += 1
            self._refusals.pop(connection_id, None)
        return True

    def _does_not_read(self, connection_id: str) -> bool:
        """Count a refusal, and judge by those before it."""
        with self._lock:
            number, taken_before = self._refusals.pop(connection_id, (0, -1))
            number += self._taken > taken_before
            if number >= MAX_REFUSALS:
                return True
            self._refusals[connection_id] = number, self._taken
            if len(self._refusals) > _MAX_REMEMBERED:
                del self._refusals[next(iter(self._refusals))]
            return False

    def close(self, connection_id: str) -> None:
        """Disconnect the socket, if it exists. Raises botocore's errors."""
        try:
            self._client().delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            if not _is_gone(error):
                raise


def _path(connection_id: str) -> str:
    return f"/@connections/{quote(connection_id, safe='')}"


def _is_gone(error: ClientError) -> bool:
    # 410 for a closed socket; 400 for an id that API Gateway never issued, the only invalid request
    # that we can make.
    status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status in {_GONE, _BAD_REQUEST}
