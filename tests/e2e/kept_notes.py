"""The note (kind 64) of a finished game, as a relay keeps it for everybody."""

import json
from typing import Any

from websockets.sync.client import connect

_LIMIT_SECONDS = 30.0
_SUBSCRIPTION = "note"


def kept_note(relay: str, server: str, game_id: str) -> dict[str, Any]:
    """The event; waits for one that is yet to come."""
    wanted = {"kinds": [64], "authors": [server], "#d": [game_id]}
    with connect(relay, open_timeout=_LIMIT_SECONDS) as socket:
        socket.send(json.dumps(["REQ", _SUBSCRIPTION, wanted]))
        while True:
            match json.loads(socket.recv(_LIMIT_SECONDS)):
                case ["EVENT", "note", dict() as event]:
                    return event
                case ["CLOSED", *_] as closed:
                    raise AssertionError(closed)
                case _:
                    continue
