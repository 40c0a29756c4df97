"""The one exception of this package: a relay cannot be used right now.

The law: its text is one of our words. What the relay said, its headers included, never gets into an
exception, for exceptions get into logs.
"""

from enum import StrEnum


class RelayFailure(StrEnum):
    """Why a connection to a relay is of no more use."""

    UNREACHABLE = "unreachable"
    """No TCP or TLS connection came about in time."""
    NO_WEBSOCKET = "no-websocket"
    """Something answered, but not with a websocket handshake; a redirect is this too."""
    ENDED = "ended"
    """The relay closed the connection, or the network lost it."""
    TOO_LARGE = "too-large"
    """A message was announced that no honest relay would pass on, for its size."""
    NOT_THE_PROTOCOL = "not-the-protocol"
    """The frames are not RFC 6455's."""
    STUCK = "stuck"
    """It did not take what we sent in time."""
    SILENT = "silent"
    """It left a ping or a subscription unanswered."""
    LOOPBACK_LOST = "canary-lost"
    """It answers, and did not bring back what was published there to see whether it would."""
    HOSTILE = "hostile"
    """It sent more junk than an honest relay would pass on."""


class RelayFailureError(Exception):
    """A relay cannot be used right now; ``trouble`` says in one word why."""

    def __init__(self, trouble: RelayFailure) -> None:
        super().__init__(trouble.value)
        self.trouble = trouble
