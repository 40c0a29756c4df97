"""The endpoints file of a running arbiter."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The parts of the endpoints file that a player needs."""

    server: str
    npub: str
    relays: tuple[str, ...]
    http: str
    websocket: str


def read_endpoints(path: Path) -> Endpoints:
    """The endpoints in this file; those that it does not name are empty."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Endpoints(
        server=told["server_pubkey"],
        npub=told["npub"],
        relays=tuple(told["relays"]),
        http=told.get("http", ""),
        websocket=told.get("websocket", ""),
    )
