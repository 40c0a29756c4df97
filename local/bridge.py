"""The bridge to Scuttlebutt as a process of a run.

There is one, since two peers of one identity would fork its feed. Its folder keeps its log,
identity and signing key for the next run.
"""

import json
import sys
from pathlib import Path

from arbiter.nostr.keys import SecretKey
from bridge.key import KeyRefused, load_bridge_key
from bridge.service import READY
from local.deploy import Stack
from local.endpoints import Feed
from local.environment import program_environment
from local.ports import LOOPBACK
from local.processes import Part, PartFailed
from local.settings import Scuttlebutt, Settings

BRIDGE = "bridge"
START_TIMEOUT_SECONDS = 120.0
"""A peer reads its whole log before it is ready."""

_STOP_TIMEOUT_SECONDS = 10.0


def bridge_key(settings: Settings) -> SecretKey | None:
    """The key that letters are signed with, made at the first run; None without a bridge. Raises
    PartFailed.
    """
    if settings.scuttlebutt is None:
        return None
    loaded = load_bridge_key(_folder(settings))
    if isinstance(loaded, KeyRefused):
        raise PartFailed(loaded.text)
    return loaded.key


def bridge_part(settings: Settings, chosen: Scuttlebutt, stack: Stack, server_pubkey: str) -> Part:
    """The bridge as a part of the run."""
    _ready_file(settings).unlink(missing_ok=True)  # left by a run that was killed
    return Part(
        name=BRIDGE,
        command=(sys.executable, "-m", "bridge"),
        environment={
            **program_environment(settings),
            "MOVES_QUEUE_URL": stack.outputs["MovesQueueUrl"],
            "SEEKS_QUEUE_URL": stack.outputs["SeeksQueueUrl"],
            "SCUTTLEBUTT_QUEUE_URL": stack.outputs["ScuttlebuttQueueUrl"],
            "SCUTTLEBUTT_DEAD_LETTERS_URL": stack.outputs["ScuttlebuttDeadLettersUrl"],
            "SERVER_PUBKEY": server_pubkey,
            "SSB_DIR": str(_folder(settings)),
            "SSB_HOST": LOOPBACK,
            "SSB_PORT": str(settings.ports.scuttlebutt),
            "SSB_PEERS": ",".join(chosen.peers),
            "SSB_CAPS": chosen.caps,
            "LOG_LEVEL": settings.log_level,
        },
        stop_timeout_seconds=_STOP_TIMEOUT_SECONDS,
    )


def our_feed(settings: Settings) -> Feed | None:
    """Our peer's feed and address; None until it is ready."""
    try:
        told = json.loads(_ready_file(settings).read_text(encoding="ascii"))
    except OSError:
        return None
    return Feed(told["id"], told["address"])


def _folder(settings: Settings) -> Path:
    return settings.run_dir / "scuttlebutt"


def _ready_file(settings: Settings) -> Path:
    return _folder(settings) / READY
