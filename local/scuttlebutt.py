"""The settings of a run for Scuttlebutt."""

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.settings import Misconfigured, caps_from, peers_from


@dataclass(frozen=True, slots=True)
class Scuttlebutt:
    """The multiserver addresses that our peer connects to, and the key of a private network ("":
    the public one).
    """

    peers: tuple[str, ...]
    caps: str


def scuttlebutt_from(environment: Mapping[str, str]) -> Scuttlebutt | None:
    """The choice; None where there is to be no bridge. Raises Misconfigured."""
    chosen = environment.get("SSB", "")
    if chosen not in ("", "0", "1"):
        raise Misconfigured(f"SSB={chosen} is no use: 1 starts a bridge to Scuttlebutt")
    if chosen != "1":
        return None
    return Scuttlebutt(
        peers=peers_from(environment.get("SSB_PEERS", "")),
        caps=caps_from(environment.get("SSB_CAPS", "")),
    )
