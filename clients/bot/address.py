"""The arbiter's address: as given, or that of `make run` on this machine."""

import json
import os
from pathlib import Path

from arbiter.nostr.nip19 import pubkey_in

RUN_DIR = ".run"
RUN_HELP = "with commas between them; those of `make run` if not given"


def run_dir() -> Path:
    return Path(os.environ.get("RUN_DIR") or RUN_DIR)


def address(relays: str | None, server: str | None) -> tuple[str, tuple[str, ...]]:
    """The arbiter's key and its relays.

    Raises:
        ValueError: saying what to give.
    """
    if relays or server:
        if not (relays and server):
            raise ValueError("give both RELAYS=wss://… and SERVER=npub…")
        arbiter = pubkey_in(server)
        if arbiter is None:
            raise ValueError("SERVER is neither an npub nor 64 hexadecimal characters")
        urls = tuple(url.strip() for url in relays.split(",") if url.strip())
        if not urls or not all(url.startswith(("ws://", "wss://")) for url in urls):
            raise ValueError(
                "RELAYS is a list of ws:// or wss:// addresses with commas between them"
            )
        return arbiter, urls
    path = run_dir() / "endpoints.json"
    try:
        endpoints = json.loads(path.read_text())
        return str(endpoints["server_pubkey"]), tuple(map(str, endpoints["relays"]))
    except FileNotFoundError:
        raise ValueError(
            f"there is no {path}: start `make run`, or give RELAYS=… SERVER=npub…"
        ) from None
    except (OSError, ValueError, KeyError, TypeError):
        raise ValueError(f"{path} cannot be read: stop `make run` and start it again") from None
