"""`endpoints.json`: the addresses of a running arbiter. Invariant: it exists exactly while the
arbiter is ready: written last, atomically, and removed first. Absent keys are never null.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.house import HousePlayer, house_json
from arbiter.nostr.nip19 import encode_npub

_NAME = "endpoints.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Addresses of a running arbiter, as far as it has them, and the server's ``pid``."""

    server_pubkey: str
    relays: tuple[str, ...]
    http: str | None = None
    websocket: str | None = None
    web: str | None = None
    aws: str | None = None
    house: tuple[HousePlayer, ...] = ()
    pid: int | None = None

    def to_json(self) -> Mapping[str, object]:
        told = {
            "server_pubkey": self.server_pubkey,
            "npub": encode_npub(self.server_pubkey),
            "relays": list(self.relays),
            "http": self.http,
            "websocket": self.websocket,
            "web": self.web,
            "aws": self.aws,
            "house": house_json(self.house) if self.house else None,
            "pid": self.pid,
        }
        return {name: value for name, value in told.items() if value is not None}


def endpoints_path(run_dir: Path) -> Path:
    return run_dir / _NAME


def write_endpoints(path: Path, told: Mapping[str, object]) -> None:
    """Say that the arbiter is ready, atomically."""
    draft = path.with_suffix(".json.new")
    draft.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def remove_endpoints(run_dir: Path) -> None:
    """Say that it is not, or no longer; no matter whether it was."""
    endpoints_path(run_dir).unlink(missing_ok=True)
