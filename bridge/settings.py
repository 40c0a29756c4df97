"""The bridge's environment variables; the arbiter's own are read by `arbiter.config`."""

import re
from collections.abc import Mapping
from pathlib import Path

from arbiter.nostr.nip19 import pubkey_in
from bridge.peer_process import PeerSettings
from server.key import ServerKey, load_key

DEFAULT_PORT = 8008
"""The usual port of Scuttlebutt's peers."""

DEFAULT_DIRECTORY = "~/.config/arbiter/scuttlebutt"

_ADDRESS = re.compile(r"net:[^\s,~]{1,255}~shs:[A-Za-z0-9+/]{43}=")
_URL = re.compile(r"https?://(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(?::[0-9]{1,5})?(?:/[^\s?#]*)?")
_CAPS = re.compile(r"[A-Za-z0-9+/]{43}=")


class UnusableSetting(Exception):
    """A setting is unusable; the text is one line for the operator."""


def peers_from(text: str) -> tuple[str, ...]:
    """Multiserver addresses, comma-separated; UnusableSetting if one of them is none."""
    peers = tuple(filter(None, map(str.strip, text.split(","))))
    for address in peers:
        if not _ADDRESS.fullmatch(address):
            raise UnusableSetting(
                f"SSB_PEERS names {address!r}: net:HOST:PORT~shs:KEY was expected"
            )
    return peers


def caps_from(text: str) -> str:
    """A private network's key, base64 of 32 bytes, or "" for the public. Raises UnusableSetting."""
    if text and not _CAPS.fullmatch(text):
        raise UnusableSetting("SSB_CAPS is no use: the base64 of 32 bytes was expected")
    return text


def server_url(environment: Mapping[str, str]) -> str:
    """The URL of `arbiter serve`, or "" for an arbiter in the cloud. Raises UnusableSetting."""
    url = environment.get("ARBITER_URL", "").rstrip("/")
    if url and not _URL.fullmatch(url):
        raise UnusableSetting(f"ARBITER_URL={url} is no http:// or https:// URL")
    return url


def server_pubkey(environment: Mapping[str, str]) -> str:
    """The public key (64 hex) of the arbiter that envelopes are for. Raises UnusableSetting."""
    found = pubkey_in(environment.get("SERVER_PUBKEY", ""))
    if found is None:
        raise UnusableSetting("SERVER_PUBKEY is to be the arbiter's npub1…: `arbiter key` shows it")
    return found


def dead_letters(environment: Mapping[str, str]) -> str:
    return environment["SSB_DEAD_LETTERS_URL"]


def peer_settings(environment: Mapping[str, str]) -> PeerSettings:
    port = environment.get("SSB_PORT") or str(DEFAULT_PORT)
    if not (port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise UnusableSetting(f"SSB_PORT={port} is no port")
    return PeerSettings(
        directory=Path(environment.get("SSB_DIR") or DEFAULT_DIRECTORY).expanduser(),
        host=environment.get("SSB_HOST") or "127.0.0.1",
        port=int(port),
        peers=peers_from(environment.get("SSB_PEERS", "")),
        caps=caps_from(environment.get("SSB_CAPS", "")),
    )


def load_bridge_key(directory: Path) -> ServerKey:
    """The only key whose envelopes the arbiter accepts, made with its folder if missing."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return load_key(directory / "bridge.key")
