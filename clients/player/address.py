"""The arbiter's address: as given, or that of `make run` on this machine."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.nip19 import pubkey_in

RUN_DIR = ".run"
MAX_RELAYS = 10
RELAYS_HELP = "with commas between them; those of `make run` if not given"


@dataclass(frozen=True, slots=True)
class Address:
    """The arbiter's key, the relays, and where its web client and its own relay are, if known."""

    arbiter: str
    relays: tuple[str, ...]
    web: str | None = None
    gateway: str | None = None

    @property
    def http(self) -> str | None:
        """Where the games' transcripts are: at the web client, else at the relay's own host."""
        return self.web or (self.gateway and f"http{self.gateway.removeprefix('ws')}")


def address(relays: str | None, server: str | None, run_dir: Path) -> Address:
    """The address in these settings or the file of `make run`. Raises ValueError: what to give."""
    if server and not relays:
        raise ValueError("SERVER is set but RELAYS is not: give the relays the arbiter listens on")
    if server and relays:
        return _checked(server, relays.split(","))
    path = run_dir / "endpoints.json"
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"server_pubkey": str(arbiter), "relays": list(known), **more}:
                web, named = str(more.get("web")), relays.split(",") if relays else known
                is_page = web.startswith(("http://", "https://"))
                own = more.get("websocket")
                gateway = own if isinstance(own, str) else None
                return _checked(arbiter, named, web if is_page else None, gateway)
            case _:
                pass
    except FileNotFoundError:
        raise ValueError(
            f"no arbiter here (there is no {path}): run `make run` first, "
            "or set RELAYS=wss://… and SERVER=npub1… for one elsewhere"
        ) from None
    except (OSError, ValueError):
        pass
    raise ValueError(f"{path} cannot be read: stop `make run` and start it again")


def _checked(
    server: str, relays: Sequence[str], web: str | None = None, gateway: str | None = None
) -> Address:
    arbiter = pubkey_in(server)
    if arbiter is None:
        raise ValueError("SERVER is neither an npub nor 64 hexadecimal characters")
    urls = tuple(dict.fromkeys(url.strip() for url in relays if url.strip()))[:MAX_RELAYS]
    if not urls or not all(url.startswith(("ws://", "wss://")) for url in urls):
        raise ValueError("RELAYS is a list of ws:// or wss:// addresses with commas between them")
    return Address(arbiter, urls, web, gateway)
