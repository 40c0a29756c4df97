"""Whether a relay can be reached, for health checks."""

from arbiter.adapters.relays.connection import connect
from arbiter.adapters.relays.deadline_socket import RelayFailure, RelayFailureError
from arbiter.application.queries import RelayReach

HANDSHAKE_SECONDS = 2.0


def reach(url: str, timeout_seconds: float = HANDSHAKE_SECONDS) -> RelayReach:
    """Whether this relay accepts a websocket connection in time."""
    try:
        connect(url, timeout_seconds).close()
    except RelayFailureError as error:
        return RelayReach(url, error.failure.value)
    except ValueError:  # the configured URL is invalid
        return RelayReach(url, RelayFailure.UNREACHABLE.value)
    return RelayReach(url)
