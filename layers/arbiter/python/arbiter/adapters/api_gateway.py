"""Our gateway's open sockets, reached through API Gateway's @connections.

The law: **a socket that is gone is an answer, not an error.** People close their laptops in the
middle of a game, and nobody is told for as long as ten minutes; whoever sends hears it first.

**And whoever does not read is hung up on.** API Gateway keeps so much for a client and then refuses
more. Had we to wait for him, a player who stops reading could have every move of his game, or every
request to play, wait behind the frame that he does not take. He may come back and ask.

A message sent twice, because botocore tried again after a time-out, is harmless: it is a Nostr
event, and clients know those by their id.
"""

import contextlib
from collections.abc import Callable
from typing import Any, Protocol

from botocore.exceptions import BotoCoreError, ClientError

MAX_MESSAGE_BYTES = 128 * 1024
"""API Gateway's own limit on a message. It cuts one into frames of 32 KiB by itself."""

_DOES_NOT_READ = "LimitExceededException"
"""botocore's description: "the WebSocket client side buffer is full", or too much was sent to him
in too short a time. It has been tried again by then, with pauses."""

_GONE = 410
_BAD_REQUEST = 400


class MessageTooLarge(ValueError):
    """A bug of ours: whatever we let in or make is far smaller."""


class Management(Protocol):
    """What is used of botocore's ``apigatewaymanagementapi`` client."""

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> Any:  # noqa: ANN401, N803
        """Send one message."""
        ...

    def delete_connection(self, *, ConnectionId: str) -> Any:  # noqa: ANN401, N803
        """Hang up."""
        ...


class ApiGatewaySockets:
    """The sockets of one WebSocket API. Threads may share it."""

    def __init__(self, client: Callable[[], Management]) -> None:
        """``client`` makes or returns the client when it is first needed."""
        self._client = client

    def send(self, connection_id: str, text: str) -> bool:
        """Send one text frame; False when the socket is gone, can be none, or was hung up on
        because its client does not read.

        MessageTooLarge for more than 128 KiB, which are not sent; botocore's errors for
        infrastructure, a throttled or a forbidden call among it.
        """
        data = text.encode()
        if len(data) > MAX_MESSAGE_BYTES:
            raise MessageTooLarge(f"{len(data)} bytes for a socket that takes {MAX_MESSAGE_BYTES}")
        try:
            self._client().post_to_connection(ConnectionId=connection_id, Data=data)
        except ClientError as error:
            if error.response["Error"]["Code"] == _DOES_NOT_READ:
                with contextlib.suppress(ClientError, BotoCoreError):
                    self.close(connection_id)
            elif not _is_gone(error):
                raise
            return False
        return True

    def close(self, connection_id: str) -> None:
        """Hang up; no matter whether it is gone. Botocore's errors as above."""
        try:
            self._client().delete_connection(ConnectionId=connection_id)
        except ClientError as error:
            if not _is_gone(error):
                raise


def _is_gone(error: ClientError) -> bool:
    # 410 for a socket that was; 400 for an id that API Gateway never gave, which is all that can be
    # wrong with a request of ours.
    status: int = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status in {_GONE, _BAD_REQUEST}
