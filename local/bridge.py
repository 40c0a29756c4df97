"""The one bridge to Scuttlebutt of a run: two of one identity would fork its feed."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from bridge.service import READY
from bridge.settings import load_bridge_key
from local.console import step
from local.deploy import Stack
from local.environment import aws_environment, bare_environment, our_code
from local.ports import LOOPBACK
from local.processes import Part, PartFailed, Supervisor
from local.settings import Scuttlebutt, Settings
from server.key import KeyRefused

BRIDGE = "bridge"
_START_TIMEOUT_SECONDS = 120.0
"""A peer reads its whole log before it is ready."""

_STOP_TIMEOUT_SECONDS = 10.0


def bridge_key(settings: Settings) -> SecretKey | None:
    """The key for envelopes, made at the first run; None without a bridge. Raises PartFailed."""
    if settings.ssb is None:
        return None
    try:
        return load_bridge_key(_folder(settings)).key
    except KeyRefused as refused:
        raise PartFailed(str(refused)) from None


def of_stack(settings: Settings, stack: Stack) -> Mapping[str, str]:
    return {
        **aws_environment(settings.aws_url),
        "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
        "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
        "SSB_QUEUE_URL": stack.outputs["SsbQueueUrl"],
        "SSB_DEAD_LETTERS_URL": stack.outputs["SsbDeadLettersUrl"],
    }


def of_server(settings: Settings) -> Mapping[str, str]:
    return {"ARBITER_URL": settings.http_url}


def bridge_part(
    settings: Settings, chosen: Scuttlebutt, arbiter: Mapping[str, str], server_pubkey: str
) -> Part:
    """The bridge as a part of the run; ``arbiter`` is `of_stack` or `of_server`."""
    _ready_file(settings).unlink(missing_ok=True)  # left by a run that was killed
    return Part(
        name=BRIDGE,
        command=(sys.executable, "-m", "bridge"),
        environment={
            **bare_environment(settings),
            **arbiter,
            "PYTHONPATH": our_code(),
            "SERVER_PUBKEY": server_pubkey,
            "SSB_DIR": str(_folder(settings)),
            "SSB_HOST": LOOPBACK,
            "SSB_PORT": str(settings.ports.ssb),
            "SSB_PEERS": ",".join(chosen.peers),
            "SSB_CAPS": chosen.caps,
            "LOG_LEVEL": settings.log_level,
        },
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def start_bridge(supervisor: Supervisor, settings: Settings, part: Part) -> None:
    """Start it, and wait for its peer. Raises PartFailed, or StopAsked when a stop is asked for."""
    with step("starting the bridge to Scuttlebutt", BRIDGE):
        supervisor.start(part)
        supervisor.wait_until(BRIDGE, _ready_file(settings).exists, _START_TIMEOUT_SECONDS)


def feed_lines(settings: Settings) -> str:
    """Our feed and its peer's address, for the user; nothing while there is none."""
    if settings.ssb is None or not _ready_file(settings).exists():
        return ""
    feed = json.loads(_ready_file(settings).read_text(encoding="ascii"))
    return f"\n  feed       {feed['id']}\n  its peer   {feed['address']}"


def _folder(settings: Settings) -> Path:
    return settings.run_dir / "scuttlebutt"


def _ready_file(settings: Settings) -> Path:
    return _folder(settings) / READY
