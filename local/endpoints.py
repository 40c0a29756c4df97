"""`endpoints.json`: the addresses of a running arbiter.

Invariant: the file exists exactly while the arbiter is ready. It is written last, atomically, and
removed first. A key whose part does not exist is absent, never null.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.house import HousePlayer, house_json

_NAME = "endpoints.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Addresses of a running arbiter. ``aws`` is the emulator's endpoint URL; ``http`` and
    ``websocket`` are the HTTP API and the arbiter's own relay, ``house`` its house players, where
    there are such.
    """

    server_pubkey: str
    npub: str
    relays: tuple[str, ...]
    aws: str
    http: str | None = None
    websocket: str | None = None
    house: tuple[HousePlayer, ...] = ()

    def to_json(self) -> Mapping[str, object]:
        """The file's content."""
        urls = {"http": self.http, "websocket": self.websocket}
        return {
            "server_pubkey": self.server_pubkey,
            "npub": self.npub,
            "relays": list(self.relays),
            **{name: url for name, url in urls.items() if url is not None},
            "aws": self.aws,
            **({"house": house_json(self.house)} if self.house else {}),
        }


def endpoints_path(run_dir: Path) -> Path:
    """Where the file lies in a run's folder."""
    return run_dir / _NAME


def write_endpoints(run_dir: Path, endpoints: Endpoints) -> None:
    """Say that the arbiter is ready. Atomic: a reader sees all of it or none."""
    path = endpoints_path(run_dir)
    draft = path.with_suffix(".json.new")
    draft.write_text(json.dumps(endpoints.to_json(), indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def remove_endpoints(run_dir: Path) -> None:
    """Say that it is not, or no longer; no matter whether it was."""
    endpoints_path(run_dir).unlink(missing_ok=True)
