"""Where to play, as the endpoints file of a running arbiter says it."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What the endpoints file says, as far as a player needs it."""

    server: str
    npub: str
    relays: tuple[str, ...]
    http: str
    websocket: str


def read_endpoints(path: Path) -> Endpoints:
    """What the file at this path says; a door that it does not name is empty."""
    told = json.loads(path.read_text(encoding="utf-8"))
    return Endpoints(
        server=told["server_pubkey"],
        npub=told["npub"],
        relays=tuple(told["relays"]),
        http=told.get("http", ""),
        websocket=told.get("websocket", ""),
    )
