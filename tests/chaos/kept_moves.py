"""The moves that the arbiter kept of a game, as anybody may read them."""

import http.client
import time
from http import HTTPStatus

from clients.probes.endpoints import Endpoints
from clients.probes.http_client import HttpConnection

_LIMIT_SECONDS = 30.0
_POLL_SECONDS = 0.5


def kept_moves(endpoints: Endpoints, game_id: str) -> tuple[str, ...]:
    """UCI, from the first move; asked until there is an answer, for half a minute."""
    deadline = time.monotonic() + _LIMIT_SECONDS
    while True:
        connection = HttpConnection(endpoints.http)
        try:
            answer = connection.request("GET", f"/games/{game_id}")
            if answer.status == HTTPStatus.OK:
                return tuple(str(move["uci"]) for move in answer.json()["moves"])
            told: object = answer
        except (OSError, http.client.HTTPException) as error:
            told = error
        finally:
            connection.close()
        assert time.monotonic() < deadline, f"nothing to read of {game_id}: {told}"
        time.sleep(_POLL_SECONDS)
