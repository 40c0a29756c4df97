"""A run in the foreground: checks before it starts, and how it ends.

Invariant: everything that can be checked is checked before anything starts, and reported in one
line. Everything that was started is stopped again.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from botocore.exceptions import BotoCoreError, ClientError

from arbiter.nostr.keys import SecretKey
from arbiter.nostr.nip19 import encode_npub
from local.console import complain, say
from local.endpoints import remove_endpoints
from local.ports import taken
from local.processes import PartFailed, StopAsked, Supervisor
from local.run_lock import FolderTaken, FolderUnusable, claimed
from local.server_key import KeyRefused, load_server_key
from local.settings import Settings, Tools, Unusable, missing_tool, settings_from
from local.signals import stop_when_asked

_FAILED = 1
_PORT_TAKEN = 2
_UNUSABLE = 3

Run = Callable[[Settings, SecretKey, threading.Event], int]


def enter(needed: Callable[[Tools], tuple[Path, ...]], run: Run) -> int:
    """Check the settings, claim the folder, find the key, run; the process's exit code.

    0 stopped when asked, 1 a part failed, 2 a port is taken, 3 something is missing or unusable.
    ``needed`` are the programs that must be there; the relay and the bridge's Node are asked
    for here, where they are started.
    """
    settings = settings_from(os.environ)
    if isinstance(settings, Unusable):
        complain(settings.text)
        return _UNUSABLE
    relay = (settings.tools.relay,) if settings.starts_relay else ()
    bridge = (settings.tools.node,) if settings.scuttlebutt else ()
    missing = missing_tool((*needed(settings.tools), *relay, *bridge))
    if missing is not None:
        complain(missing.text)
        return _UNUSABLE
    try:
        with claimed(settings.run_dir):
            return _run(settings, run)
    except (FolderTaken, FolderUnusable) as refusal:
        complain(str(refusal))
        return _UNUSABLE


def _run(settings: Settings, run: Run) -> int:
    ports = settings.ports
    relay = (ports.relay,) if settings.starts_relay else ()
    bridge = (ports.scuttlebutt,) if settings.scuttlebutt else ()
    busy = taken((*relay, ports.aws, ports.front_door, *bridge))
    if busy:
        complain(
            f"Port {busy[0]} is taken by another program. Stop that one, or choose other ports: "
            "PORT_BASE=7200"
        )
        return _PORT_TAKEN
    server_key = load_server_key(settings.run_dir)
    if isinstance(server_key, KeyRefused):
        complain(server_key.text)
        return _UNUSABLE
    if server_key.is_new:
        say(f"Made the arbiter's secret key: {shown(settings.run_dir)}/server.key (keep it)")
    say(f"Starting the arbiter {encode_npub(server_key.key.pubkey)}")
    stop = threading.Event()
    stop_when_asked(stop)
    return run(settings, server_key.key, stop)


def hold(
    supervisor: Supervisor, settings: Settings, start: Callable[[], None], farewell: str
) -> int:
    """Start, watch until a stop is asked for, stop everything; the process's exit code."""
    try:
        start()
        supervisor.watch()
    except StopAsked:
        pass
    except PartFailed as failure:
        complain(str(failure))
        return _FAILED
    except (BotoCoreError, ClientError) as failure:
        complain(f"The emulated cloud refused to be set up: {failure}")
        return _FAILED
    finally:
        remove_endpoints(settings.run_dir)
        say("Stopping …")
        supervisor.stop_all()
    say(farewell)
    return 0


def shown(path: Path) -> str:
    """A path as short as it can be written from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def play_command(run_dir: Path) -> str:
    """What to type in another terminal to play against this run."""
    folder = shown(run_dir)
    return "make play" if folder == ".run" else f"make play RUN_DIR={folder}"
