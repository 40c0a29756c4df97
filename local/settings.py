"""The settings of a run, from the environment; a wrong one is a line before anything starts."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.nostr.house import HousePlayer, house_key
from arbiter.nostr.keys import SecretKey
from bridge.peer_process import TOOL
from bridge.settings import UnusableSetting, caps_from, peers_from
from local.ports import PORTS_PER_RUN, Ports, port_base_from

ROOT = Path(__file__).resolve().parent.parent
REGION = "us-east-1"
_DEFAULT_PORT_BASE = "7100"
# The template's own pattern for its Relays parameter, one relay at a time.
_RELAY_URL = re.compile(r"wss?://[^,\s]+")
_NO_RELAY = "none"
_LEVELS = range(1, 9)
# A stack's parameter with all keys, and its functions' environment, have 4,096 bytes.
_PLAYERS_OF_A_STACK = 2
# All clients on this machine have one address, so its limit is off by default.
_REQUESTS = "REQUESTS_PER_ADDRESS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The programs a run starts. Overridden by MINISTACK, SAM and NOSTR_RELAY."""

    ministack: Path
    sam: Path
    relay: Path
    node: Path


@dataclass(frozen=True, slots=True)
class Scuttlebutt:
    """The addresses that our peer connects to, and a private network's key ("": the public)."""

    peers: tuple[str, ...]
    caps: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A run's choices. ``relays`` were chosen; without them the run starts one, or plays over its
    gateway alone. ``ssb`` is None without a bridge; ``house`` are levels of the programs.
    """

    run_dir: Path
    ports: Ports
    relays: tuple[str, ...]
    tools: Tools
    log_level: str
    gateway_alone: bool
    requests_per_address: str
    ssb: Scuttlebutt | None = None
    house: tuple[int, ...] = ()

    @property
    def starts_relay(self) -> bool:
        return not (self.relays or self.gateway_alone)

    @property
    def relay_urls(self) -> tuple[str, ...]:
        """Every relay the arbiter listens and answers on, its gateway not among them."""
        own = (f"ws://127.0.0.1:{self.ports.relay}",) if self.starts_relay else ()
        return self.relays or own

    @property
    def websocket_url(self) -> str:
        return f"ws://127.0.0.1:{self.ports.arbiter}"

    @property
    def http_url(self) -> str:
        return f"http://127.0.0.1:{self.ports.arbiter}"

    @property
    def aws_url(self) -> str:
        return f"http://127.0.0.1:{self.ports.aws}"


def settings_from(environment: Mapping[str, str]) -> Settings:
    """The settings. Raises UnusableSetting, with one line for the user."""
    port_base_text = environment.get("PORT_BASE") or _DEFAULT_PORT_BASE
    port_base = port_base_from(port_base_text)
    if port_base is None:
        raise UnusableSetting(
            f"PORT_BASE={port_base_text} is unusable: a number from 1024 with "
            f"{PORTS_PER_RUN - 1} more ports above it is needed."
        )
    relays = tuple(filter(None, map(str.strip, environment.get("RELAYS", "").split(","))))
    gateway_alone = relays == (_NO_RELAY,)
    relays = () if gateway_alone else relays
    for url in relays:
        if not _RELAY_URL.fullmatch(url):
            raise UnusableSetting(f"RELAYS names {url!r}, which is no ws:// or wss:// address.")
    if not re.fullmatch(r"[0-9]{0,9}", environment.get(_REQUESTS, "")):
        raise UnusableSetting(f"{_REQUESTS}={environment[_REQUESTS]} is not a number.")
    tools = ROOT / ".venv" / "tools"
    return Settings(
        run_dir=Path(environment.get("RUN_DIR") or ".run").resolve(),
        ports=Ports.counted_from(port_base),
        relays=relays,
        tools=Tools(
            ministack=Path(environment.get("MINISTACK") or tools / "ministack/bin/ministack"),
            sam=Path(environment.get("SAM") or tools / "sam/bin/sam"),
            relay=Path(environment.get("NOSTR_RELAY") or tools / "relay/bin/nostr-relay"),
            node=TOOL / "bin" / "node",
        ),
        log_level=environment.get("LOG_LEVEL") or "INFO",
        gateway_alone=gateway_alone,
        requests_per_address=environment.get(_REQUESTS) or "0",
        ssb=_ssb_from(environment),
        house=_house_from(environment),
    )


def _house_from(environment: Mapping[str, str]) -> tuple[int, ...]:
    """The levels; none where the user names house players of their own. Raises UnusableSetting."""
    chosen = environment.get("HOUSE", "") or "1"
    if not re.fullmatch(r"0|[1-8](,[1-8])*", chosen):
        raise UnusableSetting(f"HOUSE={chosen} is unusable: 0, 1, or levels such as 1,4,8")
    if chosen == "0" or "ARBITER_HOUSE" in environment:
        return ()
    return (*_LEVELS,) if chosen == "1" else (*sorted(set(map(int, chosen.split(",")))),)


def _ssb_from(environment: Mapping[str, str]) -> Scuttlebutt | None:
    """The choice; None where there is to be no bridge. Raises UnusableSetting."""
    chosen = environment.get("SSB", "")
    if chosen not in ("", "0", "1"):
        raise UnusableSetting(f"SSB={chosen} is unusable: 1 starts a bridge to Scuttlebutt")
    if chosen != "1":
        return None
    return Scuttlebutt(
        peers=peers_from(environment.get("SSB_PEERS", "")),
        caps=caps_from(environment.get("SSB_CAPS", "")),
    )


def derived_house(settings: Settings, key: SecretKey) -> tuple[HousePlayer, ...]:
    """The house players of a stack with this key of the arbiter's, some of each level."""
    return tuple(
        HousePlayer(house_key(key, level, number).pubkey, level)
        for level in settings.house
        for number in range(1, _PLAYERS_OF_A_STACK + 1)
    )


def require_tools(tools: tuple[Path, ...]) -> None:
    """Raises UnusableSetting for the first of these programs that is missing."""
    for tool in tools:
        if not os.access(tool, os.X_OK):
            raise UnusableSetting(f"{tool} is missing: start by make, which installs it.")
